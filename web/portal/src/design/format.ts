// Formats numbers, sizes, dates and values.

import type { Field } from '../api/catalogue';
import { texts } from '../texts';

export const MISSING = '__missing__';

/** Returns a function that writes numbers in the language of the page, which is known when it is first called. */
function numbers(options: Intl.NumberFormatOptions): (value: number) => string {
  let locale = '';
  let format: Intl.NumberFormat | undefined;
  return (value) => {
    if (!format || locale !== texts.design.locale) {
      locale = texts.design.locale;
      format = new Intl.NumberFormat(locale, options);
    }
    return format.format(value);
  };
}

export const count = numbers({});
const short = numbers({ maximumFractionDigits: 2 });
/** For numbers of which two digits after the point would leave little or nothing. */
const small = numbers({ maximumSignificantDigits: 3 });
export const compactNumber = numbers({ notation: 'compact', maximumFractionDigits: 1 });

/** Writes a number for a field of a form, as `readNumber` reads it. */
export function numberText(value: number): string {
  return hasDecimalComma() ? String(value).replace('.', ',') : String(value);
}

/** Reads a number with the separators of the language of the page; NaN is none. */
export function readNumber(text: string): number {
  if (!hasDecimalComma()) return Number(text.replaceAll(',', ''));
  const isGrouped = /^\s*-?[1-9]\d{0,2}(\.\d{3})+(,|\s*$)/.test(text);
  return Number((isGrouped ? text.replaceAll('.', '') : text).replace(',', '.'));
}

function hasDecimalComma(): boolean {
  return short(0.5).includes(',');
}

/** “1 file”, “2 files”. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${nounFor(value, noun)}`;
}

/** Returns the form of a noun for a number: “file” for 1, else “files”. */
export function nounFor(value: number, noun: string): string {
  return value === 1 ? (texts.design.nouns.get(noun)?.[0] ?? noun) : plural(noun);
}

export function plural(noun: string): string {
  const known = texts.design.nouns.get(noun);
  if (known) return known[1];
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
  return `${short(power > 0 ? Number(scaled.toPrecision(3)) : scaled)} ${BYTES[Math.max(0, power)]}`;
}

const BINARY = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** Writes a size in the units of 1024, which some tools show. */
export function gibibytes(value: number): string {
  const power = value >= 1 ? Math.min(BINARY.length - 1, Math.floor(Math.log2(value) / 10)) : 0;
  return `${short(Number((value / 1024 ** power).toPrecision(3)))} ${BINARY[power]}`;
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
  const text = (size >= 1e7 ? compactNumber : size < 1 ? small : short)(value);
  return withUnit(text, value, field.unit);
}

function withUnit(text: string, value: number, unit: string | null): string {
  if (!unit) return text;
  // A unit in words is a noun: 1 day, 2 days.
  const word = /^[a-z]{3,}$/.test(unit) ? nounFor(value, unit) : unit;
  return `${text}${/^[%×°]/.test(word) ? '' : ' '}${word}`;
}

const exactly = numbers({ maximumFractionDigits: 20 });

/** Writes a number with all its digits. */
export function exactQuantity(value: number, field: Pick<Field, 'unit' | 'displayType'>): string {
  if (field.displayType === 'year') return String(value);
  return withUnit(exactly(value), value, field.displayType === 'bytes' ? 'B' : field.unit);
}

/** Writes one value of a field, as a facet or a chip shows it. */
export function valueText(value: unknown, field: Field | undefined): string {
  if (value === MISSING) return texts.design.noValue;
  const text = String(value);
  const shown = field?.displayValues[text];
  if (shown !== undefined) return shown;
  if (field?.kind === 'boolean') return text === 'true' || text === '1' ? texts.design.yes : texts.design.no;
  if (field?.kind === 'number' && typeof value === 'number') return quantity(value, field);
  if (field?.kind === 'date')
    return typeof value === 'number' || /^\d{4}-\d\d-\d\dT/.test(text) ? day(value as string) : text;
  return text;
}
