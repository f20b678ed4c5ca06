// Every field that payloads of a type can have, in words; and how two versions of a type differ.

import type { AnalysisType } from '../api/types';
import { toCsvText } from '../design/csv';
import { texts } from '../texts';
import { exampleText } from './exampleText';
import { type Schema, valueText } from './jsonSchema';
import {
  allowedText,
  descriptionOf,
  type Keywords,
  membersOf,
  requiredOf,
  titleOf,
  typesOf,
  valuesOf,
  wholeOf,
} from './schemaParts';

export interface TypeField {
  /** The path, with `[]` behind a list: `files[].fileName`. */
  path: string;
  title: string;
  meaning: string;
  type: string;
  isRequired: boolean;
  allowed: string;
  /** The values that are allowed, if nothing else is said about what is. */
  values?: string[] | undefined;
  example: string;
}

/** Schemas may contain themselves; beyond these, nothing is listed. */
const MAX_DEPTH = 8;
const MAX_FIELDS = 2000;

/** Returns the fields of a schema, each below the one that contains it. */
export function typeFields(root: Schema): TypeField[] {
  const fields: TypeField[] = [];
  const visitMembers = (all: Keywords, path: string, depth: number) => {
    if (depth > MAX_DEPTH) return;
    const required = requiredOf(all);
    for (const [name, schema] of membersOf(all))
      visit(schema, path ? `${path}.${name}` : name, name, required.includes(name), depth);
  };
  const visit = (schema: Schema, path: string, name: string, isRequired: boolean, depth: number) => {
    if (fields.length >= MAX_FIELDS) return;
    const all = wholeOf(schema, root);
    const element = typesOf(all).includes('array') ? wholeOf(all.items as Schema | undefined, root) : null;
    const limited = [all, ...(element ? [element] : [])].filter((part) => allowedText(part));
    fields.push({
      path,
      title: titleOf(name, all),
      meaning: descriptionOf(all) || (element ? descriptionOf(element) : ''),
      type: element ? texts.manage.valueTypes.listOf(typeText(element)) : typeText(all),
      isRequired,
      allowed: limited.map(allowedText).join(texts.manage.allowed.each),
      values: limited.length === 1 && limited[0] ? valuesOf(limited[0])?.map(valueText) : undefined,
      example: exampleOf(all) || (element ? exampleOf(element) : ''),
    });
    visitMembers(element ?? all, element ? `${path}[]` : path, depth + 1);
  };
  visitMembers(wholeOf(root, root), '', 0);
  return fields;
}

function typeText(all: Keywords): string {
  const words = texts.manage.valueTypes;
  const types = typesOf(all);
  const values = valuesOf(all);
  if (types.length === 0 && values) return words.someValues;
  if (types.length === 0) return membersOf(all).length ? words.object : words.anyValue;
  const named = types
    .map((type) => (type === 'string' && words.formats[String(all.format)]) || words.names[type] || type)
    .join(words.or);
  const isNullable = [all.type].flat().includes('null') || values?.includes(null);
  return isNullable ? words.orNull(named) : named;
}

/** Returns a value that a schema allows, as text; empty for objects, whose members have examples. */
function exampleOf(all: Keywords): string {
  const given: unknown = Array.isArray(all.examples) ? all.examples[0] : (all.default ?? valuesOf(all)?.[0]);
  if (given !== undefined && given !== null) return valueText(given);
  switch (typesOf(all)[0]) {
    case 'string':
      return exampleText(all);
    case 'integer':
    case 'number':
      return String(typeof all.minimum === 'number' ? all.minimum : 1);
    case 'boolean':
      return 'true';
    default:
      return '';
  }
}

/** Writes a dictionary as CSV. */
export function typeDictionaryCsv(fields: TypeField[]): string {
  const words = texts.manage.type;
  return toCsvText([
    [words.name, words.label, words.meaning, words.type, words.required, words.allowed, words.example],
    ...fields.map(({ path, title, meaning, type, isRequired, allowed, example }) => [
      path,
      title,
      meaning,
      type,
      isRequired ? words.yes : words.no,
      allowed,
      example,
    ]),
  ]);
}

type Version = Pick<AnalysisType, 'schema' | 'options'>;

/** Says how a version of a type differs from another, one sentence for each difference. */
export function differences(before: Version, after: Version): string[] {
  const [old, now] = [before, after].map(
    ({ schema }) => new Map(typeFields((schema ?? {}) as Schema).map((field) => [field.path, field])),
  ) as [Map<string, TypeField>, Map<string, TypeField>];
  const isInside = (path: string, paths: Map<string, TypeField>) =>
    [...paths.keys()].some((other) => path.startsWith(`${other}.`) || path.startsWith(`${other}[]`));
  const without = (one: Map<string, TypeField>, other: Map<string, TypeField>) =>
    new Map([...one].filter(([path]) => !other.has(path)));
  const [removed, added] = [without(old, now), without(now, old)];
  return [
    // What is in something that is new, or gone, goes without saying.
    ...[...added.values()].filter(({ path }) => !isInside(path, added)).map(sayAdded),
    ...[...removed.keys()].filter((path) => !isInside(path, removed)).map(texts.manage.differences.gone),
    ...[...now].flatMap(([path, field]) => changesOf(old.get(path), field)),
    ...optionChanges(before.options, after.options),
  ];
}

function sayAdded({ path, type, isRequired, allowed }: TypeField): string {
  const { added, required, optional } = texts.manage.differences;
  return added(path, [type, isRequired ? required : optional, allowed].filter(Boolean).join(', '));
}

function changesOf(before: TypeField | undefined, after: TypeField): string[] {
  if (!before) return [];
  const said: string[] = [];
  const { path } = after;
  const words = texts.manage.differences;
  if (before.type !== after.type) said.push(words.otherType(path, before.type, after.type));
  if (before.isRequired !== after.isRequired)
    said.push(after.isRequired ? words.requiredNow(path) : words.notRequired(path));
  if (before.allowed !== after.allowed) said.push(...allowedChanges(before, after));
  if (before.title !== after.title) said.push(words.otherTitle(path, before.title, after.title));
  if (before.meaning !== after.meaning) said.push(words.otherMeaning(path));
  return said;
}

/** Compares lists of values one by one, and everything else as a whole. */
function allowedChanges(before: TypeField, { path, allowed, values: now }: TypeField): string[] {
  const words = texts.manage.differences;
  const old = before.values;
  if (!old || !now) return [words.otherAllowed(path, before.allowed || words.anything, allowed || words.anything)];
  const more = now.filter((value) => !old.includes(value));
  const fewer = old.filter((value) => !now.includes(value));
  return [
    ...(more.length ? [words.alsoAllows(path, more.join(', '))] : []),
    ...(fewer.length ? [words.noLongerAllows(path, fewer.join(', '))] : []),
  ];
}

function optionChanges(before: Version['options'], after: Version['options']): string[] {
  const words = texts.manage.differences;
  const types = ({ fileTypes }: Version['options']) => (fileTypes?.length ? fileTypes.join(', ') : words.anyType);
  const checks = ({ externalValidations }: Version['options']) => JSON.stringify(externalValidations ?? []);
  return [
    ...(types(before) === types(after) ? [] : [words.fileTypes(types(before), types(after))]),
    ...(checks(before) === checks(after) ? [] : [words.otherChecks]),
  ];
}
