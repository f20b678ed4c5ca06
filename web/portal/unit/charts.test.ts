import { expect, test } from 'vitest';

import { crossRequest, readCross } from '../src/charts/crossTable';
import { drawingOf, toCsv, toSvg } from '../src/charts/series';
import type { Field } from '../src/api/catalogue';
import { leaf } from '../src/query/sqon';
import { sampleCatalogue } from './helpers';

const catalogue = sampleCatalogue();
const fieldOf = (name: string) => catalogue.fields.get(name) as Field;
const numbers = {
  title: 'Sex <by> type',
  rowsAre: 'Sex',
  series: ['VCF', 'a "b", c'],
  rows: [
    { label: 'Female & others', counts: [3, 1] },
    { label: 'Male', counts: [0, 2] },
  ],
};

test('the numbers of a chart are CSV that spreadsheets read', () => {
  expect(toCsv(numbers)).toBe('Sex,VCF,"a ""b"", c"\r\nFemale & others,3,1\r\nMale,0,2\r\n');
  expect(toCsv({ ...numbers, series: [''], rows: [] })).toBe('Sex,Records\r\n');
});

test('no value of a chart is a formula of a spreadsheet', () => {
  const labels = ['=HYPERLINK("x")', '+1+1', '@a', '-5', '-', '-1; +2'];
  const rows = labels.map((label) => ({ label, counts: [1] }));
  const lines = toCsv({ ...numbers, series: [''], rows }).split('\r\n');
  expect(lines.slice(1, -1)).toEqual([`"'=HYPERLINK(""x"")",1`, "'+1+1,1", "'@a,1", '-5,1', '-,1', '-1; +2,1']);
});

test('the picture of a chart is a document of its own', () => {
  const svg = toSvg(drawingOf(numbers));
  expect(svg).toContain('Sex &#60;by&#62; type');
  expect(svg).toContain('Female &#38; others');
  expect(svg.match(/<rect /g)).toHaveLength(1 + 2 + 4);
});

test('each value of the second field has its own counts of the first', () => {
  const cross = {
    first: fieldOf('donors.gender'),
    bins: undefined,
    second: fieldOf('file_type'),
    values: ['VCF', 'BAM'],
  };
  const { query, variables } = crossRequest(catalogue, { op: 'and', content: [leaf('in', 'file_id', ['x'])] }, cross);
  expect(query.match(/aggregations/g)).toHaveLength(2);
  expect(variables.f1).toEqual({
    op: 'and',
    content: [leaf('in', 'file_id', ['x']), leaf('in', 'file_type', ['BAM'])],
  });
  const facet = (...buckets: [string, number][]) => ({
    donors__gender: { buckets: buckets.map(([key, doc_count]) => ({ key, doc_count })) },
  });
  const answer = { file: { c0: facet(['f', 1]), c1: facet(['m', 5], ['f', 2]) } };
  const rows = readCross(catalogue, cross, answer);
  expect(rows.map(({ label, counts }) => [label, counts])).toEqual([
    ['m', [0, 5]],
    ['f', [1, 2]],
  ]);
  expect(rows[0]?.choose(null)).toEqual({ op: 'and', content: [leaf('in', 'donors.gender', ['m'])] });
});
