// Two fields against each other: how many records have a value of the one and a value of the other.
//
// Each number is what the page finds when both are chosen, so the counts of the first field are asked for once for each
// value of the second, beside all other conditions.

import type { Catalogue, Field } from '../api/catalogue';
import { valueText } from '../design/format';
import { type RawAggregations, readBuckets } from '../explore/answer';
import { facetSelection, type Request } from '../explore/viewQuery';
import type { Bins } from '../facets/bins';
import { rangeFrom } from '../facets/RangeFacet';
import { withFilter, withRange } from '../query/edit';
import { forCounts } from '../query/elements';
import type { Group, Value } from '../query/sqon';
import { binName } from './numbers';

/** How many values of the second field are compared; each takes an alias of the request. */
export const MAX_COLUMNS = 8;
const MAX_ROWS = 14;

export interface CrossFields {
  first: Field;
  /** The bins of the first field, if it is one of numbers or dates. */
  bins: Bins | undefined;
  second: Field;
  /** The values of the second field. */
  values: Value[];
}

export interface CrossRow {
  label: string;
  counts: number[];
  /** Returns the filter with this row, beside the others. */
  choose: (filter: Group | null) => Group | null;
}

/** Returns the filter with one value of the second field. */
export function chooseColumn(catalogue: Catalogue, filter: Group | null, field: Field, value: Value): Group | null {
  return withFilter(filter, field.name, { mode: 'include', values: [value] }, catalogue.nesting);
}

export function crossRequest(catalogue: Catalogue, filter: Group | null, cross: CrossFields): Request {
  const { first, bins, second, values } = cross;
  const selection = facetSelection(first, new Map<string, Bins>(bins ? [[first.name, bins]] : []));
  const parameters = values.map((_, index) => `$f${index}: JSON`).join(', ');
  const parts = values.map((_, index) => `c${index}: aggregations(filters: $f${index}) { ${selection} }`);
  const filters = values.map((value, index): [string, Group | null] => [
    `f${index}`,
    forCounts(chooseColumn(catalogue, filter, second, value), catalogue.nesting),
  ]);
  return {
    query: `query Cross(${parameters}) { ${catalogue.documentType} { ${parts.join(' ')} } }`,
    variables: Object.fromEntries(filters),
  };
}

export function readCross(catalogue: Catalogue, cross: CrossFields, answer: Record<string, unknown>): CrossRow[] {
  const { first, bins, values } = cross;
  const columns = answer[catalogue.documentType] as Record<string, RawAggregations>;
  const facets = values.map((_, index) => columns[`c${index}`]?.[first.graphqlName]);
  if (bins) {
    return bins.edges.slice(1).map((_, bin) => ({
      label: binName(first, bins, bin),
      counts: facets.map((facet) => facet?.range?.buckets[bin]?.doc_count ?? 0),
      choose: (filter) => withRange(filter, first.name, rangeFrom([bin, bin + 1], first, bins), catalogue.nesting),
    }));
  }
  const counts = facets.map(
    (facet) => new Map(readBuckets(facet?.buckets ?? [], first).map(({ value, count }) => [value, count])),
  );
  const totals = new Map<Value, number>();
  for (const column of counts) {
    for (const [value, count] of column) totals.set(value, (totals.get(value) ?? 0) + count);
  }
  const rows = [...totals].sort(([, one], [, other]) => other - one).slice(0, MAX_ROWS);
  return rows.map(([value]) => ({
    label: valueText(value, first),
    counts: counts.map((column) => column.get(value) ?? 0),
    choose: (filter) => withFilter(filter, first.name, { mode: 'include', values: [value] }, catalogue.nesting),
  }));
}
