import { expect, test } from 'vitest';

import {
  filterOf,
  joinNext,
  negate,
  rangeOf,
  replaceAt,
  setPivot,
  switchGroup,
  toggled,
  ungroup,
  withFilter,
  withoutValue,
  withPart,
  withRange,
} from '../src/query/edit';
import { type Group, leaf, parse } from '../src/query/sqon';

const VCF = leaf('in', 'file_type', ['VCF']);
const OPEN = leaf('in', 'access', ['open']);
const BIG = leaf('gte', 'size', 5);
const and = (...content: Group['content']): Group => ({ op: 'and', content });
const or = (...content: Group['content']): Group => ({ op: 'or', content });
const nesting = (field: string) => (field.startsWith('donors.') ? ['donors'] : []);

test('a facet adds, changes and removes its own condition in its place', () => {
  let root = withFilter(null, 'file_type', { mode: 'include', values: ['VCF'] }, nesting);
  expect(root).toEqual(and(VCF));
  root = withFilter(and(VCF, OPEN), 'file_type', toggled(filterOf(and(VCF, OPEN), 'file_type'), 'BAM'), nesting);
  expect(root).toEqual(and(leaf('in', 'file_type', ['VCF', 'BAM']), OPEN));
  expect(withFilter(and(VCF, OPEN), 'file_type', { mode: 'include', values: [] }, nesting)).toEqual(and(OPEN));
  expect(withFilter(and(VCF), 'file_type', { mode: 'include', values: [] }, nesting)).toBeNull();
});

test('excluding in a nested field means that no element has the value', () => {
  expect(withFilter(null, 'donors.gender', { mode: 'exclude', values: ['Male'] }, nesting)).toEqual(
    and(leaf('some-not-in', 'donors.gender', ['Male'])),
  );
  expect(filterOf(and(leaf('some-not-in', 'donors.gender', ['Male'])), 'donors.gender')).toEqual({
    mode: 'exclude',
    values: ['Male'],
  });
  expect(withFilter(null, 'file_type', { mode: 'exclude', values: ['VCF'] }, nesting)).toEqual(
    and(leaf('not-in', 'file_type', ['VCF'])),
  );
});

test('bounds are read from all forms and written in the shortest', () => {
  expect(rangeOf(and(leaf('gte', 'size', 1), leaf('lt', 'size', 9)), 'size')).toEqual({ from: 1, to: 9 });
  expect(withRange(and(OPEN, BIG), 'size', { from: 1, to: 2 }, nesting)).toEqual(
    and(OPEN, leaf('between', 'size', [1, 2])),
  );
  expect(withRange(and(BIG), 'size', { from: null, to: 3 }, nesting)).toEqual(and(leaf('lte', 'size', 3)));
  expect(withRange(and(BIG), 'size', { from: null, to: null }, nesting)).toBeNull();
});

test('a condition beside alternatives narrows them all', () => {
  expect(withPart(or(VCF, OPEN), BIG, nesting)).toEqual(and(or(VCF, OPEN), BIG));
  expect(withPart(and(VCF), VCF, nesting)).toEqual(and(VCF));
  const chosen = withFilter(or(VCF, OPEN), 'study', { mode: 'include', values: ['S'] }, nesting);
  expect(chosen).toEqual(and(or(VCF, OPEN), leaf('in', 'study', ['S'])));
  expect(withFilter(chosen, 'study', { mode: 'include', values: [] }, nesting)).toEqual(or(VCF, OPEN));
});

test('and becomes or, and a pivot goes with it', () => {
  expect(switchGroup({ ...and(VCF, OPEN), pivot: 'donors' }, [])).toEqual(or(VCF, OPEN));
  expect(switchGroup(and(VCF, or(OPEN, BIG)), [1])).toEqual(and(VCF, and(OPEN, BIG)));
});

test('conditions are negated where they stand, and back', () => {
  const nested = () => false;
  expect(negate(and(VCF, OPEN), [0], nested)).toEqual(and(leaf('not-in', 'file_type', ['VCF']), OPEN));
  const once = negate(and(BIG, OPEN), [0], nested);
  expect(once).toEqual(and({ op: 'not', content: [BIG] }, OPEN));
  expect(negate(once as Group, [0], nested)).toEqual(and(BIG, OPEN));
  const group = negate(and(or(VCF, BIG), OPEN), [0], nested);
  expect(negate(group as Group, [0], nested)).toEqual(and(or(VCF, BIG), OPEN));
});

test('neighbours are put in brackets and taken out of them', () => {
  const joined = joinNext(and(VCF, OPEN, BIG), [0], 'or');
  expect(joined).toEqual(and(or(VCF, OPEN), BIG));
  expect(ungroup(joined as Group, [0])).toEqual(and(VCF, OPEN, BIG));
  expect(joinNext(joined as Group, [0], 'or')).toEqual(or(VCF, OPEN, BIG));
});

test('removing the last value removes the condition, and empty groups with it', () => {
  expect(withoutValue(and(or(VCF, OPEN), BIG), [0, 0], 'VCF')).toEqual(and(OPEN, BIG));
  expect(replaceAt(and(or(VCF, OPEN)), [0], null)).toBeNull();
});

test('a pivot binds and is set free', () => {
  const bound = setPivot(and(VCF, OPEN), [], 'donors');
  expect(bound).toEqual({ op: 'and', content: [VCF, OPEN], pivot: 'donors' });
  expect(setPivot(bound as Group, [], null)).toEqual(and(VCF, OPEN));
});

test('filters from elsewhere are read with their other spellings, and mistakes are named', () => {
  expect(parse('{"op":">=","content":{"field":"size","value":5}}')).toEqual(and(BIG));
  expect(parse('{"op":"filter","content":{"fieldName":"name","value":"*x*"}}')).toEqual(
    and({ op: 'wildcard', content: { fieldNames: ['name'], value: '*x*' } }),
  );
  expect(parse('{}')).toBeNull();
  expect(() => parse('{"op":"and","content":[{"op":"near","content":{}}]}')).toThrow('/content/0/op');
  expect(() => parse('[]')).toThrow('op');
});
