// Saved sets: values of a field that are stored under a name.

import type { Catalogue } from '../api/catalogue';
import { graphql } from '../api/client';
import { leaf, type Sqon } from '../query/sqon';
import { exactCounts, regionsOf } from './regions';

export interface SavedSet {
  setId: string;
  name: string | null;
  size: number;
  path: string;
  type: string;
  createdAt: string | number | null;
  /** The filter that it was made from. */
  sqon: unknown;
}

/** The longest name of a set, in characters. */
export const MAX_NAME_LENGTH = 200;

const SET_FIELDS = 'setId name size path type createdAt sqon';
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

export const COMBINATIONS = ['union', 'intersection', 'difference'] as const;
export type Combination = (typeof COMBINATIONS)[number];

/** Returns the filter for the combination of sets of one field; a difference takes all others away from the first. */
export function combined(combination: Combination, sets: SavedSet[]): Sqon {
  const [first, ...others] = sets;
  if (combination === 'union') return { op: 'or', content: sets.map(membersOf) };
  if (combination === 'intersection' || !first) return { op: 'and', content: sets.map(membersOf) };
  const without = others.map(({ path, setId }) => leaf('some-not-in', path, [`set_id:${setId}`]));
  return { op: 'and', content: [membersOf(first), ...without] };
}

export interface CombinationCounts {
  totals: Record<Combination, number>;
  /** The records in each region of a Venn diagram; empty for more than three sets. */
  regions: Map<number, number>;
}

/** The most sets of which there is a Venn diagram. */
const MAX_DRAWN = 3;

/** Counts the records that each combination finds, all in one request. */
export async function countCombinations(
  catalogue: Catalogue,
  sets: SavedSet[],
  signal: AbortSignal,
): Promise<CombinationCounts> {
  const regions = sets.length <= MAX_DRAWN ? regionsOf(sets.length) : [];
  const within = (region: number) => sets.filter((_, index) => region & (1 << index));
  const filters: [string, Sqon][] = [
    ...COMBINATIONS.map((each): [string, Sqon] => [each, combined(each, sets)]),
    ...regions.map((region): [string, Sqon] => [`r${region}`, combined('intersection', within(region))]),
  ];
  const type = catalogue.documentType;
  const parameters = filters.map(([name]) => `$${name}: JSON`).join(', ');
  const parts = filters.map(([name]) => `${name}: hits(filters: $${name}, first: 0) { total }`).join(' ');
  const answer = await graphql<Record<string, Record<string, { total: number }>>>(
    catalogue.graphqlPath,
    `query Combinations(${parameters}) { ${type} { ${parts} } }`,
    Object.fromEntries(filters),
    signal,
  );
  const total = (name: string) => answer[type]?.[name]?.total ?? 0;
  return {
    totals: { union: total('union'), intersection: total('intersection'), difference: total('difference') },
    regions: exactCounts(new Map(regions.map((region) => [region, total(`r${region}`)]))),
  };
}
