// What a form asks for: the fields of a JSON Schema, and the value that they make together. What has no field of its own is
// written as JSON, so every value can be written that a schema allows.

import type { AnalysisType } from '../api/types';
import type { Schema } from '../manage/jsonSchema';
import {
  allowedText,
  descriptionOf,
  type Keywords,
  membersOf,
  requiredOf,
  titleOf,
  typesOf,
  valuesOf,
  valueTitlesOf,
  wholeOf,
} from '../manage/schemaParts';
import type { Violation } from '../manage/violations';
import { texts } from '../texts';

export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [name: string]: Json };

export interface Member {
  name: string;
  schema: Schema;
  title: string;
  description: string;
  allowed: string;
  isRequired: boolean;
}

export type FormNode =
  | { kind: 'text' | 'integer' | 'number' | 'truth' | 'json' }
  | { kind: 'date' }
  | { kind: 'choice'; values: Json[]; titles: (string | undefined)[] }
  | { kind: 'object'; members: Member[] }
  | { kind: 'list'; items: Schema };

/** What is chosen beside the form, or given by the server. */
const NOT_ASKED = ['studyId', 'analysisType', 'analysisId'];

/** How deep required objects are made before anybody has written into them. */
const MAX_DEPTH = 12;

/** Returns the schema of a type for a form: without what is chosen beside it, and with the allowed types of files. */
export function formSchema({ schema, options }: Pick<AnalysisType, 'schema' | 'options'>): Schema {
  const root = structuredClone((schema ?? {}) as Keywords);
  const properties = (root.properties ?? {}) as Keywords;
  for (const name of NOT_ASKED) delete properties[name];
  root.properties = properties;
  root.required = requiredOf(root).filter((name) => !NOT_ASKED.includes(name));
  const file = (root.definitions as { file?: Keywords } | undefined)?.file;
  if (file && options.fileTypes?.length) file.fileType = { type: 'string', enum: options.fileTypes };
  return root;
}

/** Says how the values of a schema are written. */
export function nodeOf(schema: Schema, root: Schema): FormNode {
  const all = wholeOf(schema, root);
  const values = valuesOf(all);
  if (values) return { kind: 'choice', values: values as Json[], titles: valueTitlesOf(all) };
  const types = typesOf(all);
  const members = membersOf(all);
  const [type = members.length ? 'object' : undefined, ...others] = types;
  if (others.length) return { kind: 'json' };
  switch (type) {
    case 'object':
      return members.length ? { kind: 'object', members: described(members, all, root) } : { kind: 'json' };
    case 'array':
      return typeof all.items === 'object' && !Array.isArray(all.items)
        ? { kind: 'list', items: all.items as Schema }
        : { kind: 'json' };
    case 'boolean':
      return { kind: 'truth' };
    case 'integer':
    case 'number':
      return { kind: type };
    case 'string':
      return { kind: all.format === 'date' ? 'date' : 'text' };
    default:
      return { kind: 'json' };
  }
}

function described(members: [string, Schema][], all: Keywords, root: Schema): Member[] {
  const required = requiredOf(all);
  return members.map(([name, schema]) => {
    const part = wholeOf(schema, root);
    return {
      name,
      schema,
      title: titleOf(name, part),
      description: descriptionOf(part),
      allowed: valuesOf(part) ? '' : allowedText(part),
      isRequired: required.includes(name),
    };
  });
}

/** Returns the value of a form in which nothing was written: what can only be one thing is there already. */
export function emptyOf(schema: Schema, root: Schema, depth = 0): Json | undefined {
  const node = nodeOf(schema, root);
  if (node.kind === 'choice') return node.values.length === 1 ? node.values[0] : undefined;
  if (depth > MAX_DEPTH) return undefined;
  if (node.kind === 'object') {
    const made: JsonObject = {};
    for (const { name, schema: inner, isRequired } of node.members) {
      const value = isRequired ? emptyOf(inner, root, depth + 1) : undefined;
      if (value !== undefined) made[name] = value;
    }
    return made;
  }
  if (node.kind === 'list') {
    const { minItems } = wholeOf(schema, root);
    return typeof minItems === 'number' && minItems > 0 ? [emptyElement(node.items, root, depth + 1)] : [];
  }
  return undefined;
}

/** Returns a new element of a list. A list has no place without a value, so a text begins empty. */
export function emptyElement(items: Schema, root: Schema, depth = 0): Json {
  return emptyOf(items, root, depth) ?? '';
}

/** Sets a member, or removes it. */
export function withMember(object: JsonObject, name: string, value: Json | undefined): JsonObject {
  if (value !== undefined) return { ...object, [name]: value };
  const { [name]: _, ...others } = object;
  return others;
}

/**
 * Reads what was typed as a number. What is none stays text, which the check then names; so does a whole number that would
 * be rounded.
 */
export function readNumber(text: string): Json | undefined {
  const typed = text.trim();
  if (typed === '') return undefined;
  const value = Number(typed);
  const isNumber = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(typed) && Number.isFinite(value);
  return isNumber && !(Number.isInteger(value) && !Number.isSafeInteger(value)) ? value : typed;
}

/** Returns the violations by the field that they are shown at: what is missing is said where it is to be written. */
export function byField(violations: Violation[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { at, text, missing } of violations) {
    const [place, said] = missing === undefined ? [at, text] : [`${at}/${missing}`, texts.submit.required];
    const before = found.get(place) ?? [];
    if (!before.includes(said)) found.set(place, [...before, said]);
  }
  return found;
}
