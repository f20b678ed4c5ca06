import { expect, test } from 'vitest';

import { comparisonCsv, comparisonRequest, isNotable, readComparison } from '../src/compare/compare';
import { probability, shareTest, twoSided } from '../src/compare/statistics';
import { leaf } from '../src/query/sqon';
import { sampleCatalogue } from './helpers';

const catalogue = sampleCatalogue();

test('the test for a difference is that of textbooks', () => {
  expect(twoSided(1.96)).toBeCloseTo(0.05, 3);
  expect(twoSided(0)).toBeCloseTo(1, 6);
  // 45 of 100 against 30 of 100: z = 2.19.
  expect(shareTest(45, 100, 30, 100)).toBeCloseTo(0.0285, 3);
  expect(shareTest(5, 5, 7, 7)).toBeNull();
  expect(shareTest(0, 0, 7, 7)).toBeNull();
  expect([probability(0.0004), probability(0.25)]).toEqual(['< 0.001', '0.250']);
});

test('both sides are counted in one request', () => {
  const a = { op: 'and' as const, content: [leaf('in', 'file_type', ['VCF'])] };
  const { query, variables } = comparisonRequest(catalogue, a, null);
  expect(query.match(/aggregations\(/g)).toHaveLength(2);
  expect(variables).toEqual({ a, b: null, both: { op: 'and', content: [a] } });
});

test('values of both sides stand beside each other, the most frequent first', () => {
  const side = (...buckets: [string, number][]) => ({
    file_type: { buckets: buckets.map(([key, doc_count]) => ({ key, doc_count })) },
  });
  const compared = readComparison(catalogue, {
    file: {
      hitsA: { total: 10 },
      hitsB: { total: 100 },
      both: { total: 0 },
      a: side(['VCF', 9]),
      b: side(['BAM', 70], ['VCF', 10]),
    },
  });
  const [types] = compared.facets;
  expect(compared.facets).toHaveLength(1);
  expect(types?.values.map(({ text, counts }) => [text, counts])).toEqual([
    ['BAM', [0, 70]],
    ['VCF', [9, 10]],
  ]);
  expect(types && isNotable(types.values[1]?.p ?? null, types)).toBe(true);
  expect(comparisonCsv(compared)).toContain('File Type,VCF,9,90.0 %,10,10.0 %,< 0.001');
});
