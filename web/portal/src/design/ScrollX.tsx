// A region that scrolls horizontally, by keyboard as well.

import type { ReactNode } from 'react';

export function ScrollX({
  label,
  className = '',
  children,
}: {
  label: string;
  className?: string;
  children: ReactNode;
}) {
  return (
    <div className={`scroll-x ${className}`} role="region" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}
