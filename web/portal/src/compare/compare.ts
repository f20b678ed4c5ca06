// Two filters compared over all facets: counts, shares, and whether they differ by more than chance. Numbers and dates
// are counted in the steps of their histograms, which are the same on both sides.

import type { Catalogue, Facet } from '../api/catalogue';
import { binName } from '../charts/numbers';
import { toCsvText } from '../design/csv';
import { valueText } from '../design/format';
import { type RawAggregations, readBuckets } from '../explore/answer';
import { type BinsByField, facetSelection, type Request } from '../explore/viewQuery';
import type { Bins } from '../facets/bins';
import { forCounts } from '../query/elements';
import type { Group, Sqon, Value } from '../query/sqon';
import { texts } from '../texts';
import { distributionTest, probability, shareTest } from './statistics';

/** How many values of a facet are shown. */
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
  /** The most frequent values, or the steps of numbers and dates that records have. */
  values: ComparedValue[];
  /** How likely such a difference of the whole distribution is by chance alone; null but for numbers and dates. */
  p: number | null;
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

function comparedFacets({ facets }: Catalogue, bins: BinsByField): Facet[] {
  return facets.filter(({ field }) => field.kind === 'terms' || field.kind === 'boolean' || bins.has(field.name));
}

export function comparisonRequest(catalogue: Catalogue, bins: BinsByField, a: Group | null, b: Group | null): Request {
  const parts = comparedFacets(catalogue, bins)
    .map(({ field }) => facetSelection(field, bins))
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

export function readComparison(catalogue: Catalogue, bins: BinsByField, answer: Record<string, unknown>): Comparison {
  const { hitsA, hitsB, both, a = {}, b = {} } = answer[catalogue.documentType] as RawComparison;
  const totals: [number, number] = [hitsA.total, hitsB.total];
  const compared = (value: Value, text: string, counts: [number, number]): ComparedValue => {
    return { value, text, counts, p: shareTest(counts[0], totals[0], counts[1], totals[1]) };
  };
  const facets = comparedFacets(catalogue, bins).map((facet): ComparedFacet => {
    const steps = bins.get(facet.field.name);
    if (steps) return readSteps(facet, steps, [a, b], compared);
    const counts = [a, b].map((side) => {
      const buckets = readBuckets(side[facet.field.graphqlName]?.buckets ?? [], facet.field);
      return new Map(buckets.map(({ value, count }) => [value, count]));
    });
    const [first = new Map<Value, number>(), second = new Map<Value, number>()] = counts;
    const values = [...new Set([...first.keys(), ...second.keys()])].map((value) =>
      compared(value, valueText(value, facet.field), [first.get(value) ?? 0, second.get(value) ?? 0]),
    );
    values.sort((one, other) => other.counts[0] + other.counts[1] - (one.counts[0] + one.counts[1]));
    return { facet, values: values.slice(0, MAX_SHOWN), p: null };
  });
  return { totals, shared: both.total, facets: facets.filter(({ values }) => values.length > 0) };
}

/** Reads the steps of a field of numbers or dates; those that no record has are left out. */
function readSteps(
  facet: Facet,
  bins: Bins,
  sides: [RawAggregations, RawAggregations],
  compared: (value: Value, text: string, counts: [number, number]) => ComparedValue,
): ComparedFacet {
  const { field } = facet;
  const steps = bins.edges.slice(1).map((_, step) => step);
  const countsOf = (side: RawAggregations) =>
    steps.map((step) => side[field.graphqlName]?.range?.buckets[step]?.doc_count ?? 0);
  const [first, second] = [countsOf(sides[0]), countsOf(sides[1])];
  const values = steps.map((step) => compared(step, binName(field, bins, step), [first[step] ?? 0, second[step] ?? 0]));
  const isFilled = ({ counts }: ComparedValue) => counts[0] + counts[1] > 0;
  return { facet, values: values.filter(isFilled), p: distributionTest(first, second) };
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
  const { field, value, shareOf, distribution } = texts.compare;
  const rows = facets.flatMap(({ facet, values, p: ofAll }) => [
    ...values.map(({ text, counts, p }) => [
      facet.label,
      text,
      String(counts[0]),
      share(counts[0], totals[0]),
      String(counts[1]),
      share(counts[1], totals[1]),
      p === null ? '' : probability(p),
    ]),
    ...(ofAll === null ? [] : [[facet.label, distribution, '', '', '', '', probability(ofAll)]]),
  ]);
  return toCsvText([[field, value, 'A', shareOf('A'), 'B', shareOf('B'), 'p'], ...rows]);
}
