// The numbers of a chart, from the counts of the page.

import type { Facet, Field } from '../api/catalogue';
import { quantity, valueText } from '../design/format';
import type { ViewAnswer } from '../explore/answer';
import { type Bins, stepName } from '../facets/bins';
import { texts } from '../texts';
import type { ChartNumbers } from './series';

/** Writes what a bin of a histogram holds. */
export function binName(field: Field, { edges }: Bins, index: number): string {
  const from = edges[index] ?? 0;
  const to = edges[index + 1] ?? from;
  return field.kind === 'date' ? stepName(from, to) : texts.charts.fromTo(quantity(from, field), quantity(to, field));
}

/** Returns the numbers of a facet: of its values, or of the bins of a histogram. */
export function numbersOf({ field, label }: Facet, answer: ViewAnswer | null, bins: Bins | undefined): ChartNumbers {
  const values = answer?.terms.get(field.name)?.buckets ?? [];
  const steps = bins ? (answer?.steps.get(field.name) ?? []) : [];
  const rows = bins
    ? steps.map((records, index) => ({ label: binName(field, bins, index), counts: [records] }))
    : values.map((bucket) => ({ label: valueText(bucket.value, field), counts: [bucket.count] }));
  return { title: label, rowsAre: label, series: [''], rows };
}
