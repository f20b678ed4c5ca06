// Every field that payloads of a type can have, in words; and how two versions of a type differ.

import type { AnalysisType } from '../api/types';
import { toCsvText } from '../design/csv';
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
    const allowed = [allowedText(all), element && allowedText(element)].filter(Boolean).join('; each ');
    fields.push({
      path,
      title: titleOf(name, all),
      meaning: descriptionOf(all) || (element ? descriptionOf(element) : ''),
      type: element ? `list of ${typeText(element)}` : typeText(all),
      isRequired,
      allowed,
      example: exampleOf(all) || (element ? exampleOf(element) : ''),
    });
    visitMembers(element ?? all, element ? `${path}[]` : path, depth + 1);
  };
  visitMembers(wholeOf(root, root), '', 0);
  return fields;
}

const TYPES: Record<string, string> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: 'yes or no',
  object: 'object',
  array: 'list',
};

const FORMATS: Record<string, string> = {
  date: 'date',
  'date-time': 'time',
  uri: 'web address',
  email: 'email address',
};

function typeText(all: Keywords): string {
  const types = typesOf(all);
  const values = valuesOf(all);
  if (types.length === 0 && values) return 'one of some values';
  if (types.length === 0) return membersOf(all).length ? 'object' : 'any value';
  const named = types
    .map((type) => (type === 'string' && FORMATS[String(all.format)]) || TYPES[type] || type)
    .join(' or ');
  const isNullable = [all.type].flat().includes('null') || values?.includes(null);
  return isNullable ? `${named}, or null` : named;
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
  return toCsvText([
    ['Name', 'Label', 'Meaning', 'Type', 'Required', 'Allowed', 'Example'],
    ...fields.map(({ path, title, meaning, type, isRequired, allowed, example }) => [
      path,
      title,
      meaning,
      type,
      isRequired ? 'yes' : 'no',
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
    ...[...removed.keys()].filter((path) => !isInside(path, removed)).map((path) => `“${path}” is gone.`),
    ...[...now].flatMap(([path, field]) => changesOf(old.get(path), field)),
    ...optionChanges(before.options, after.options),
  ];
}

function sayAdded({ path, type, isRequired, allowed }: TypeField): string {
  return `“${path}” is new: ${[type, isRequired ? 'required' : 'optional', allowed].filter(Boolean).join(', ')}.`;
}

function changesOf(before: TypeField | undefined, after: TypeField): string[] {
  if (!before) return [];
  const said: string[] = [];
  const { path } = after;
  if (before.type !== after.type) said.push(`“${path}” was ${before.type}, and is ${after.type}.`);
  if (before.isRequired !== after.isRequired)
    said.push(after.isRequired ? `“${path}” is required now.` : `“${path}” is no longer required.`);
  if (before.allowed !== after.allowed) said.push(...allowedChanges(path, before.allowed, after.allowed));
  if (before.title !== after.title) said.push(`“${path}” is called “${after.title}” instead of “${before.title}”.`);
  if (before.meaning !== after.meaning) said.push(`“${path}” is described differently.`);
  return said;
}

/** Compares lists of values one by one, and everything else as a whole. */
function allowedChanges(path: string, before: string, after: string): string[] {
  const values = (text: string) => (/^one of [^;]*$/.test(text) ? text.slice('one of '.length).split(', ') : null);
  const [old, now] = [values(before), values(after)];
  if (!old || !now) return [`“${path}” allowed ${before || 'anything'}, and now allows ${after || 'anything'}.`];
  const more = now.filter((value) => !old.includes(value));
  const fewer = old.filter((value) => !now.includes(value));
  return [
    ...(more.length ? [`“${path}” also allows ${more.join(', ')}.`] : []),
    ...(fewer.length ? [`“${path}” no longer allows ${fewer.join(', ')}.`] : []),
  ];
}

function optionChanges(before: Version['options'], after: Version['options']): string[] {
  const types = ({ fileTypes }: Version['options']) => (fileTypes?.length ? fileTypes.join(', ') : 'any type');
  const checks = ({ externalValidations }: Version['options']) => JSON.stringify(externalValidations ?? []);
  return [
    ...(types(before) === types(after) ? [] : [`Files can be of ${types(after)}; before, of ${types(before)}.`]),
    ...(checks(before) === checks(after) ? [] : ['The checks by other services are different.']),
  ];
}
