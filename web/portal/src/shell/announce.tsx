// What a screen reader is told of changes that others see.

import { useEffect, useState } from 'react';

let tell: (text: string) => void = () => {};

/** Has a text read out once whatever is being read has ended. */
export function announce(text: string): void {
  tell(text);
}

export function Announcer() {
  const [text, setText] = useState('');
  useEffect(() => {
    tell = setText;
    return () => {
      tell = () => {};
    };
  }, []);
  return (
    <div className="visually-hidden" role="status" aria-live="polite">
      {text}
    </div>
  );
}
