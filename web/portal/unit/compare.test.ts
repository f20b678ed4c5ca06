import { expect, test } from 'vitest';

import { comparisonCsv, comparisonRequest, isNotable, readComparison } from '../src/compare/compare';
import { distributionTest, probability, shareTest, twoSided } from '../src/compare/statistics';
import { numberBins } from '../src/facets/bins';
import { leaf } from '../src/query/sqon';
import { sampleCatalogue } from './helpers';

const catalogue = sampleCatalogue();
const bins = new Map([['size', numberBins(0, 2, true)]]);

test('the test for a difference is that of textbooks', () => {
  expect(twoSided(1.96)).toBeCloseTo(0.05, 3);
  expect(twoSided(0)).toBeCloseTo(1, 6);
  // 45 of 100 against 30 of 100: z = 2.19.
  expect(shareTest(45, 100, 30, 100)).toBeCloseTo(0.0285, 3);
  expect(shareTest(5, 5, 7, 7)).toBeNull();
  expect(shareTest(0, 0, 7, 7)).toBeNull();
  expect([probability(0.0004), probability(0.25)]).toEqual(['< 0.001', '0.250']);
});

test('the test for a difference of distributions is that of textbooks', () => {
  // D = 0.25 and n = 100 on both sides: λ = 1.80.
  expect(distributionTest([50, 50], [25, 75])).toBeCloseTo(0.00303, 4);
  // D = 0.19: λ = 1.37, near the critical value 1.36 of 5 %.
  expect(distributionTest([50, 50], [31, 69])).toBeCloseTo(0.0471, 3);
  expect(distributionTest([3, 4], [3, 4])).toBe(1);
  expect(distributionTest([0, 0], [3, 4])).toBeNull();
});

test('both sides are counted in one request', () => {
  const a = { op: 'and' as const, content: [leaf('in', 'file_type', ['VCF'])] };
  const { query, variables } = comparisonRequest(catalogue, bins, a, null);
  expect(query.match(/aggregations\(/g)).toHaveLength(2);
  expect(query.match(/size \{ range\(ranges: \[\{from: 0, to: 1, key: "0"\}/g)).toHaveLength(2);
  expect(comparisonRequest(catalogue, new Map(), a, null).query).not.toContain('size');
  expect(variables).toEqual({ a, b: null, both: { op: 'and', content: [a] } });
});

test('values of both sides stand beside each other, the most frequent first', () => {
  const side = (...buckets: [string, number][]) => ({
    file_type: { buckets: buckets.map(([key, doc_count]) => ({ key, doc_count })) },
  });
  const compared = readComparison(catalogue, bins, {
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

test('numbers of both sides are counted in the same steps', () => {
  const side = (...counts: number[]) => ({
    size: { range: { buckets: counts.map((doc_count, step) => ({ key: String(step), doc_count })) } },
  });
  const compared = readComparison(catalogue, bins, {
    file: {
      hitsA: { total: 100 },
      hitsB: { total: 100 },
      both: { total: 0 },
      a: side(50, 0, 50),
      b: side(25, 0, 75),
    },
  });
  const [size] = compared.facets;
  expect(compared.facets).toHaveLength(1);
  expect(size?.values.map(({ text, counts }) => [text, counts])).toEqual([
    ['0 B to 1 B', [50, 25]],
    ['2 B to 3 B', [50, 75]],
  ]);
  expect(size?.p).toBeCloseTo(0.00303, 4);
  expect(comparisonCsv(compared)).toContain('Size,Whole distribution,,,,,0.003');
});
