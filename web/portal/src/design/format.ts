// Formats numbers, sizes, dates and values.

import type { Field } from '../api/catalogue';

export const MISSING = '__missing__';

const whole = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
/** For numbers of which two digits after the point would leave little or nothing. */
const small = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export function count(value: number): string {
  return whole.format(value);
}

export function compactNumber(value: number): string {
  return compact.format(value);
}

/** “1 file”, “2 files”. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${value === 1 ? noun : plural(noun)}`;
}

export function plural(noun: string): string {
  if (/(s|x|z|ch|sh)is$/.test(noun) || /sis$/.test(noun)) return noun.replace(/is$/, 'es');
  if (/[^aeiou]y$/.test(noun)) return noun.replace(/y$/, 'ies');
  return /(s|x|z|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}

/** Returns one of many: “donor” for “donors”. */
export function singular(noun: string): string {
  if (/(spec|ser)ies$/.test(noun)) return noun;
  if (/(aly|agno|the)ses$/.test(noun)) return noun.replace(/es$/, 'is');
  if (/[^aeiou]ies$/.test(noun)) return noun.replace(/ies$/, 'y');
  if (/(x|z|ch|sh|ss)es$/.test(noun)) return noun.replace(/es$/, '');
  return /[^sui]s$/.test(noun) ? noun.slice(0, -1) : noun;
}

const BYTES = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

export function bytes(value: number): string {
  const power = value > 0 ? Math.min(BYTES.length - 1, Math.floor(Math.log10(value) / 3)) : 0;
  const scaled = value / 1000 ** Math.max(0, power);
  return `${short.format(power > 0 ? Number(scaled.toPrecision(3)) : scaled)} ${BYTES[Math.max(0, power)]}`;
}

const BINARY = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** Writes a size in the units of 1024, which some tools show. */
export function gibibytes(value: number): string {
  const power = value >= 1 ? Math.min(BINARY.length - 1, Math.floor(Math.log2(value) / 10)) : 0;
  return `${short.format(Number((value / 1024 ** power).toPrecision(3)))} ${BINARY[power]}`;
}

/** Writes the day of a date, in UTC. */
export function day(value: string | number): string {
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? String(value) : date.toISOString().slice(0, 10);
}

/** Writes a moment, to the minute. */
export function moment(value: string | number): string {
  const text = typeof value === 'string' && /T[\d:.]+$/.test(value) ? `${value}Z` : value;
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? String(value) : `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Writes a number of a field with its unit. */
export function quantity(value: number, field: Pick<Field, 'unit' | 'displayType'>): string {
  if (field.unit === 'B' || field.displayType === 'bytes') return bytes(value);
  if (field.displayType === 'year') return String(value);
  const size = Math.abs(value);
  const text = (size >= 1e7 ? compact : size < 1 ? small : short).format(value);
  return withUnit(text, value, field.unit);
}

function withUnit(text: string, value: number, unit: string | null): string {
  if (!unit) return text;
  // A unit in words is a noun: 1 day, 2 days.
  const word = /^[a-z]{3,}$/.test(unit) && value !== 1 ? plural(unit) : unit;
  return `${text}${/^[%×°]/.test(word) ? '' : ' '}${word}`;
}

const exactly = new Intl.NumberFormat('en', { maximumFractionDigits: 20 });

/** Writes a number with all its digits. */
export function exactQuantity(value: number, field: Pick<Field, 'unit' | 'displayType'>): string {
  if (field.displayType === 'year') return String(value);
  return withUnit(exactly.format(value), value, field.displayType === 'bytes' ? 'B' : field.unit);
}

/** Writes one value of a field, as a facet or a chip shows it. */
export function valueText(value: unknown, field: Field | undefined): string {
  if (value === MISSING) return 'No value';
  const text = String(value);
  const shown = field?.displayValues[text];
  if (shown !== undefined) return shown;
  if (field?.kind === 'boolean') return text === 'true' || text === '1' ? 'Yes' : 'No';
  if (field?.kind === 'number' && typeof value === 'number') return quantity(value, field);
  if (field?.kind === 'date')
    return typeof value === 'number' || /^\d{4}-\d\d-\d\dT/.test(text) ? day(value as string) : text;
  return text;
}
