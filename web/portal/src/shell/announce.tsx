// Announces visible changes to screen readers.

import { useEffect, useState } from 'react';

let setAnnouncement: (text: string) => void = () => {};

/** Reads out a text after what is being read. */
export function announce(text: string): void {
  setAnnouncement(text);
}

export function Announcer() {
  const [text, setText] = useState('');
  useEffect(() => {
    setAnnouncement = setText;
    return () => {
      setAnnouncement = () => {};
    };
  }, []);
  return (
    <div className="visually-hidden" role="status" aria-live="polite">
      {text}
    </div>
  );
}
