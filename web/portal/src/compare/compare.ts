// Two filters compared over all facets of values: counts, shares, and whether they differ by more than chance.

import type { Catalogue, Facet } from '../api/catalogue';
import { toCsvText } from '../design/csv';
import { valueText } from '../design/format';
import { type RawAggregations, readBuckets } from '../explore/answer';
import type { Request } from '../explore/viewQuery';
import { forCounts } from '../query/elements';
import type { Group, Sqon, Value } from '../query/sqon';
import { texts } from '../texts';
import { probability, shareTest } from './statistics';

/** How many values of a facet are fetched for each side, and how many are shown. */
const MAX_VALUES = 60;
const MAX_SHOWN = 12;

export interface ComparedValue {
  value: Value;
  text: string;
  counts: [number, number];
  /** How likely such a difference is by chance alone; null where that cannot be told. */
  p: number | null;
}

export interface ComparedFacet {
  facet: Facet;
  values: ComparedValue[];
}

export interface Comparison {
  totals: [number, number];
  /** How many records are on both sides. */
  shared: number;
  facets: ComparedFacet[];
}

interface RawComparison {
  hitsA: { total: number };
  hitsB: { total: number };
  both: { total: number };
  a?: RawAggregations;
  b?: RawAggregations;
}

function comparedFacets({ facets }: Catalogue): Facet[] {
  return facets.filter(({ field }) => field.kind === 'terms' || field.kind === 'boolean');
}

export function comparisonRequest(catalogue: Catalogue, a: Group | null, b: Group | null): Request {
  const parts = comparedFacets(catalogue)
    .map(({ field }) => `${field.graphqlName} { buckets(max: ${MAX_VALUES}) { key key_as_string doc_count } }`)
    .join(' ');
  const facets = (name: string) =>
    parts &&
    `${name}: aggregations(filters: $${name}, include_missing: true, aggregations_filter_themselves: true) { ${parts} }`;
  const sides: Sqon[] = [a, b].flatMap((side) => side ?? []);
  return {
    query: `query Compare($a: JSON, $b: JSON, $both: JSON) { ${catalogue.documentType} {
      hitsA: hits(filters: $a, first: 0) { total }
      hitsB: hits(filters: $b, first: 0) { total }
      both: hits(filters: $both, first: 0) { total }
      ${facets('a')} ${facets('b')}
    } }`,
    variables: {
      a: forCounts(a, catalogue.nesting),
      b: forCounts(b, catalogue.nesting),
      both: sides.length ? { op: 'and', content: sides } : null,
    },
  };
}

export function readComparison(catalogue: Catalogue, answer: Record<string, unknown>): Comparison {
  const { hitsA, hitsB, both, a = {}, b = {} } = answer[catalogue.documentType] as RawComparison;
  const totals: [number, number] = [hitsA.total, hitsB.total];
  const facets = comparedFacets(catalogue).map((facet): ComparedFacet => {
    const counts = [a, b].map((side) => {
      const buckets = readBuckets(side[facet.field.graphqlName]?.buckets ?? [], facet.field);
      return new Map(buckets.map(({ value, count }) => [value, count]));
    });
    const [first = new Map<Value, number>(), second = new Map<Value, number>()] = counts;
    const values = [...new Set([...first.keys(), ...second.keys()])].map((value): ComparedValue => {
      const pair: [number, number] = [first.get(value) ?? 0, second.get(value) ?? 0];
      const p = shareTest(pair[0], totals[0], pair[1], totals[1]);
      return { value, text: valueText(value, facet.field), counts: pair, p };
    });
    values.sort((one, other) => other.counts[0] + other.counts[1] - (one.counts[0] + one.counts[1]));
    return { facet, values: values.slice(0, MAX_SHOWN) };
  });
  return { totals, shared: both.total, facets: facets.filter(({ values }) => values.length > 0) };
}

/** Says whether a difference stands out among all values of its facet (Bonferroni). */
export function isNotable(p: number | null, { values }: ComparedFacet): boolean {
  return p !== null && p < 0.05 / values.length;
}

/** Writes a share of a side. */
export function share(records: number, total: number): string {
  return total ? `${((records / total) * 100).toFixed(1)} %` : '';
}

/** Writes a comparison as CSV. */
export function comparisonCsv({ facets, totals }: Comparison): string {
  const rows = facets.flatMap(({ facet, values }) =>
    values.map(({ text, counts, p }) => [
      facet.label,
      text,
      String(counts[0]),
      share(counts[0], totals[0]),
      String(counts[1]),
      share(counts[1], totals[1]),
      p === null ? '' : probability(p),
    ]),
  );
  const { field, value, shareOf } = texts.compare;
  return toCsvText([[field, value, 'A', shareOf('A'), 'B', shareOf('B'), 'p'], ...rows]);
}
