// Steps of a filter that can be taken back. The browser's own back button moves through the same steps.

import { useEffect, useState } from 'react';

interface Steps {
  texts: string[];
  at: number;
}

/** Follows a filter, given as text; `go` shows another one. */
export function useUndo(text: string, go: (text: string) => void) {
  const [steps, setSteps] = useState<Steps>({ texts: [text], at: 0 });
  useEffect(() => {
    setSteps(({ texts, at }) => {
      if (texts[at] === text) return { texts, at };
      if (texts[at - 1] === text) return { texts, at: at - 1 };
      if (texts[at + 1] === text) return { texts, at: at + 1 };
      return { texts: [...texts.slice(0, at + 1), text], at: at + 1 };
    });
  }, [text]);
  const before = steps.texts[steps.at - 1];
  const after = steps.texts[steps.at + 1];
  return {
    undo: before === undefined ? null : () => go(before),
    redo: after === undefined ? null : () => go(after),
  };
}
