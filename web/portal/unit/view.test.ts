import { expect, test } from 'vitest';

import { readNetwork, readValues, readView } from '../src/explore/answer';
import { START } from '../src/explore/urlState';
import {
  extentRequest,
  isByRelevance,
  networkRequest,
  readExtent,
  valuesRequest,
  viewRequest,
} from '../src/explore/viewQuery';
import { barOf, stepShares, textOf, valueShares } from '../src/network/shares';
import { dateBins, numberBelow, numberBins } from '../src/facets/bins';
import { phrase, sentence } from '../src/query/describe';
import { leaf } from '../src/query/sqon';
import { sampleCatalogue } from './helpers';

const catalogue = sampleCatalogue();
const extent = readExtent(catalogue, {
  file: { hits: { total: 10 }, aggregations: { size: { stats: { min: 0, max: 99 } } } },
});

test('texts that are cut into words are no facets', () => {
  expect(catalogue.facets.map(({ field }) => field.name)).toEqual([
    'file_type',
    'size',
    'donors.gender',
    'tumour-grade',
  ]);
});

test('one request has the page and all facets', () => {
  const { query } = viewRequest(catalogue, START, [], extent.bins);
  expect(query.match(/hits\(/g)).toHaveLength(1);
  for (const part of ['file_type { bucket_count', 'donors__gender { bucket_count', 'size { range('])
    expect(query).toContain(part);
});

test('pages are numbered up to the window and follow cursors beyond it', () => {
  const variables = (state: object) => viewRequest(catalogue, { ...START, ...state }, [], extent.bins).variables;
  expect(variables({ page: 5 })).toMatchObject({ offset: 80, searchAfter: null });
  expect(variables({ page: 6, after: ['b', 'id'] })).toMatchObject({
    offset: 0,
    searchAfter: ['b', 'id'],
    sort: [{ fieldName: 'file_id', order: 'asc' }],
  });
  expect(variables({ page: 6, before: ['b', 'id'] })).toMatchObject({
    searchAfter: ['b', 'id', 'id'],
    sort: [
      { fieldName: 'file_id', order: 'desc' },
      { fieldName: 'id', order: 'desc' },
    ],
  });
});

test('what quick search finds comes by relevance, until another order is chosen', () => {
  const sought = { op: 'wildcard' as const, content: { fieldNames: ['file_id', 'title'], value: '*x*' } };
  const found = { ...START, filter: { op: 'and' as const, content: [leaf('in', 'file_type', ['bam']), sought] } };
  const sortIn = (state: typeof START) => viewRequest(catalogue, state, [], extent.bins).variables.sort;
  const best = { fieldName: '_score', order: 'desc' };
  expect(sortIn(found)).toEqual([best, { fieldName: 'file_id', order: 'asc' }]);
  expect(sortIn({ ...found, sort: [] })).toEqual([best]);
  expect(sortIn({ ...found, page: 6, before: [1.5, 'b', 'id'] })).toEqual([
    { fieldName: '_score', order: 'asc' },
    { fieldName: 'file_id', order: 'desc' },
    { fieldName: 'id', order: 'desc' },
  ]);
  expect(sortIn({ ...found, sort: [{ fieldName: 'size', desc: true }] })).toEqual([
    { fieldName: 'size', order: 'desc' },
  ]);
  const excluded = { op: 'not' as const, content: [sought] };
  expect(isByRelevance({ ...START, filter: { op: 'and', content: [excluded] } })).toBe(false);
  expect(isByRelevance(START)).toBe(false);
});

test('a page that was fetched backwards is shown forwards', () => {
  const edge = (id: string) => ({ searchAfter: [id, id, id], node: { id } });
  const answer = { file: { hits: { total: 9, edges: [edge('c'), edge('b')] } } };
  const view = readView(catalogue, { ...START, page: 9, before: ['d', 'd'] }, extent.bins, answer);
  expect(view.rows.map(({ id, cursor }) => [id, cursor])).toEqual([
    ['b', ['b', 'b']],
    ['c', ['c', 'c']],
  ]);
});

const networkFields = new Map([
  ['file_type', 'Aggregations'],
  ['size', 'NumericAggregations'],
]);

test('a network is asked for the fields that it has, and its counts are those of all nodes and of each', () => {
  const networked = { ...catalogue, networkFields };
  const stats = { nodes: [{ hits: 3 }, { hits: 4 }], aggregations: { size: { stats: { min: 0, max: 20 } } } };
  expect(extentRequest(networked, true).query).toContain(
    'network(maxAge: 120) { nodes { hits } aggregations { size { stats',
  );
  const { total, bins } = readExtent(networked, { network: stats }, true);
  expect([total, [...bins.keys()]]).toEqual([7, ['size']]);
  const { query } = networkRequest(networked, START, bins);
  expect(query.match(/file_type \{ bucket_count/g)).toHaveLength(2);
  expect(query.match(/size \{ range\(/g)).toHaveLength(2);
  expect(query).not.toContain('donors__gender');
  expect(networkRequest(networked, START, new Map()).query).not.toContain('size');

  const steps = (counts: number[]) => ({ range: { buckets: counts.map((count) => ({ key: '', doc_count: count })) } });
  const types = (counts: Record<string, number>) => ({
    bucket_count: Object.keys(counts).length,
    buckets: Object.entries(counts).map(([key, count]) => ({ key, doc_count: count })),
  });
  const node = { nodeId: 'a', name: 'A', hits: 3, errors: '', contributed: true, missingFields: [], link: '/a' };
  const failed = { ...node, nodeId: 'b', name: 'B', hits: 0, errors: 'it failed', contributed: false, link: null };
  const view = readNetwork(networked, bins, {
    network: {
      complete: false,
      suppressedBelow: null,
      nodes: [
        { ...node, aggregations: { file_type: types({ BAM: 2 }), size: steps([2, 1]) } },
        { ...failed, aggregations: null },
        { ...node, nodeId: 'c', name: 'C', aggregations: { file_type: types({ BAM: 6 }), size: steps([0, 4]) } },
      ],
      aggregations: {
        file_type: types({ BAM: 8, ___aggregation_not_available___: 5 }),
        size: steps([2, 5]),
      },
    },
  });
  expect([view.total, view.rows.length, view.network?.complete]).toEqual([6, 0, false]);
  expect(view.terms.get('file_type')).toEqual({ buckets: [{ value: 'BAM', count: 8 }], distinct: 1 });
  expect(view.steps.get('size')?.slice(0, 2)).toEqual([2, 5]);
  const shares = valueShares(view.network, 'file_type', 'BAM');
  expect(shares.map(({ name, from, to }) => [name, to - from])).toEqual([
    ['A', 2],
    ['C', 6],
  ]);
  expect(barOf(shares, 'right')).toBe(
    'linear-gradient(to right, var(--series-0) 0.00% 25.00%, var(--series-2) 25.00% 100.00%)',
  );
  expect(textOf(stepShares(view.network, 'size', 0))).toBe('A: 2');
  expect([barOf([], 'top'), textOf(valueShares(null, 'file_type', 'BAM'))]).toEqual([undefined, undefined]);
});

test('all values of a facet are those of the network where the page shows it', () => {
  const networked = { ...catalogue, networkFields };
  const field = networked.findField('file_type');
  if (!field) throw new Error('The sample has no file types.');
  const own = valuesRequest(networked, START, field, 10);
  expect(own.query).toContain('file { aggregations(filters: $filters, aggregations_filter_themselves: false)');
  const asked = valuesRequest(networked, { ...START, view: 'network' }, field, 10);
  expect(asked.query).toContain('network(filters: $filters) { aggregations { file_type { buckets(max: 10)');
  const answer = { network: { aggregations: { file_type: { buckets: [{ key: 'BAM', doc_count: 2 }] } } } };
  expect(readValues(networked, answer, field, true)).toEqual([{ value: 'BAM', count: 2 }]);
});

test('steps hold every value and stand at round numbers', () => {
  const { edges } = numberBins(18, 88, true);
  expect(edges[0]).toBeLessThanOrEqual(18);
  expect(edges.at(-1)).toBeGreaterThan(88);
  expect(new Set(edges.slice(1).map((edge, index) => edge - (edges[index] ?? 0)))).toEqual(new Set([5]));
  const wide = numberBins(100, 3e9, true);
  expect(wide.isLogarithmic).toBe(true);
  expect(wide.edges.slice(0, 4)).toEqual([100, 200, 500, 1000]);
  expect(numberBins(5, 5, true).edges).toEqual([5, 6]);
});

test('a step of fractions ends just before the next one', () => {
  for (const value of [0.2, 5, 1e9, -3.5, 0]) {
    const below = numberBelow(value, 'double');
    expect(below).toBeLessThan(value);
    expect((below + value) / 2 === below || (below + value) / 2 === value).toBe(true);
    const single = numberBelow(value, 'float');
    expect(Math.fround(single)).toBeLessThan(Math.fround(value));
  }
});

test('steps of time follow the calendar', () => {
  const { edges } = dateBins(Date.UTC(2018, 1, 3), Date.UTC(2024, 11, 30));
  expect(new Date(edges[0] ?? 0).toISOString()).toBe('2018-01-01T00:00:00.000Z');
  expect(new Date(edges[1] ?? 0).toISOString()).toBe('2018-04-01T00:00:00.000Z');
  expect(edges.at(-1)).toBeGreaterThan(Date.UTC(2024, 11, 30));
});

test('a filter reads as a sentence', () => {
  expect(
    sentence(
      {
        op: 'and',
        content: [leaf('in', 'file_type', ['VCF', 'BAM']), { op: 'not', content: [leaf('gte', 'size', 5e9)] }],
      },
      catalogue,
    ),
  ).toBe('File Type is any of VCF or BAM and not (Size is at least 5 GB)');
  expect(phrase(leaf('between', 'donors.age', [1, 60]), catalogue).values.map(({ text }) => text)).toEqual([
    '1 year',
    '60 years',
  ]);
  expect(phrase(leaf('in', 'is_open', [true]), catalogue).values[0]?.text).toBe('Yes');
  const ofSet = leaf('in', 'file_id', ['set_id:abc']);
  const names = new Map([['abc', 'Mine']]);
  expect(phrase(ofSet, catalogue, names).values[0]?.text).toBe('set “Mine”');
  expect(sentence({ op: 'not', content: [ofSet] }, catalogue, names)).toBe('not (File ID is in set “Mine”)');
});
