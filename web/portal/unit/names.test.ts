import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { flatName } from '../src/api/catalogue';
import { graphqlText } from '../src/download/snippets';
import { readView } from '../src/explore/answer';
import { START } from '../src/explore/urlState';
import { viewRequest } from '../src/explore/viewQuery';
import { phrase } from '../src/query/describe';
import { leaf } from '../src/query/sqon';
import { valuesOfCell } from '../src/table/Cell';
import { selectable } from '../src/table/columns';
import { field, sampleCatalogue } from './helpers';

// The server is tested with the same names, most of which are random.
const file = new URL('names.json', import.meta.url);
const names = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;

test('fields have the names of the schema', () => {
  expect(Object.keys(names).length).toBeGreaterThan(200);
  expect(Object.fromEntries(Object.keys(names).map((name) => [name, flatName(name)]))).toEqual(names);
});

test('a field whose name another one has is asked for by the name that the server gave it', () => {
  const catalogue = sampleCatalogue();
  const column = selectable(catalogue).find(({ field }) => field.name === 'tumour-grade');
  if (!column) throw new Error('there is no such column');
  const taken = {
    catalogue,
    filter: null,
    sort: [],
    fields: [column.field],
    origin: 'http://h',
    total: 0,
    hasKey: false,
  };
  expect(graphqlText(taken)).toContain(' tumour_grade_2\n');
  const sorted = { ...START, sort: [{ fieldName: 'tumour-grade', desc: false }] };
  const { query, variables } = viewRequest(catalogue, sorted, [column.field], new Map());
  expect(query).toContain('node { id tumour_grade_2 file_id }');
  expect(query).toContain('tumour_grade_2 { bucket_count');
  expect(variables).toMatchObject({ sort: [{ fieldName: 'tumour-grade', order: 'asc' }] });

  const node = { id: '1', tumour_grade: 'other', tumour_grade_2: ['G1', 'G2'] };
  const counts = { bucket_count: 1, buckets: [{ key: 'G1', doc_count: 1 }] };
  const answer = {
    file: { hits: { total: 1, edges: [{ searchAfter: ['1'], node }] }, aggregations: { tumour_grade_2: counts } },
  };
  const { rows, terms } = readView(catalogue, START, new Map(), answer);
  expect(rows.map((row) => valuesOfCell(row, column))).toEqual([['G1', 'G2']]);
  expect(terms.get('tumour-grade')?.buckets).toEqual([{ value: 'G1', count: 1 }]);
});

test('a field of the name score is not taken for the score of a record', () => {
  const fields = { score: field('Score', 'integer'), field_score: field('Another', 'integer') };
  const catalogue = sampleCatalogue(fields);
  const column = selectable(catalogue).find(({ field }) => field.name === 'score');
  if (!column) throw new Error('there is no such column');
  const { query } = viewRequest(catalogue, START, [column.field], new Map());
  expect(query).toContain('node { id score: field_score_ file_id }');
  const node = { id: '1', score: 7 };
  const answer = { file: { hits: { total: 1, edges: [{ searchAfter: ['1'], node }] } } };
  const { rows } = readView(catalogue, START, new Map(), answer);
  expect(rows.map((row) => valuesOfCell(row, column))).toEqual([[7]]);
});

test('filters name fields by paths or by their names in GraphQL', () => {
  const catalogue = sampleCatalogue();
  const subject = (name: string) => phrase(leaf('in', name, ['x']), catalogue).subject;
  expect(['tumour-grade', 'tumour_grade_2', 'tumour_grade', 'donors__gender', 'id'].map(subject)).toEqual([
    'Grade of the tumour',
    'Grade of the tumour',
    'Tumour grade',
    'Gender',
    'Id',
  ]);
});

test('the id of a record is selected as such', () => {
  const catalogue = sampleCatalogue();
  const { query } = viewRequest(catalogue, START, [...catalogue.fields.values()].slice(-1), new Map());
  expect(query).toContain('node { id file_id }');
});
