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
  /** The page with the same filter in the portal of the node. */
  link: string | null;
  /** The counts of its values, by the name of the field. */
  terms: Map<string, Map<Value, number>>;
  /** A count for each bin of a histogram. */
  steps: Map<string, number[]>;
}

export interface NetworkAnswer {
  complete: boolean;
  /** Counts are rounded down to multiples of it; null if they are exact. */
  suppressedBelow: number | null;
  nodes: NetworkNode[];
}

interface RawBucket {
  key: string;
  key_as_string?: string | null;
  doc_count: number;
}

export type RawAggregations = Record<
  string,
  { bucket_count?: number; buckets?: RawBucket[]; range?: { buckets: RawBucket[] } | null } | null
>;

interface RawNetwork {
  complete: boolean;
  suppressedBelow: number | null;
  nodes: (Omit<NetworkNode, 'terms' | 'steps'> & { aggregations?: RawAggregations | null })[];
  aggregations?: RawAggregations;
}

interface RawView {
  hits: { total: number; edges: { searchAfter: unknown[]; node: Record<string, unknown> & { id: string } }[] };
  aggregations?: RawAggregations;
  [MENTIONED]?: RawAggregations;
  [SIZES]?: Record<string, { stats: { sum: number | null } | null } | null>;
}

/** The key of the records of nodes that do not have a field; no filter can choose them. */
const NOT_AVAILABLE = '___aggregation_not_available___';

export function readView(
  catalogue: Catalogue,
  state: ExploreState,
  bins: BinsByField,
  answer: Record<string, unknown>,
): ViewAnswer {
  const { hits, aggregations, [MENTIONED]: mentioned, [SIZES]: sizes } = answer[catalogue.documentType] as RawView;
  const facets: RawAggregations = { ...aggregations, ...mentioned };
  const rows = hits.edges.map(({ node, searchAfter }) => ({ id: node.id, cursor: searchAfter, values: node }));
  const isTurned = state.before !== null && state.page * state.size > catalogue.window;
  if (isTurned) {
    rows.reverse();
    // Their cursors end with the id twice, because ids were part of the sort.
    for (const row of rows) row.cursor = row.cursor.slice(0, -1);
  }
  const bytes = (catalogue.sizeField && sizes?.[catalogue.sizeField.graphqlName]?.stats?.sum) ?? null;
  return { total: hits.total, bytes, rows, ...readCounts(catalogue, bins, facets), network: null };
}

/** Reads the answer of the network of a catalogue, which has counts and no records. */
export function readNetwork(catalogue: Catalogue, bins: BinsByField, answer: Record<string, unknown>): ViewAnswer {
  const { complete, suppressedBelow, nodes, aggregations = {} } = answer.network as RawNetwork;
  const total = nodes.reduce((sum, node) => sum + node.hits, 0);
  const read = nodes.map(({ aggregations: own, ...node }): NetworkNode => {
    const { terms, steps } = readCounts(catalogue, bins, own ?? {});
    const counts = [...terms].map(([field, { buckets }]): [string, Map<Value, number>] => [
      field,
      new Map(buckets.map(({ value, count }) => [value, count])),
    ]);
    return { ...node, terms: new Map(counts), steps };
  });
  return {
    total,
    bytes: null,
    rows: [],
    ...readCounts(catalogue, bins, aggregations),
    network: { complete, suppressedBelow, nodes: read },
  };
}

function readCounts(
  catalogue: Catalogue,
  bins: BinsByField,
  aggregations: RawAggregations,
): Pick<ViewAnswer, 'terms' | 'steps'> {
  const counted: Pick<ViewAnswer, 'terms' | 'steps'> = { terms: new Map(), steps: new Map() };
  for (const { field } of catalogue.facets) {
    const counts = aggregations[field.graphqlName];
    if (!counts) continue;
    const edges = bins.get(field.name)?.edges;
    if (edges && counts.range) {
      counted.steps.set(field.name, counts.range.buckets.map(({ doc_count }) => doc_count).slice(0, edges.length - 1));
    } else if (counts.bucket_count !== undefined) {
      const all = counts.buckets ?? [];
      const buckets = all.filter(({ key }) => key !== NOT_AVAILABLE);
      const distinct = counts.bucket_count - (all.length - buckets.length);
      counted.terms.set(field.name, { buckets: readBuckets(buckets, field), distinct });
    }
  }
  return counted;
}

/** Reads the answer to a request for many values of one facet. */
export function readValues(
  catalogue: Catalogue,
  answer: Record<string, unknown>,
  field: Field,
  ofNetwork: boolean,
): Bucket[] {
  const part = answer[ofNetwork ? 'network' : catalogue.documentType] as { aggregations?: RawAggregations } | undefined;
  const buckets = part?.aggregations?.[field.graphqlName]?.buckets ?? [];
  return readBuckets(
    buckets.filter(({ key }) => key !== NOT_AVAILABLE),
    field,
  );
}

/** Reads buckets as values for filters. */
export function readBuckets(buckets: RawBucket[], field: Field): Bucket[] {
  return buckets.map(({ key, key_as_string: text, doc_count: count }) => {
    const isTruth = field.kind === 'boolean' && key !== '__missing__';
    return { value: isTruth ? (text ?? key) === 'true' || key === '1' : key, count };
  });
}
