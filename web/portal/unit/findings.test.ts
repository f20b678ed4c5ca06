import { afterEach, expect, test, vi } from 'vitest';

import type { Field } from '../src/api/catalogue';
import { quantity, singular } from '../src/design/format';
import { countable, withFacets } from '../src/facets/chosenFacets';
import { withValue } from '../src/query/edit';
import { containing, fetchRecordValues, type Finding, grouped } from '../src/query/findings';
import { leaf } from '../src/query/sqon';
import { field, sampleCatalogue } from './helpers';

afterEach(() => vi.unstubAllGlobals());

const catalogue = sampleCatalogue({
  site: field('Site', 'text'),
  'site.keyword': { ...field('Site', 'keyword'), multiFieldOf: 'site' },
});
const fieldOf = (name: string) => catalogue.fields.get(name) as Field;
const finding = (name: string, text: string, records: number | null = null): Finding => ({
  field: fieldOf(name),
  label: fieldOf(name).label,
  value: text,
  text,
  records,
});

test('matches are grouped by field, the best first', () => {
  const found = grouped(
    [
      finding('file_type', 'Collung', 9),
      finding('site.keyword', 'Left lung', 3),
      finding('site.keyword', 'Lung', 2),
      finding('site', 'Lung'),
      finding('donors.gender', 'Female', 5),
    ],
    'LUNG',
  );
  expect(found.map(({ label, findings }) => [label, findings.map(({ text }) => text)])).toEqual([
    ['Site', ['Lung', 'Left lung']],
    ['File Type', ['Collung']],
  ]);
  expect(found[0]?.findings[0]?.records).toBe(2);
});

test('the name of a field finds its values', () => {
  const found = grouped([finding('donors.gender', 'Female', 5), finding('donors.gender', 'Male', 7)], 'gen');
  expect(found.map(({ findings }) => findings.map(({ text }) => text))).toEqual([['Male', 'Female']]);
});

test('everything with a text is asked of whole values', () => {
  const { content } = containing({ ...catalogue, quickFields: [fieldOf('site')] }, 'lung');
  expect(content).toEqual({
    fieldNames: ['site.keyword', 'file_type', 'donors.gender', 'tumour-grade'],
    value: '*lung*',
  });
});

test('values of records come from those that match best', async () => {
  const asked: string[] = [];
  vi.stubGlobal('sessionStorage', { getItem: () => null });
  vi.stubGlobal('fetch', (_: string, { body }: { body: string }) => {
    asked.push((JSON.parse(body) as { query: string }).query);
    const edges = ['Lung', 'Left lung', 'Lung'].map((site, id) => ({ node: { id: String(id), site } }));
    return Promise.resolve(new Response(JSON.stringify({ data: { file: { hits: { edges } } } })));
  });
  const quick = { ...catalogue, quickFields: [fieldOf('site')] };
  const found = await fetchRecordValues(quick, 'lung', new AbortController().signal);
  expect(asked).toEqual([expect.stringContaining('sort: [{fieldName: "_score", order: desc}]')]);
  expect(found.map(({ value }) => value)).toEqual(['Lung', 'Left lung']);
});

test('a value is added to those that were chosen', () => {
  const one = withValue(null, 'file_type', 'VCF', catalogue.nesting);
  expect(withValue(one, 'file_type', 'BAM', catalogue.nesting)?.content).toEqual([
    leaf('in', 'file_type', ['VCF', 'BAM']),
  ]);
});

test('any field that can be counted is a facet or a chart', () => {
  expect(countable(catalogue).map((facet) => facet.field.name)).toContain('is_open');
  expect(countable(catalogue).map((facet) => facet.field.name)).not.toContain('title');
  const charts = [{ field: 'donors.age', form: 'steps' }];
  const { facets } = withFacets(catalogue, { facets: ['is_open', 'gone'], charts, cross: null });
  expect(facets.map((facet) => [facet.field.name, facet.inPanel])).toEqual([
    ['is_open', true],
    ['donors.age', false],
  ]);
  expect(withFacets(catalogue, { facets: null, charts: null, cross: null })).toBe(catalogue);
});

test('numbers and nouns read as people write them', () => {
  expect(quantity(2019, { unit: null, displayType: 'year' })).toBe('2019');
  expect(quantity(0.00042, { unit: null, displayType: 'double' })).toBe('0.00042');
  expect(quantity(12.345, { unit: null, displayType: 'double' })).toBe('12.35');
  expect(['donors', 'analyses', 'studies', 'boxes', 'species', 'status', 'cases'].map(singular)).toEqual([
    'donor',
    'analysis',
    'study',
    'box',
    'species',
    'status',
    'case',
  ]);
});
