// How high the rows of tables are: one choice for all catalogues, kept in the browser.

import { useSyncExternalStore } from 'react';

export type Density = 'comfortable' | 'compact';

export const ROW_HEIGHTS: Record<Density, number> = { comfortable: 38, compact: 28 };

const NAME = 'cantata-rows';
const listeners = new Set<() => void>();

function current(): Density {
  return localStorage.getItem(NAME) === 'compact' ? 'compact' : 'comfortable';
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useDensity(): [Density, (next: Density) => void] {
  const density = useSyncExternalStore(subscribe, current);
  const set = (next: Density) => {
    localStorage.setItem(NAME, next);
    for (const listener of listeners) listener();
  };
  return [density, set];
}
