import { expect, test } from 'vitest';

import { START } from '../src/explore/urlState';
import { countsOwnFilter, viewRequest } from '../src/explore/viewQuery';
import { sentence } from '../src/query/describe';
import {
  bindAt,
  filterOf,
  rangeOf,
  replaceAt,
  takeApart,
  withFilter,
  withoutField,
  withRange,
} from '../src/query/edit';
import { forCounts } from '../src/query/elements';
import { type Group, leaf, type Sqon } from '../src/query/sqon';
import { field, sampleCatalogue } from './helpers';

const catalogue = sampleCatalogue({
  'donors.vital': field('Vital status', 'keyword'),
  'donors.specimens': field('Specimens', 'nested'),
  'donors.specimens.site': field('Site', 'keyword'),
  'donors.specimens.type': field('Type', 'keyword'),
  'donors.specimens.samples': field('Samples', 'nested'),
  'donors.specimens.samples.kind': field('Kind', 'keyword'),
  'donors.exposures': field('Exposures', 'nested'),
  'donors.exposures.agent': field('Agent', 'keyword'),
});
const { nesting } = catalogue;
const and = (...content: Sqon[]): Group => ({ op: 'and', content });
const bound = (pivot: string, ...content: Sqon[]): Group => ({ op: 'and', content, pivot });
const choose = (root: Group | null, name: string, ...values: string[]) =>
  withFilter(root, name, { mode: 'include', values }, nesting);

const FEMALE = leaf('in', 'donors.gender', ['Female']);
const OLD = leaf('gte', 'donors.age', 50);
const LUNG = leaf('in', 'donors.specimens.site', ['Lung']);
const TUMOUR = leaf('in', 'donors.specimens.type', ['Tumour']);
const DNA = leaf('in', 'donors.specimens.samples.kind', ['DNA']);
const SMOKE = leaf('in', 'donors.exposures.agent', ['Smoke']);
const VCF = leaf('in', 'file_type', ['VCF']);

test('two conditions on one list are bound to one element', () => {
  const alone = choose(and(VCF), 'donors.gender', 'Female');
  expect(alone).toEqual(and(VCF, FEMALE));
  const both = withRange(alone, 'donors.age', { from: 50, to: null }, nesting);
  expect(both).toEqual(and(VCF, bound('donors', FEMALE, OLD)));
  expect(filterOf(both, 'donors.gender').values).toEqual(['Female']);
  expect(rangeOf(both, 'donors.age')).toEqual({ from: 50, to: null });
  expect(choose(both, 'donors.gender', 'Female', 'Male')).toEqual(
    and(VCF, bound('donors', leaf('in', 'donors.gender', ['Female', 'Male']), OLD)),
  );
  expect(withoutField(both, 'donors.age', nesting)).toEqual(and(VCF, FEMALE));
});

test('lists within lists are bound at each level', () => {
  let root = choose(null, 'donors.specimens.site', 'Lung');
  root = choose(root, 'donors.exposures.agent', 'Smoke');
  expect(root).toEqual(bound('donors', LUNG, SMOKE));
  root = choose(root, 'donors.specimens.samples.kind', 'DNA');
  expect(root).toEqual(bound('donors', bound('donors.specimens', LUNG, DNA), SMOKE));
  root = choose(root, 'donors.gender', 'Female');
  root = choose(root, 'donors.specimens.type', 'Tumour');
  expect(root).toEqual(bound('donors', bound('donors.specimens', LUNG, DNA, TUMOUR), SMOKE, FEMALE));
  expect(choose(choose(and(LUNG), 'donors.specimens.type', 'Tumour'), 'donors.gender', 'Female')).toEqual(
    bound('donors', bound('donors.specimens', LUNG, TUMOUR), FEMALE),
  );
});

test('excluding speaks of all elements and is never bound', () => {
  const excluded = withFilter(and(OLD), 'donors.gender', { mode: 'exclude', values: ['Male'] }, nesting);
  const none = leaf('some-not-in', 'donors.gender', ['Male']);
  expect(excluded).toEqual(and(OLD, none));
  const both = bound('donors', FEMALE, OLD);
  expect(withFilter(both, 'donors.gender', { mode: 'exclude', values: ['Male'] }, nesting)).toEqual(and(OLD, none));
  expect(choose(excluded, 'donors.gender', 'Female')).toEqual(bound('donors', OLD, FEMALE));
});

test('bound conditions are taken apart and bound again', () => {
  const together = and(VCF, bound('donors', FEMALE, OLD));
  const apart = takeApart(together, [1]);
  expect(apart).toEqual(and(VCF, FEMALE, OLD));
  expect(bindAt(apart as Group, [], 'donors', nesting)).toEqual(together);
  expect(takeApart(bound('donors', FEMALE, OLD), [])).toEqual(and(FEMALE, OLD));
  expect(choose(apart, 'donors.vital', 'Alive')).toEqual(and(VCF, FEMALE, OLD, leaf('in', 'donors.vital', ['Alive'])));
  expect(bindAt(and(LUNG, FEMALE, TUMOUR), [], 'donors', nesting)).toEqual(
    bound('donors', bound('donors.specimens', LUNG, TUMOUR), FEMALE),
  );
});

test('a bound group of one stays where it says more than its part', () => {
  const none = leaf('some-not-in', 'donors.gender', ['Male']);
  expect(replaceAt(bound('donors', none, OLD), [1], null)).toEqual(bound('donors', none));
  expect(replaceAt(bound('donors', FEMALE, OLD), [1], null)).toEqual(and(FEMALE));
});

test('bound, apart and negated conditions read differently', () => {
  const say = (root: Group) => sentence(root, catalogue);
  expect(say(and(FEMALE))).toBe('Gender is Female');
  expect(say(and(VCF, bound('donors', FEMALE, OLD)))).toBe(
    'File Type is VCF and a donor with (Gender is Female and Age is at least 50 years)',
  );
  expect(say(and(FEMALE, OLD))).toBe('any donor with Gender is Female and any donor with Age is at least 50 years');
  expect(say(and({ op: 'not', content: [FEMALE, OLD], pivot: 'donors' }))).toBe(
    'no donor with (Gender is Female and Age is at least 50 years)',
  );
  expect(say(bound('donors', SMOKE, bound('donors.specimens', LUNG, TUMOUR)))).toBe(
    'a donor with (Agent is Smoke and a specimen with (Site is Lung and Type is Tumour))',
  );
});

test('counts are asked for so that they are what a click finds', () => {
  expect(forCounts(and(FEMALE, VCF), nesting)).toEqual(and(FEMALE, VCF));
  expect(forCounts(and(LUNG), nesting)).toEqual(and(bound('donors', LUNG)));
  expect(forCounts(and(FEMALE, OLD), nesting)).toEqual(
    and({ op: 'or', content: [FEMALE] }, { op: 'or', content: [OLD] }),
  );
  expect(forCounts(bound('donors', FEMALE, DNA), nesting)).toEqual(
    and(bound('donors', FEMALE, bound('donors.specimens', DNA))),
  );
  expect(forCounts(bound('donors', FEMALE, OLD, VCF), nesting)).toEqual(and(bound('donors', FEMALE, OLD), VCF));
  const either: Group = { op: 'or', content: [FEMALE, VCF] };
  expect(forCounts(either, nesting)).toEqual(either);
});

test('a facet counts within conditions that it does not show', () => {
  const kind = catalogue.fields.get('file_type');
  const says = (filter: Group) => kind && countsOwnFilter(catalogue, filter, kind);
  expect(says(and(VCF))).toBe(false);
  expect(says(and(FEMALE))).toBe(false);
  const alternatives = and({ op: 'or', content: [VCF, FEMALE] });
  expect(says(alternatives)).toBe(true);
  const { query } = viewRequest(catalogue, { ...START, filter: alternatives }, [], new Map());
  expect(query).toMatch(/mentioned: aggregations\([^)]*themselves: true\) \{\s+file_type \{/);
});
