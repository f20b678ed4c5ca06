import { expect, test } from 'vitest';

import type { Field } from '../src/api/catalogue';
import { dictionaryCsv, hasMeanings, percent, readEntry } from '../src/dictionary/dictionary';
import { sampleCatalogue } from './helpers';

const catalogue = sampleCatalogue();
const fieldOf = (name: string) => catalogue.fields.get(name) as Field;

test('a field has its type, how filled it is, and its values or range', () => {
  const gender = readEntry(
    catalogue,
    fieldOf('donors.gender'),
    {
      bucket_count: 4,
      buckets: [
        { key: 'f', doc_count: 5 },
        { key: 'm', doc_count: 2 },
        { key: '__missing__', doc_count: 1 },
      ],
    },
    10,
  );
  expect(gender).toMatchObject({
    type: 'keyword, of each of donors',
    filled: 0.9,
    distinct: 3,
    values: 'f, m, …',
    example: 'f',
  });
  const size = readEntry(catalogue, fieldOf('size'), { stats: { min: 5, max: 2e9 }, buckets: [] }, 10);
  expect(size).toMatchObject({ type: 'long, in B', filled: 1, distinct: null, values: '5 B to 2 GB' });
  expect(readEntry(catalogue, fieldOf('donors'), undefined, 10).filled).toBeNull();
});

test('meanings are shown where there are some', () => {
  expect(hasMeanings(catalogue)).toBe(false);
  const size = { ...fieldOf('size'), description: 'How much room it takes' };
  expect(hasMeanings({ ...catalogue, fields: new Map([['size', size]]) })).toBe(true);
});

test('shares are percentages that never claim more than there is', () => {
  expect([1, 0.999, 0.5, 0.001, 0, null].map(percent)).toEqual(['100 %', '99 %', '50 %', '<1 %', '0 %', '']);
});

test('a dictionary is a table for spreadsheets', () => {
  const facet = { bucket_count: 1, buckets: [{ key: 'a,b', doc_count: 1 }] };
  const entry = readEntry(catalogue, fieldOf('file_type'), facet, 1);
  expect(dictionaryCsv([entry], false)).toBe(
    'Name,Label,Type,Filled,Different values,Values,Example\r\nfile_type,File Type,keyword,100 %,1,"a,b","a,b"\r\n',
  );
  const described = { ...entry, field: { ...entry.field, description: 'How it is written' } };
  expect(dictionaryCsv([described], true)).toBe(
    'Name,Label,Meaning,Type,Filled,Different values,Values,Example\r\n' +
      'file_type,File Type,How it is written,keyword,100 %,1,"a,b","a,b"\r\n',
  );
});
