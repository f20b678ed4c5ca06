// What is known of every field of a catalogue: its meaning, its type, how many records have it, and its values.

import { canCount, type Catalogue, type Field } from '../api/catalogue';
import { graphql } from '../api/client';
import { toCsvText } from '../design/csv';
import { day, MISSING, quantity, valueText } from '../design/format';
import { readBuckets } from '../explore/answer';
import { texts } from '../texts';

export interface DictionaryEntry {
  field: Field;
  type: string;
  /** The share of records that have it, from 0 to 1; null where that was not counted. */
  filled: number | null;
  distinct: number | null;
  /** All values if there are few, else the most frequent ones, or the range of numbers and dates. */
  values: string;
  /** The most frequent value. */
  example: string;
}

/** How many fields are counted by one request. */
const FIELDS_PER_REQUEST = 50;
/** How many values of a field are shown. */
const MAX_VALUES = 8;

interface RawEntry {
  bucket_count?: number;
  buckets?: { key: string; key_as_string?: string | null; doc_count: number }[];
  stats?: { min: number | null; max: number | null } | null;
}

interface RawDictionary {
  hits: { total: number };
  aggregations?: Record<string, RawEntry | null>;
}

function isRanged({ kind }: Field): boolean {
  return kind === 'number' || kind === 'date';
}

function selectionOf(field: Field): string {
  const parts = isRanged(field)
    ? 'stats { min max } buckets(max: 1) { key doc_count }'
    : `bucket_count buckets(max: ${MAX_VALUES}) { key key_as_string doc_count }`;
  return `${field.graphqlName} { ${parts} }`;
}

/** Returns the fields of a dictionary: all but multi-fields, which have the values of another. */
export function dictionaryFields({ fields }: Catalogue): Field[] {
  return [...fields.values()].filter(({ isMultiField }) => !isMultiField);
}

export async function fetchDictionary(catalogue: Catalogue, signal: AbortSignal): Promise<DictionaryEntry[]> {
  const fields = dictionaryFields(catalogue);
  const isCounted = (field: Field) => canCount(catalogue.exactField(field)) && catalogue.suppressedBelow === null;
  const counted = fields.filter(isCounted).map(catalogue.exactField);
  const type = catalogue.documentType;
  const facets: Record<string, RawEntry | null> = {};
  let total = 0;
  for (let at = 0; at < counted.length; at += FIELDS_PER_REQUEST) {
    const some = counted.slice(at, at + FIELDS_PER_REQUEST);
    const aggregations = `aggregations(include_missing: true) { ${some.map(selectionOf).join(' ')} }`;
    const query = `query Dictionary { ${type} { hits(first: 0) { total } ${aggregations} } }`;
    const answer = await graphql<Record<string, RawDictionary>>(catalogue.graphqlPath, query, {}, signal);
    total = answer[type]?.hits.total ?? 0;
    Object.assign(facets, answer[type]?.aggregations);
  }
  return fields.map((field) => readEntry(catalogue, field, facets[catalogue.exactField(field).graphqlName], total));
}

export function readEntry(
  catalogue: Catalogue,
  field: Field,
  facet: RawEntry | null | undefined,
  total: number,
): DictionaryEntry {
  const parts = [
    field.type,
    field.unit && texts.dictionary.inUnit(field.unit),
    field.nestedIn && texts.dictionary.ofEach(field.nestedIn),
  ];
  const type = parts.filter(Boolean).join(', ');
  if (!facet) return { field, type, filled: null, distinct: null, values: '', example: '' };
  const buckets = readBuckets(facet.buckets ?? [], field);
  const missing = buckets.find(({ value }) => value === MISSING)?.count ?? 0;
  const present = buckets.filter(({ value }) => value !== MISSING);
  const distinct = facet.bucket_count === undefined ? null : facet.bucket_count - (missing > 0 ? 1 : 0);
  const { min = null, max = null } = facet.stats ?? {};
  const bound = (value: number) => (field.kind === 'date' ? day(value) : quantity(value, field));
  const isCut = distinct !== null && distinct > present.length;
  const shown = present.map(({ value }) => valueText(value, catalogue.exactField(field)));
  const list = shown.join(', ');
  return {
    field,
    type,
    filled: total > 0 ? 1 - missing / total : null,
    distinct,
    values:
      min !== null && max !== null ? texts.dictionary.fromTo(bound(min), bound(max)) : isCut ? `${list}, …` : list,
    example: shown[0] ?? '',
  };
}

/** Writes a share as a percentage; one that is nearly all is not rounded to all. */
export function percent(share: number | null): string {
  if (share === null) return '';
  const rounded = Math.round(share * 100);
  return `${share < 1 && rounded === 100 ? 99 : share > 0 && rounded === 0 ? '<1' : rounded} %`;
}

/** Says whether the meaning of any field is known. */
export function hasMeanings({ fields }: Catalogue): boolean {
  return [...fields.values()].some(({ description }) => description);
}

/** Writes a dictionary as CSV, with the meanings of fields where there are some. */
export function dictionaryCsv(entries: DictionaryEntry[], withMeanings: boolean): string {
  const words = texts.dictionary;
  const meaning = (text: string) => (withMeanings ? [text] : []);
  return toCsvText([
    [
      words.name,
      words.label,
      ...meaning(words.meaning),
      words.type,
      words.filled,
      words.distinct,
      words.values,
      words.example,
    ],
    ...entries.map(({ field, type, filled, distinct, values, example }) => [
      field.name,
      field.label,
      ...meaning(field.description),
      type,
      percent(filled),
      distinct === null ? '' : String(distinct),
      values,
      example,
    ]),
  ]);
}
