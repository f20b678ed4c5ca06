// A value of a record with nothing left out.

import type { Column } from '../api/catalogue';
import { bytes, exactQuantity, gibibytes } from '../design/format';
import { cellText } from '../table/Cell';

/** Writes a value: numbers with all their digits, sizes in both units. */
export function fullText(value: unknown, column: Column): string {
  const text = cellText(value, column);
  const { field, displayType } = column;
  if (field.kind !== 'number' || typeof value !== 'number') return text;
  if (displayType === 'bytes' || field.displayType === 'bytes' || field.unit === 'B') {
    return `${bytes(value)}, ${gibibytes(value)} (${exactQuantity(value, { unit: 'B', displayType: 'bytes' })})`;
  }
  const exact = exactQuantity(value, field);
  return exact.replace(/\D/g, '') === text.replace(/\D/g, '') ? text : `${text} (${exact})`;
}
