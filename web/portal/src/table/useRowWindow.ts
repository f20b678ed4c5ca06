// Which rows of a scrolled table are in sight. All rows have the same height, so that is arithmetic.

import { type RefObject, useEffect, useState } from 'react';

/** How many rows are kept ready beyond either edge. */
const MARGIN = 12;

export interface RowWindow {
  begin: number;
  end: number;
}

/** Returns the rows that a part of the table shows, and some beyond. */
export function rowsIn(top: number, size: number, height: number): RowWindow {
  return {
    begin: Math.max(0, Math.floor(top / height) - MARGIN),
    end: Math.ceil((top + size) / height) + MARGIN,
  };
}

/** Moves rows in sight to where there are rows: fewer may have come since it was scrolled. */
export function within({ begin, end }: RowWindow, count: number): RowWindow {
  return { begin: Math.max(0, Math.min(begin, count - (end - begin))), end: Math.min(end, count) };
}

export function useRowWindow(scroller: RefObject<HTMLElement | null>, count: number, height: number): RowWindow {
  const [seen, setSeen] = useState(() => rowsIn(0, window.innerHeight, height));
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const update = () => {
      const next = rowsIn(element.scrollTop, element.clientHeight, height);
      setSeen((before) => (before.begin === next.begin && before.end === next.end ? before : next));
    };
    const observer = new ResizeObserver(update);
    observer.observe(element);
    element.addEventListener('scroll', update, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', update);
    };
  }, [scroller, height]);
  return within(seen, count);
}
