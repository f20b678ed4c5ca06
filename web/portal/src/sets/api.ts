// Saved sets: values of a field that are stored under a name.

import type { Catalogue } from '../api/catalogue';
import { graphql } from '../api/client';
import type { Sqon } from '../query/sqon';

export interface SavedSet {
  setId: string;
  name: string | null;
  size: number;
  path: string;
  type: string;
  createdAt: string | number | null;
}

/** The longest name of a set, in characters. */
export const MAX_NAME_LENGTH = 200;

const SET_FIELDS = 'setId name size path type createdAt';
const MAX_SETS = 500;

/** Returns the sets of a catalogue, newest first. */
export async function listSets(catalogue: Catalogue, signal?: AbortSignal): Promise<SavedSet[]> {
  const query = `query Sets { sets { hits(first: ${MAX_SETS}, sort: [{fieldName: "createdAt", order: desc}]) { edges { node { ${SET_FIELDS} } } } } }`;
  const answer = await graphql<{ sets: { hits: { edges: { node: SavedSet }[] } } }>(
    catalogue.graphqlPath,
    query,
    {},
    signal,
  );
  return answer.sets.hits.edges.map(({ node }) => node).filter(({ type }) => type === catalogue.documentType);
}

export async function saveSet(catalogue: Catalogue, name: string, path: string, sqon: Sqon): Promise<SavedSet> {
  const query = `mutation Save($sqon: JSON!, $path: String!, $name: String) {
    saveSet(type: ${catalogue.documentType}, sqon: $sqon, path: $path, name: $name, refresh: WAIT_FOR) { ${SET_FIELDS} }
  }`;
  const answer = await graphql<{ saveSet: SavedSet }>(catalogue.graphqlPath, query, { sqon, path, name });
  return answer.saveSet;
}

export async function renameSet(catalogue: Catalogue, setId: string, name: string): Promise<void> {
  const query = 'mutation Rename($setId: String!, $name: String!) { renameSet(setId: $setId, name: $name) { setId } }';
  await graphql(catalogue.graphqlPath, query, { setId, name });
}

export async function deleteSet(catalogue: Catalogue, setId: string): Promise<void> {
  await graphql(catalogue.graphqlPath, 'mutation Delete($setId: String!) { deleteSet(setId: $setId) }', { setId });
}

/** Returns the filter that a set means. */
export function membersOf({ path, setId }: Pick<SavedSet, 'path' | 'setId'>): Sqon {
  return { op: 'in', content: { fieldName: path, value: [`set_id:${setId}`] } };
}

export type Combination = 'union' | 'intersection' | 'difference';

/** Returns the filter for the combination of two sets of one field. */
export function combined(combination: Combination, first: SavedSet, second: SavedSet): Sqon {
  if (combination === 'union') return { op: 'or', content: [membersOf(first), membersOf(second)] };
  if (combination === 'intersection') return { op: 'and', content: [membersOf(first), membersOf(second)] };
  return {
    op: 'and',
    content: [
      membersOf(first),
      { op: 'some-not-in', content: { fieldName: second.path, value: [`set_id:${second.setId}`] } },
    ],
  };
}
