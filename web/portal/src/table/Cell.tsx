// One cell: single values as they read best, several as a short list.

import type { Column } from '../api/catalogue';
import { bytes, exactQuantity, moment, quantity, valueText } from '../design/format';
import type { Row } from '../explore/answer';
import { texts } from '../texts';

const SHOWN = 3;

/** The names of fields whose values differ most at their ends, so they are cut in the middle. */
const CUT_IN_THE_MIDDLE = /(id|name|title|accession|md5|md5sum|checksum|path|url)$/i;

/** How many characters stay at the end of a value that is cut. */
const TAIL = 8;

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

/** Returns a value in full: a number with all its digits. */
function exactText(value: unknown, column: Column): string {
  const { field, displayType } = column;
  if (field.kind !== 'number' || typeof value !== 'number') return cellText(value, column);
  return exactQuantity(value, displayType === 'bytes' ? { unit: 'B', displayType } : field);
}

export function Cell({ row, column }: { row: Row; column: Column }) {
  const all = valuesOfCell(row, column);
  const values = [...new Set(all.map((value) => cellText(value, column)))];
  if (values.length === 0)
    return (
      <span className="faint" aria-label={texts.table.noValue}>
        –
      </span>
    );
  const exact = [...new Set(all.map((value) => exactText(value, column)))].join('\n');
  const [only = '', ...others] = values;
  if (others.length === 0)
    return CUT_IN_THE_MIDDLE.test(column.field.name) && only.length > 2 * TAIL ? (
      <span className="cut" title={exact}>
        <span className="cut-head">{only.slice(0, -TAIL)}</span>
        <span className="cut-tail">{only.slice(-TAIL)}</span>
      </span>
    ) : (
      <span title={exact}>{only}</span>
    );
  return (
    <span title={exact}>
      {values.slice(0, SHOWN).join(', ')}
      {values.length > SHOWN && <span className="badge"> +{values.length - SHOWN}</span>}
    </span>
  );
}
