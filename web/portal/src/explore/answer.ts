// The answer to a view's request, as the page uses it.

import type { Catalogue, Field } from '../api/catalogue';
import type { Value } from '../query/sqon';
import type { ExploreState } from './urlState';
import { type BinsByField, MENTIONED, SIZES } from './viewQuery';

export interface Row {
  id: string;
  cursor: unknown[];
  values: Record<string, unknown>;
}

export interface Bucket {
  value: Value;
  count: number;
}

export interface TermsCounts {
  buckets: Bucket[];
  /** How many buckets there are, that of missing values and those not fetched included. */
  distinct: number;
}

export interface ViewAnswer {
  total: number;
  /** The bytes of all matching records, where the catalogue has their size. */
  bytes: number | null;
  rows: Row[];
  terms: Map<string, TermsCounts>;
  /** A count for each bin of a histogram. */
  steps: Map<string, number[]>;
  /** The nodes that the counts come from; null if they are those of the catalogue alone. */
  network: NetworkAnswer | null;
}

export interface NetworkNode {
  nodeId: string | null;
  name: string;
  hits: number;
  errors: string;
  contributed: boolean;
  missingFields: string[];
}

export interface NetworkAnswer {
  complete: boolean;
  nodes: NetworkNode[];
}

interface RawBucket {
  key: string;
  key_as_string?: string | null;
  doc_count: number;
}

interface RawNetwork extends NetworkAnswer {
  aggregations?: Record<string, { bucket_count?: number; buckets?: RawBucket[] } | null>;
}

interface RawView {
  hits: { total: number; edges: { searchAfter: unknown[]; node: Record<string, unknown> & { id: string } }[] };
  aggregations?: RawFacets;
  [MENTIONED]?: RawFacets;
  [SIZES]?: Record<string, { stats: { sum: number | null } | null } | null>;
}

export type RawFacets = Record<
  string,
  { bucket_count?: number; buckets?: RawBucket[]; range?: { buckets: RawBucket[] } | null } | null
>;

export function readView(
  catalogue: Catalogue,
  state: ExploreState,
  bins: BinsByField,
  answer: Record<string, unknown>,
): ViewAnswer {
  const { hits, aggregations, [MENTIONED]: mentioned, [SIZES]: sizes } = answer[catalogue.documentType] as RawView;
  const facets: RawFacets = { ...aggregations, ...mentioned };
  const rows = hits.edges.map(({ node, searchAfter }) => ({ id: node.id, cursor: searchAfter, values: node }));
  const isTurned = state.before !== null && state.page * state.size > catalogue.window;
  if (isTurned) {
    rows.reverse();
    // Their cursors end with the id twice, because ids were part of the sort.
    for (const row of rows) row.cursor = row.cursor.slice(0, -1);
  }
  const bytes = (catalogue.sizeField && sizes?.[catalogue.sizeField.graphqlName]?.stats?.sum) ?? null;
  const view: ViewAnswer = { total: hits.total, bytes, rows, terms: new Map(), steps: new Map(), network: null };
  for (const { field } of catalogue.facets) {
    const counts = facets[field.graphqlName];
    if (!counts) continue;
    const edges = bins.get(field.name)?.edges;
    if (edges && counts.range) {
      view.steps.set(field.name, counts.range.buckets.map(({ doc_count }) => doc_count).slice(0, edges.length - 1));
    } else if (counts.bucket_count !== undefined) {
      view.terms.set(field.name, { buckets: readBuckets(counts.buckets ?? [], field), distinct: counts.bucket_count });
    }
  }
  return view;
}

/** Reads the answer of the network of a catalogue, which has counts and no records. */
export function readNetwork(catalogue: Catalogue, answer: Record<string, unknown>): ViewAnswer {
  const { complete, nodes, aggregations = {} } = answer.network as RawNetwork;
  const terms = catalogue.facets.flatMap(({ field }): [string, TermsCounts][] => {
    const counts = aggregations[field.graphqlName];
    if (!counts) return [];
    return [[field.name, { buckets: readBuckets(counts.buckets ?? [], field), distinct: counts.bucket_count ?? 0 }]];
  });
  const total = nodes.reduce((sum, node) => sum + node.hits, 0);
  return { total, bytes: null, rows: [], terms: new Map(terms), steps: new Map(), network: { complete, nodes } };
}

/** Reads buckets as values for filters. */
export function readBuckets(buckets: RawBucket[], field: Field): Bucket[] {
  return buckets.map(({ key, key_as_string: text, doc_count: count }) => {
    const isTruth = field.kind === 'boolean' && key !== '__missing__';
    return { value: isTruth ? (text ?? key) === 'true' || key === '1' : key, count };
  });
}
