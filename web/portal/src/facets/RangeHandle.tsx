// A handle of a range slider, moved by pointer or keyboard.

import { type KeyboardEvent, type PointerEvent, useState } from 'react';

interface RangeHandleProps {
  label: string;
  /** Its position, and the positions it can be moved between, in bins. */
  at: number;
  least: number;
  most: number;
  /** The last position of the track. */
  last: number;
  text: string;
  onMove: (at: number) => void;
  onSettle: () => void;
}

export function RangeHandle({ label, at, least, most, last, text, onMove, onSettle }: RangeHandleProps) {
  const [held, setHeld] = useState(false);
  const move = (to: number) => {
    const next = Math.min(most, Math.max(least, to));
    if (next !== at) onMove(next);
  };
  const byKey = (event: KeyboardEvent) => {
    const large = Math.max(1, Math.round(last / 10));
    const to = {
      ArrowRight: at + 1,
      ArrowUp: at + 1,
      ArrowLeft: at - 1,
      ArrowDown: at - 1,
      PageUp: at + large,
      PageDown: at - large,
      Home: least,
      End: most,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    move(to);
  };
  const byPointer = (event: PointerEvent<HTMLElement>) => {
    const track = event.currentTarget.parentElement?.getBoundingClientRect();
    if (held && track) move(Math.round(((event.clientX - track.left) / track.width) * last));
  };
  return (
    <span
      className="range-handle"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuenow={at}
      aria-valuetext={text}
      title={text}
      style={{ left: `${(at / last) * 100}%` }}
      onKeyDown={byKey}
      onKeyUp={onSettle}
      onBlur={onSettle}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        setHeld(true);
      }}
      onPointerMove={byPointer}
      onPointerUp={() => {
        setHeld(false);
        onSettle();
      }}
    />
  );
}
