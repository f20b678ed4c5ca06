// The records that a user selected in a catalogue, over all pages and filters. The tab keeps them until it is closed.

import { useMemo, useSyncExternalStore } from 'react';

import type { Catalogue } from '../api/catalogue';
import type { Row } from '../explore/answer';

/** How many records a basket holds. */
const MAX_KEYS = 10_000;

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export interface Basket {
  keys: ReadonlySet<string>;
  add: (keys: string[]) => void;
  remove: (keys: string[]) => void;
  clear: () => void;
}

export function useBasket(catalogueId: string): Basket {
  const name = `cantata-basket ${catalogueId}`;
  const text = useSyncExternalStore(subscribe, () => sessionStorage.getItem(name) ?? '[]');
  const keys = useMemo(() => new Set(JSON.parse(text) as string[]), [text]);
  const set = (next: string[]) => {
    sessionStorage.setItem(name, JSON.stringify(next.slice(0, MAX_KEYS)));
    for (const listener of listeners) listener();
  };
  return {
    keys,
    add: (more) => set([...new Set([...keys, ...more])]),
    remove: (some) => set([...keys].filter((key) => !some.includes(key))),
    clear: () => set([]),
  };
}

/** Returns the key of a row; null where the catalogue has none or the row has several. */
export function keyOfRow(row: Row, { keyField }: Catalogue): string | null {
  // A field that is a list somewhere is a list in every record.
  const [key, ...others] = keyField ? [row.values[keyField.graphqlName]].flat() : [];
  return (typeof key === 'string' || typeof key === 'number') && others.length === 0 ? String(key) : null;
}
