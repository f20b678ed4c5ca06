// A modal dialog. The browser's own element traps the focus; it is restored on close.

import { type ReactNode, useEffect, useId, useRef } from 'react';

import { texts } from '../texts';
import { Icon } from './Icon';

interface DialogProps {
  title: string;
  wide?: boolean;
  className?: string;
  onClose: () => void;
  footer?: ReactNode;
  children: ReactNode;
}

export function Dialog({ title, wide = false, className = '', onClose, footer, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className={`sheet ${wide ? 'wide' : ''} ${className}`}
      aria-labelledby={id}
      onCancel={(event) => {
        // A file field inside has a cancel event of its own.
        if (event.target !== dialog.current) return;
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div className="sheet-head">
        <h2 id={id}>{title}</h2>
        <button type="button" className="button plain icon-only" aria-label={texts.design.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      <div className="sheet-body">{children}</div>
      {footer && <div className="sheet-foot">{footer}</div>}
    </dialog>
  );
}
