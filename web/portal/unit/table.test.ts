import { expect, test } from 'vitest';

import { exactQuantity } from '../src/design/format';
import { readView } from '../src/explore/answer';
import { START } from '../src/explore/urlState';
import { viewRequest } from '../src/explore/viewQuery';
import { choices, shownColumns, tracks } from '../src/table/columns';
import { numbers } from '../src/table/pageNumbers';
import { rowsIn, within } from '../src/table/useRowWindow';
import { sampleCatalogue } from './helpers';

const catalogue = sampleCatalogue();

test('the first, the last and the neighbours of a page are offered by number', () => {
  expect(numbers(1, 1)).toEqual([1]);
  expect(numbers(1, 5)).toEqual([1, 2, 3, 4, 5]);
  expect(numbers(10, 20)).toEqual([1, null, 8, 9, 10, 11, 12, null, 20]);
  expect(numbers(21, 20)).toEqual([1, null, 19, 20]);
});

test('chosen widths stay, the others share what is free', () => {
  const columns = shownColumns(catalogue, [
    { name: 'file_id', width: 100 },
    { name: 'size', width: null },
  ]);
  expect(tracks(columns)).toMatch(/^100px minmax\((\d+)px, \1fr\)$/);
  expect(choices(columns)).toEqual([
    { name: 'file_id', width: 100 },
    { name: 'size', width: null },
  ]);
});

test('any field but a text can be sorted by, nested ones too', () => {
  const sortable = (name: string) => shownColumns(catalogue, [{ name, width: null }])[0]?.sortable;
  expect([sortable('donors.age'), sortable('title')]).toEqual([true, false]);
});

test('numbers are written with all their digits', () => {
  expect(exactQuantity(1_400_000_123, { unit: 'B', displayType: 'bytes' })).toBe('1,400,000,123 B');
  expect(exactQuantity(0.1234567, { unit: null, displayType: 'double' })).toBe('0.1234567');
});

test('the bytes of all matching records come with the page', () => {
  expect(viewRequest(catalogue, START, [], new Map()).query).toMatch(/sizes: aggregations\([^)]*\) \{\s+size \{ stats/);
  const answer = { file: { hits: { total: 1, edges: [] }, sizes: { size: { stats: { sum: 12 } } } } };
  expect(readView(catalogue, START, new Map(), answer).bytes).toBe(12);
  expect(readView(catalogue, START, new Map(), { file: { hits: { total: 1, edges: [] } } }).bytes).toBeNull();
});

test('the rows in sight are there, and never more than there are', () => {
  expect(rowsIn(0, 380, 38)).toEqual({ begin: 0, end: 22 });
  expect(rowsIn(3800, 380, 38)).toEqual({ begin: 88, end: 122 });
  expect(within({ begin: 88, end: 122 }, 100)).toEqual({ begin: 66, end: 100 });
  expect(within({ begin: 88, end: 122 }, 3)).toEqual({ begin: 0, end: 3 });
});
