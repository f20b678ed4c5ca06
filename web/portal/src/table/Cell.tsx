// One cell: single values as they read best, several as a short list.

import type { Column } from '../api/catalogue';
import { bytes, moment, quantity, valueText } from '../design/format';
import type { Row } from '../explore/answer';

const SHOWN = 3;

/** Returns the values of a cell, nulls and empty lists aside. */
export function valuesOfCell(row: Row, column: Column): unknown[] {
  return [row.values[column.field.graphqlName]]
    .flat(5)
    .filter((value) => value !== null && value !== undefined && value !== '');
}

export function cellText(value: unknown, column: Column): string {
  if (typeof value === 'object') return JSON.stringify(value);
  if (column.displayType === 'bytes' && typeof value === 'number') return bytes(value);
  if (column.field.kind === 'number' && typeof value === 'number') return quantity(value, column.field);
  if (column.field.kind === 'date')
    return column.displayFormat?.includes('H') ? moment(value as string) : valueText(value, column.field);
  return valueText(value, column.field);
}

export function Cell({ row, column }: { row: Row; column: Column }) {
  const values = [...new Set(valuesOfCell(row, column).map((value) => cellText(value, column)))];
  if (values.length === 0)
    return (
      <span className="faint" aria-label="no value">
        –
      </span>
    );
  if (values.length === 1) return <span title={values[0]}>{values[0]}</span>;
  return (
    <span title={values.join('\n')}>
      {values.slice(0, SHOWN).join(', ')}
      {values.length > SHOWN && <span className="badge"> +{values.length - SHOWN}</span>}
    </span>
  );
}
