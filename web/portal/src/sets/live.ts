// The filter behind a set. A set is fixed: it keeps the values that its filter found. Opened live, it is what the filter finds
// now.

import type { Catalogue } from '../api/catalogue';
import { graphql } from '../api/client';
import { type Group, parse } from '../query/sqon';
import type { SavedSet } from './api';

/** The longest filter that fits into an address; a set of a list of ids has a longer one, and is never live. */
const MAX_FILTER_CHARS = 2000;

/** How many filters are counted by one request; catalogues limit them. */
const FILTERS_PER_REQUEST = 10;

/** Returns the filter of a set, null for everything; undefined where there is none that can be opened. */
export function filterOf({ sqon }: Pick<SavedSet, 'sqon'>): Group | null | undefined {
  const text = JSON.stringify(sqon ?? null);
  if (!sqon || text.length > MAX_FILTER_CHARS) return undefined;
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** Counts the records that the filters of sets find now, by the ids of the sets. */
export async function countLive(
  catalogue: Catalogue,
  sets: SavedSet[],
  signal: AbortSignal,
): Promise<Map<string, number>> {
  const filters = sets.flatMap((set): [string, Group | null][] => {
    const filter = filterOf(set);
    return filter === undefined ? [] : [[set.setId, filter]];
  });
  const type = catalogue.documentType;
  const counts = new Map<string, number>();
  for (let at = 0; at < filters.length; at += FILTERS_PER_REQUEST) {
    const some = filters.slice(at, at + FILTERS_PER_REQUEST);
    const parameters = some.map((_, index) => `$f${index}: JSON`).join(', ');
    const parts = some.map((_, index) => `s${index}: hits(filters: $f${index}, first: 0) { total }`).join(' ');
    const answer = await graphql<Record<string, Record<string, { total: number }>>>(
      catalogue.graphqlPath,
      `query Live(${parameters}) { ${type} { ${parts} } }`,
      Object.fromEntries(some.map(([, filter], index) => [`f${index}`, filter])),
      signal,
    );
    for (const [index, [setId]] of some.entries()) counts.set(setId, answer[type]?.[`s${index}`]?.total ?? 0);
  }
  return counts;
}
