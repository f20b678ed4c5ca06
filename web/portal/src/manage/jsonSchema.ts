// Checks a value against a JSON Schema (draft 7) while the user types. The server checks again, including rare keywords
// that are ignored here.

import { texts } from '../texts';
import type { Violation } from './violations';

export type Schema = { [keyword: string]: unknown } | boolean;

export function check(value: unknown, schema: Schema, root: Schema = schema, at = '#'): Violation[] {
  if (schema === true) return [];
  if (schema === false) return [{ at, text: texts.manage.violations.notAllowed }];
  if (typeof schema.$ref === 'string') {
    const target = resolve(schema.$ref, root);
    return target === undefined ? [] : check(value, target, root, at);
  }
  const wrongType = checkType(value, schema, at);
  if (wrongType) return [wrongType];
  return [
    ...checkScalar(value, schema, at),
    ...checkObject(value, schema, root, at),
    ...checkArray(value, schema, root, at),
    ...checkCombined(value, schema, root, at),
  ];
}

/** Returns what a reference within the schema points to. */
export function resolve(reference: string, root: Schema): Schema | undefined {
  if (!reference.startsWith('#')) return undefined;
  let pointer: string;
  try {
    pointer = decodeURIComponent(reference.slice(1));
  } catch {
    // A `%` that is typed at the moment.
    return undefined;
  }
  const parts = pointer
    .split('/')
    .filter(Boolean)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return parts.reduce<unknown>((node, part) => (node as Record<string, unknown> | undefined)?.[part], root) as
    Schema | undefined;
}

/** Writes a value as people do: a text without quotation marks. */
export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function checkType(value: unknown, { type }: Record<string, unknown>, at: string): Violation | null {
  if (type === undefined) return null;
  const allowed = [type].flat() as string[];
  const found = typeOf(value);
  if (allowed.includes(found) || (found === 'integer' && allowed.includes('number'))) return null;
  const words = texts.manage.violations;
  return { at, text: words.wrongType(allowed.join(words.or), found) };
}

function checkScalar(value: unknown, schema: Record<string, unknown>, at: string): Violation[] {
  const said: string[] = [];
  const words = texts.manage.violations;
  const same = (other: unknown) => JSON.stringify(other) === JSON.stringify(value);
  if (Array.isArray(schema.enum) && !schema.enum.some(same))
    said.push(words.notValid(valueText(value), texts.manage.allowed.oneOf(schema.enum.map(valueText).join(', '))));
  if ('const' in schema && !same(schema.const)) said.push(words.expected(JSON.stringify(schema.const)));
  if (typeof value === 'string') {
    if (typeof schema.minLength === 'number' && value.length < schema.minLength)
      said.push(words.shorter(schema.minLength));
    if (typeof schema.maxLength === 'number' && value.length > schema.maxLength)
      said.push(words.longer(schema.maxLength));
    if (typeof schema.pattern === 'string' && !matches(schema.pattern, value)) said.push(words.noMatch(schema.pattern));
  }
  if (typeof value === 'number') {
    if (typeof schema.minimum === 'number' && value < schema.minimum) said.push(words.less(schema.minimum));
    if (typeof schema.maximum === 'number' && value > schema.maximum) said.push(words.more(schema.maximum));
  }
  return said.map((text) => ({ at, text }));
}

function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    return true;
  }
}

function checkObject(value: unknown, schema: Record<string, unknown>, root: Schema, at: string): Violation[] {
  if (typeOf(value) !== 'object') return [];
  const object = value as Record<string, unknown>;
  const properties = (schema.properties ?? {}) as Record<string, Schema>;
  const required = Array.isArray(schema.required) ? (schema.required as string[]) : [];
  const words = texts.manage.violations;
  const missing = required
    .filter((name) => !(name in object))
    .map((name) => ({ at, text: words.missing(name), missing: name }));
  const inner = Object.entries(object).flatMap(([name, member]) => {
    const known = properties[name];
    if (known !== undefined) return check(member, known, root, `${at}/${name}`);
    if (schema.additionalProperties === false) return [{ at, text: words.memberNotAllowed(name) }];
    return typeof schema.additionalProperties === 'object'
      ? check(member, schema.additionalProperties as Schema, root, `${at}/${name}`)
      : [];
  });
  return [...missing, ...inner];
}

function checkArray(value: unknown, schema: Record<string, unknown>, root: Schema, at: string): Violation[] {
  if (!Array.isArray(value)) return [];
  const words = texts.manage.violations;
  const said: Violation[] = [];
  if (typeof schema.minItems === 'number' && value.length < schema.minItems)
    said.push({ at, text: words.fewer(schema.minItems) });
  if (typeof schema.maxItems === 'number' && value.length > schema.maxItems)
    said.push({ at, text: words.tooMany(schema.maxItems) });
  if (schema.items && !Array.isArray(schema.items))
    said.push(...value.flatMap((element, index) => check(element, schema.items as Schema, root, `${at}/${index}`)));
  return said;
}

function checkCombined(value: unknown, schema: Record<string, unknown>, root: Schema, at: string): Violation[] {
  const words = texts.manage.violations;
  const fits = (part: unknown) => check(value, part as Schema, root, at).length === 0;
  const said: Violation[] = [];
  if (Array.isArray(schema.allOf)) said.push(...schema.allOf.flatMap((part) => check(value, part as Schema, root, at)));
  if (Array.isArray(schema.anyOf) && !schema.anyOf.some(fits)) said.push({ at, text: words.noAlternative });
  if (Array.isArray(schema.oneOf) && schema.oneOf.filter(fits).length !== 1)
    said.push({ at, text: words.notOneAlternative });
  if (schema.not !== undefined && fits(schema.not)) said.push({ at, text: words.notAllowed });
  if (schema.if !== undefined) {
    const branch = fits(schema.if) ? schema.then : schema.else;
    if (branch !== undefined) said.push(...check(value, branch as Schema, root, at));
  }
  return said;
}
