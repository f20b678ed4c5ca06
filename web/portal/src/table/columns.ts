// Which columns the table has, in which order and how wide.

import type { Catalogue, Column, Field } from '../api/catalogue';
import type { ColumnChoice } from '../explore/urlState';

export interface ShownColumn extends Column {
  /** In pixels: as chosen, else the least, beyond which free width is shared. */
  width: number;
  isFixed: boolean;
}

const MIN_WIDTH = 64;

/** Returns the columns to show: those chosen, else those configured. */
export function shownColumns(catalogue: Catalogue, chosen: ColumnChoice[] | null): ShownColumn[] {
  if (!chosen)
    return selectable(catalogue)
      .filter(({ show }) => show)
      .map((column) => ({ ...column, width: defaultWidth(column), isFixed: false }));
  const byName = new Map(selectable(catalogue).map((column) => [column.field.name, column]));
  return chosen.flatMap(({ name, width }) => {
    const column = byName.get(name);
    return column ? [{ ...column, width: width ?? defaultWidth(column), isFixed: width !== null }] : [];
  });
}

/** Returns every column that can be shown: the configured ones, then one for each other field. */
export function selectable(catalogue: Catalogue): Column[] {
  const canSelect = (column: Column) => !column.field.isMultiField && column.field.kind !== 'container';
  const configured = catalogue.columns.filter(canSelect);
  const known = new Set(configured.map(({ field }) => field.name));
  const others = [...catalogue.fields.values()]
    .filter((field) => !known.has(field.name))
    .map((field): Column => ({
      field,
      label: field.label,
      displayType: field.displayType,
      displayFormat: null,
      show: false,
      sortable: field.kind !== 'opaque' && field.type !== 'text',
      canChangeShow: true,
    }));
  return [...configured, ...others.filter(canSelect)];
}

function defaultWidth({ field, label, displayType }: Column): number {
  const wanted =
    field.kind === 'boolean'
      ? 90
      : field.kind === 'date'
        ? 130
        : field.kind === 'number' || displayType === 'bytes'
          ? 110
          : /name|title|description/i.test(field.name.split('.').at(-1) ?? '')
            ? 330
            : widthOf(field);
  return Math.max(wanted, Math.round(label.length * 7.6) + 54);
}

/** Returns the width of a text: where its values are known, what the longest of them needs. */
function widthOf({ displayValues }: Field): number {
  const longest = Math.max(0, ...Object.values(displayValues).map((text) => String(text).length));
  return longest ? Math.min(240, Math.round(longest * 8) + 30) : 165;
}

/** Writes columns for the address; only chosen widths are part of it. */
export function choices(columns: ShownColumn[]): ColumnChoice[] {
  return columns.map((column) => ({
    name: column.field.name,
    width: column.isFixed ? Math.max(MIN_WIDTH, Math.round(column.width)) : null,
  }));
}

/** Returns the tracks of a row: chosen widths stay, the others share what is free. */
export function tracks(columns: ShownColumn[]): string {
  return columns.map(({ width, isFixed }) => (isFixed ? `${width}px` : `minmax(${width}px, ${width}fr)`)).join(' ');
}

/** Moves an element of a list by some places. */
export function moved<T>(list: T[], from: number, by: number): T[] {
  const to = Math.min(list.length - 1, Math.max(0, from + by));
  const next = [...list];
  next.splice(to, 0, ...next.splice(from, 1));
  return next;
}
