// Undo and redo of a filter. The browser's own back button moves through the same steps.

import { useState } from 'react';

interface Steps {
  texts: string[];
  at: number;
}

function advance({ texts, at }: Steps, text: string): Steps {
  if (texts[at - 1] === text) return { texts, at: at - 1 };
  if (texts[at + 1] === text) return { texts, at: at + 1 };
  return { texts: [...texts.slice(0, at + 1), text], at: at + 1 };
}

/** Follows a filter, given as text; `go` shows another one. */
export function useUndo(text: string, go: (text: string) => void) {
  const [steps, setSteps] = useState<Steps>({ texts: [text], at: 0 });
  if (steps.texts[steps.at] !== text) setSteps(advance(steps, text));
  const before = steps.texts[steps.at - 1];
  const after = steps.texts[steps.at + 1];
  return {
    undo: before === undefined ? null : () => go(before),
    redo: after === undefined ? null : () => go(after),
  };
}
