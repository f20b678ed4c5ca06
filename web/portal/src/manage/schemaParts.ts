// What a JSON Schema says about one value, in one piece: references followed, parts joined, in words.

import { words } from '../api/catalogue';
import { count } from '../design/format';
import { texts } from '../texts';
import { resolve, type Schema, valueText } from './jsonSchema';

export type Keywords = { [keyword: string]: unknown };

/** How many references and parts are followed for one value. */
const MAX_DEPTH = 8;

/**
 * Joins a schema with what it refers to. Parts that apply only to some values (`anyOf`, `then`, …) give their properties,
 * but require none.
 */
export function wholeOf(schema: Schema | undefined, root: Schema, depth = 0): Keywords {
  if (schema === undefined || typeof schema === 'boolean' || depth > MAX_DEPTH) return {};
  if (typeof schema.$ref === 'string') {
    const { title, description } = schema;
    const target = wholeOf(resolve(schema.$ref, root), root, depth + 1);
    return { ...target, ...(title ? { title } : {}), ...(description ? { description } : {}) };
  }
  const inner = (part: unknown) => wholeOf(part as Schema, root, depth + 1);
  let joined: Keywords = schema;
  for (const part of listOf(schema.allOf).map(inner)) joined = joinedWith(joined, part);
  const alternatives = [...listOf(schema.anyOf), ...listOf(schema.oneOf)]
    .map(inner)
    .filter(({ type }) => type !== 'null');
  const conditional = [schema.then, schema.else, ...Object.values(objectOf(schema.dependencies))]
    .filter((part) => part !== undefined && !Array.isArray(part))
    .map(inner);
  for (const { properties } of [...alternatives, ...conditional])
    joined = { ...joined, properties: joinedMembers(joined.properties, properties) };
  if (joined.type === undefined && joined.enum === undefined && alternatives.length)
    joined = { ...joined, ...common(alternatives) };
  return joined;
}

/** The keyword, of no schema, for what people call each of the values of `enum`. */
const VALUE_TITLES = 'cantata:valueTitles';

/** Returns what alternatives have in common: one type, or a list of fixed values. */
function common(alternatives: Keywords[]): Keywords {
  const values = alternatives.map(valuesOf);
  if (values.every((each) => each !== null)) {
    const titles = alternatives.flatMap(({ title }, index) => values[index]?.map(() => title));
    return { enum: values.flat(), [VALUE_TITLES]: titles };
  }
  const [first] = alternatives;
  const isSame = alternatives.every(({ type }) => JSON.stringify(type) === JSON.stringify(first?.type));
  return isSame && first?.type !== undefined ? { type: first.type } : {};
}

function joinedWith(one: Keywords, other: Keywords): Keywords {
  return {
    ...other,
    ...one,
    properties: joinedMembers(one.properties, other.properties),
    required: [...new Set([...requiredOf(one), ...requiredOf(other)])],
  };
}

/** Joins members, those of the first before and instead of those of the second. */
function joinedMembers(first: unknown, second: unknown): Keywords {
  return { ...objectOf(first), ...objectOf(second), ...objectOf(first) };
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function objectOf(value: unknown): Keywords {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Keywords) : {};
}

export function requiredOf({ required }: Keywords): string[] {
  return listOf(required).filter((name) => typeof name === 'string');
}

/** Returns the members of an object that a value can have, in the order of the schema. */
export function membersOf({ properties }: Keywords): [string, Schema][] {
  return Object.entries(objectOf(properties) as Record<string, Schema>).filter(([, part]) => !isForbidden(part));
}

function isForbidden(part: Schema): boolean {
  if (typeof part === 'boolean') return !part;
  return part.not !== undefined && (part.not === true || Object.keys(objectOf(part.not)).length === 0);
}

/** Returns the types of a value, without `null`. */
export function typesOf({ type }: Keywords): string[] {
  return [type].flat().filter((each): each is string => typeof each === 'string' && each !== 'null');
}

/** Returns the values that are allowed, if a schema lists them. */
export function valuesOf(schema: Keywords): unknown[] | null {
  if (Array.isArray(schema.enum)) return schema.enum as unknown[];
  return 'const' in schema ? [schema.const] : null;
}

/** Returns what people call each of the allowed values; nothing where they have no other name. */
export function valueTitlesOf(schema: Keywords): (string | undefined)[] {
  return listOf(schema[VALUE_TITLES]).map((title) => (typeof title === 'string' ? title : undefined));
}

/** Returns what people call a value. */
export function titleOf(name: string, { title }: Keywords): string {
  if (typeof title === 'string' && title) return title;
  const parted = name.replace(
    /([a-z\d])([A-Z])(?![A-Z])/g,
    (_, before: string, letter: string) => `${before} ${letter.toLowerCase()}`,
  );
  return words(parted.replace(/([a-z\d])([A-Z])/g, '$1 $2'));
}

export function descriptionOf({ description }: Keywords): string {
  return typeof description === 'string' ? description : '';
}

/** Says what is allowed, in words; empty where only the type matters. */
export function allowedText(schema: Keywords): string {
  const allowed = texts.manage.allowed;
  const values = valuesOf(schema);
  if (values) return allowed.oneOf(values.map(valueText).join(', '));
  const said: string[] = [];
  const bound = (keyword: string, say: (value: number) => string) => {
    const value = schema[keyword];
    if (typeof value === 'number') said.push(say(value));
  };
  const { minimum, maximum } = schema;
  if (typeof minimum === 'number' && typeof maximum === 'number') said.push(allowed.fromTo(minimum, maximum));
  else {
    bound('minimum', allowed.orMore);
    bound('maximum', allowed.orLess);
  }
  bound('exclusiveMinimum', allowed.moreThan);
  bound('exclusiveMaximum', allowed.lessThan);
  bound('multipleOf', allowed.multipleOf);
  bound('minLength', (value) => allowed.minCharacters(value, count(value)));
  bound('maxLength', (value) => allowed.maxCharacters(value, count(value)));
  bound('minItems', (value) => allowed.minElements(value, count(value)));
  bound('maxItems', (value) => allowed.maxElements(value, count(value)));
  if (typeof schema.format === 'string') said.push(allowed.formats[schema.format] ?? allowed.format(schema.format));
  if (typeof schema.pattern === 'string') said.push(allowed.matches(schema.pattern));
  return said.join(', ');
}

/** Says what is allowed at a place of a document, such as `#/files/0/fileAccess`. */
export function allowedAt(pointer: string, root: Schema): string {
  let schema = wholeOf(root, root);
  for (const part of pointer.split('/').slice(1)) {
    const isElement = /^\d+$/.test(part) && schema.items !== undefined;
    schema = wholeOf((isElement ? schema.items : objectOf(schema.properties)[part]) as Schema | undefined, root);
  }
  return allowedText(schema);
}
