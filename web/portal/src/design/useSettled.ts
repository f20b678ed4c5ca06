// A value that follows another one with a pause, so that not every letter asks the server.

import { useEffect, useState } from 'react';

/** Returns a value once it has not changed for a moment. */
export function useSettled<T>(value: T, delayMs = 400): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delayMs);
    return () => clearTimeout(timer);
  }, [value, delayMs]);
  return settled;
}
