// SQON, the language of filters: its shape, and reading it from text.

import { texts } from '../texts';

export type GroupOp = 'and' | 'or' | 'not';
export type LeafOp =
  'in' | 'not-in' | 'some-not-in' | 'all' | 'gt' | 'gte' | 'lt' | 'lte' | 'between' | 'wildcard' | 'fuzzy';
export type Value = string | number | boolean;

export interface Group {
  op: GroupOp;
  content: Sqon[];
  pivot?: string | null;
}

export interface Leaf {
  op: LeafOp;
  content:
    { fieldName: string; value: Value | Value[] } | { fieldNames: string[]; value: Value; fuzziness?: number | string };
}

export type Sqon = Group | Leaf;

const ALIASES: Record<string, LeafOp> = {
  '=': 'in',
  '==': 'in',
  '===': 'in',
  '!=': 'not-in',
  '!==': 'not-in',
  '>': 'gt',
  '>=': 'gte',
  '<': 'lt',
  '<=': 'lte',
  filter: 'wildcard',
};
const LEAVES = new Set([
  'in',
  'not-in',
  'some-not-in',
  'all',
  'gt',
  'gte',
  'lt',
  'lte',
  'between',
  'wildcard',
  'fuzzy',
]);

export function isGroup(node: Sqon): node is Group {
  return node.op === 'and' || node.op === 'or' || node.op === 'not';
}

/** Returns whether a filter seeks a text, as quick search does; what it excludes does not count. */
export function seeksText(node: Sqon): boolean {
  if (isGroup(node)) return node.op !== 'not' && node.content.some(seeksText);
  return node.op === 'wildcard' || node.op === 'fuzzy';
}

/** Returns the fields of a leaf. */
export function fieldsOf(leaf: Leaf): string[] {
  return 'fieldNames' in leaf.content ? leaf.content.fieldNames : [leaf.content.fieldName];
}

/** Returns the values of a leaf as a list. */
export function valuesOf(leaf: Leaf): Value[] {
  const { value } = leaf.content;
  return Array.isArray(value) ? value : [value];
}

export function leaf(op: LeafOp, fieldName: string, value: Value | Value[]): Leaf {
  return { op, content: { fieldName, value } };
}

/** Parses a filter; an error says where it is wrong and what was expected. */
export function parse(text: string): Group | null {
  if (!text.trim()) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(texts.query.notJson((error as Error).message), { cause: error });
  }
  return asRoot(read(value, ''));
}

/** Returns a filter as a group; null for an empty one. */
export function asRoot(node: Sqon | null): Group | null {
  if (!node) return null;
  if (!isGroup(node)) return { op: 'and', content: [node] };
  if (node.content.length === 0) return null;
  return node.op === 'not' ? { op: 'and', content: [node] } : node;
}

function read(value: unknown, at: string): Sqon | null {
  if (value === null) return null;
  if (typeof value !== 'object' || Array.isArray(value)) throw wrong(at, texts.query.expected.node);
  const { op, content, pivot } = value as Record<string, unknown>;
  if (op === undefined && content === undefined && Object.keys(value).length === 0) return null;
  if (op === 'and' || op === 'or' || op === 'not') {
    if (!Array.isArray(content)) throw wrong(`${at}/content`, texts.query.expected.filters);
    const parts = content.flatMap((part, index) => read(part, `${at}/content/${index}`) ?? []);
    return typeof pivot === 'string' && pivot !== '.' ? { op, content: parts, pivot } : { op, content: parts };
  }
  const known = typeof op === 'string' ? (ALIASES[op] ?? op) : '';
  if (!LEAVES.has(known)) throw wrong(`${at}/op`, texts.query.expected.operator(JSON.stringify(op)));
  return readLeaf(known as LeafOp, content, at);
}

function readLeaf(op: LeafOp, content: unknown, at: string): Leaf {
  if (typeof content !== 'object' || content === null) throw wrong(`${at}/content`, texts.query.expected.leaf);
  const { fieldName, field, fieldNames, value, fuzziness } = content as Record<string, unknown>;
  const values = Array.isArray(value) ? value : [value];
  if (values.some((each) => !['string', 'number', 'boolean'].includes(typeof each))) {
    throw wrong(`${at}/content/value`, texts.query.expected.value);
  }
  if (op === 'wildcard' || op === 'fuzzy') {
    const names = Array.isArray(fieldNames) ? fieldNames : [fieldNames ?? fieldName ?? field];
    if (!names.every((name) => typeof name === 'string'))
      throw wrong(`${at}/content/fieldNames`, texts.query.expected.fields);
    const extra = fuzziness === undefined ? {} : { fuzziness: fuzziness as number | string };
    return { op, content: { fieldNames: names, value: values[0] as Value, ...extra } };
  }
  const name = fieldName ?? field;
  if (typeof name !== 'string') throw wrong(`${at}/content/fieldName`, texts.query.expected.field);
  return { op, content: { fieldName: name, value: value as Value | Value[] } };
}

function wrong(at: string, expected: string): Error {
  return new Error(texts.query.wrongAt(at, expected));
}

/** Writes a filter as compact JSON, for addresses. */
export function stringify(sqon: Group | null): string {
  return sqon ? JSON.stringify(sqon) : '';
}
