import { expect, test } from 'vitest';

import { phrase, sentence } from '../src/query/describe';
import { type Group, leaf, parse, type Sqon } from '../src/query/sqon';
import { loadTexts } from '../src/texts';
import { sampleCatalogue } from './helpers';

await loadTexts('de');

const catalogue = sampleCatalogue();
const and = (...content: Sqon[]): Group => ({ op: 'and', content });
const say = (root: Group) => sentence(root, catalogue);

const FEMALE = leaf('in', 'donors.gender', ['Female']);
const MALE = leaf('in', 'donors.gender', ['Male']);
const VCF = leaf('in', 'file_type', ['VCF']);

test('bound, apart and negated conditions read differently in German', () => {
  expect(say(and(VCF, { op: 'and', content: [FEMALE, MALE], pivot: 'donors' }))).toBe(
    'File Type ist VCF und es gibt einen Eintrag „donor“ mit (Gender ist Female und Gender ist Male)',
  );
  expect(say(and(FEMALE, MALE))).toBe(
    'es gibt irgendeinen Eintrag „donor“ mit Gender ist Female und es gibt irgendeinen Eintrag „donor“ mit Gender ist Male',
  );
  expect(say(and({ op: 'not', content: [FEMALE, MALE], pivot: 'donors' }))).toBe(
    'es gibt keinen Eintrag „donor“ mit (Gender ist Female und Gender ist Male)',
  );
  expect(say(and({ op: 'not', content: [VCF, { op: 'or', content: [VCF, FEMALE] }] }))).toBe(
    'nicht (File Type ist VCF oder (File Type ist VCF oder Gender ist Female))',
  );
});

test('values are joined as German does', () => {
  expect(say(and(leaf('in', 'file_type', ['VCF', 'BAM'])))).toBe('File Type ist VCF oder BAM');
  expect(say(and(leaf('not-in', 'file_type', ['VCF', 'BAM'])))).toBe('File Type ist weder VCF noch BAM');
  expect(say(and(leaf('not-in', 'file_type', ['VCF'])))).toBe('File Type ist nicht VCF');
  expect(say(and(leaf('not-in', 'file_id', ['set_id:one', 'set_id:two'])))).toBe(
    'File ID ist nicht in Menge „one“ oder Menge „two“',
  );
  expect(say(and(leaf('all', 'file_type', ['VCF', 'BAM'])))).toBe('File Type hat alle Werte VCF und BAM');
  expect(say(and(leaf('between', 'released_at', ['2020-01-01', '2021-01-01'])))).toBe(
    'Released liegt zwischen 2020-01-01 und 2021-01-01',
  );
});

test('bounds of dates and numbers have their own words', () => {
  const verb = (op: 'gt' | 'gte' | 'lt' | 'lte', name: string) => phrase(leaf(op, name, 5), catalogue).verb;
  expect((['gt', 'gte', 'lt', 'lte'] as const).map((op) => verb(op, 'released_at'))).toEqual([
    'liegt nach',
    'ist frühestens',
    'liegt vor',
    'ist spätestens',
  ]);
  expect((['gt', 'gte', 'lt', 'lte'] as const).map((op) => verb(op, 'size'))).toEqual([
    'ist größer als',
    'ist mindestens',
    'ist kleiner als',
    'ist höchstens',
  ]);
});

test('mistakes in a filter are named in German', () => {
  expect(() => parse('[]')).toThrow('Am Anfang: Erwartet wird ein Objekt mit „op“ und „content“.');
  expect(() => parse('{"op":"near","content":{}}')).toThrow('Bei /op: Erwartet wird ein Operator');
});
