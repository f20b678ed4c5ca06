import { expect, test } from 'vitest';

import { type ExploreState, fromStart, readState, START, writeState } from '../src/explore/urlState';
import { leaf } from '../src/query/sqon';

const full: ExploreState = {
  filter: { op: 'and', content: [leaf('in', 'file_type', ['VCF', 'a&b=c,d~e "ü"']), leaf('between', 'size', [1, 2])] },
  sort: [
    { fieldName: 'size', desc: true },
    { fieldName: 'donors.age', desc: false },
  ],
  columns: [
    { name: 'file_id', width: null },
    { name: 'size', width: 140 },
  ],
  facets: ['file_type', 'donors.age'],
  charts: [{ field: 'donors.gender', form: 'treemap' }],
  cross: { first: 'donors.age', second: 'file_type', form: 'stacked' },
  view: 'charts',
  size: 100,
  page: 7,
  after: [12.5, 'x', null],
  before: null,
};

test('everything that was chosen survives the address', () => {
  expect(readState(writeState(full))).toEqual({ state: full, problem: null });
});

test('what is as configured is not in the address', () => {
  expect(writeState(START)).toBe('');
  expect(readState('').state).toEqual(START);
});

test('an empty list of sorts is a choice too', () => {
  expect(readState(writeState({ ...START, sort: [] })).state.sort).toEqual([]);
});

test('an address that was cut off is told, and the rest of it counts', () => {
  const { state, problem } = readState('?filter=%7B%22op%22&size=50&page=-3&after=oops&columns=a~9,b');
  expect(problem).toContain('filter');
  expect(state).toMatchObject({
    filter: null,
    size: 50,
    page: 1,
    after: null,
    columns: [
      { name: 'a', width: null },
      { name: 'b', width: null },
    ],
  });
});

test('another filter begins at the first page', () => {
  expect(fromStart(full, { filter: null })).toMatchObject({ page: 1, after: null, before: null, sort: full.sort });
});
