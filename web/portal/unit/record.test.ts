import { expect, test } from 'vitest';

import type { Column } from '../src/api/catalogue';
import { gibibytes } from '../src/design/format';
import { fullText } from '../src/record/fullText';
import { relationsOf, valuesAt } from '../src/record/related';
import { field, sampleCatalogue } from './helpers';

const files = sampleCatalogue({
  analysisId: field('Analysis ID', 'keyword'),
  'donors.donor_id': field('Donor ID', 'keyword'),
});
const donors = { ...sampleCatalogue({ donorId: field('Donor', 'keyword') }), id: 'donors' };
const document = { file_id: 'F1', analysisId: 'A1', donors: [{ donor_id: 'D1' }, { donor_id: 'D2' }] };
const columnOf = (name: string): Column => {
  const found = files.fields.get(name);
  if (!found) throw new Error(`There is no field ${name}.`);
  const { label, displayType } = found;
  return { field: found, label, displayType, displayFormat: null, show: true, sortable: true, canChangeShow: true };
};

test('values are found through lists', () => {
  expect(valuesAt(document, ['donors', 'donor_id'])).toEqual(['D1', 'D2']);
  expect(valuesAt(document, ['nowhere', 'donor_id'])).toEqual([]);
});

test('records of the same and of other catalogues are related by their identifiers', () => {
  const own = relationsOf(document, files, files).map(({ field: { name }, values }) => [name, values]);
  expect(own).toEqual([
    ['analysisId', ['A1']],
    ['donors.donor_id', ['D1', 'D2']],
  ]);
  const others = relationsOf(document, files, donors).map(({ field: { name }, values }) => [name, values]);
  expect(others).toContainEqual(['donorId', ['D1', 'D2']]);
});

test('a record shows numbers with all their digits and sizes in both units', () => {
  expect(fullText(1_400_000_123, columnOf('size'))).toBe('1.4 GB, 1.3 GiB (1,400,000,123 B)');
  expect(fullText(42, columnOf('donors.age'))).toBe('42 years');
  expect(fullText(12_345_678, columnOf('donors.age'))).toBe('12.3M years (12,345,678 years)');
  expect(gibibytes(0)).toBe('0 B');
});
