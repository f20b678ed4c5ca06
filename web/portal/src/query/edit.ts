// Edits of a filter. Each function returns a new filter and leaves the old one unchanged.
//
// A place within a filter is a path of indexes. Empty groups disappear, and a group of one that neither negates nor
// binds to an element is replaced by its only part.

import { asRoot, type Group, isGroup, leaf, type Leaf, type Sqon, type Value, valuesOf } from './sqon';

export type Path = number[];

/** Whether a facet includes or excludes its values. */
export interface FieldFilter {
  mode: 'include' | 'exclude';
  values: Value[];
}

const EXCLUDING = new Set(['not-in', 'some-not-in']);

function isOwn(node: Sqon, field: string, ops: (op: string) => boolean): node is Leaf {
  return !isGroup(node) && 'fieldName' in node.content && node.content.fieldName === field && ops(node.op);
}

/** Returns the condition of the outermost group on the values of a field. */
export function filterOf(root: Group | null, field: string): FieldFilter {
  const own = root?.content.find((node): node is Leaf => isOwn(node, field, (op) => op === 'in' || EXCLUDING.has(op)));
  if (!own) return { mode: 'include', values: [] };
  return { mode: EXCLUDING.has(own.op) ? 'exclude' : 'include', values: valuesOf(own) };
}

/** Sets the condition of the outermost group on the values of a field. Excluding means that no element has the value. */
export function withFilter(
  root: Group | null,
  field: string,
  { mode, values }: FieldFilter,
  isNested: boolean,
): Group | null {
  const op = mode === 'include' ? 'in' : isNested ? 'some-not-in' : 'not-in';
  return withOwn(
    root,
    field,
    (each) => each === 'in' || EXCLUDING.has(each),
    values.length ? leaf(op, field, values) : null,
  );
}

export function toggled(filter: FieldFilter, value: Value): FieldFilter {
  const has = filter.values.includes(value);
  return { ...filter, values: has ? filter.values.filter((each) => each !== value) : [...filter.values, value] };
}

export interface Range {
  from: number | string | null;
  to: number | string | null;
}

const RANGES = new Set(['between', 'gt', 'gte', 'lt', 'lte']);

/** Returns the bounds that the outermost group sets to a field. */
export function rangeOf(root: Group | null, field: string): Range {
  const range: Range = { from: null, to: null };
  for (const node of root?.content ?? []) {
    if (!isOwn(node, field, (op) => RANGES.has(op))) continue;
    const [first = null, second = null] = valuesOf(node) as (number | string)[];
    if (node.op === 'between') Object.assign(range, { from: first, to: second });
    else if (node.op.startsWith('g')) range.from = first;
    else range.to = first;
  }
  return range;
}

export function withRange(root: Group | null, field: string, { from, to }: Range): Group | null {
  const next =
    from !== null && to !== null
      ? leaf('between', field, [from, to])
      : from !== null
        ? leaf('gte', field, from)
        : to !== null
          ? leaf('lte', field, to)
          : null;
  return withOwn(root, field, (op) => RANGES.has(op), next);
}

/** Replaces the leaves of a field, or appends one. */
function withOwn(root: Group | null, field: string, ops: (op: string) => boolean, next: Leaf | null): Group | null {
  const base: Group = root ?? { op: 'and', content: [] };
  const at = base.content.findIndex((node) => isOwn(node, field, ops));
  const rest: Sqon[] = base.content.filter((node) => !isOwn(node, field, ops));
  if (next) rest.splice(at < 0 ? rest.length : at, 0, next);
  return asRoot(tidy({ ...base, content: rest }));
}

/** Adds a condition; one that is there already is not added twice. */
export function withPart(root: Group | null, part: Sqon): Group | null {
  if (!root) return asRoot(part);
  const text = JSON.stringify(part);
  if (root.content.some((node) => JSON.stringify(node) === text)) return root;
  const base: Group = root.op === 'or' ? { op: 'and', content: [root] } : root;
  return { ...base, content: [...base.content, part] };
}

export function nodeAt(root: Group, path: Path): Sqon | undefined {
  return path.reduce<Sqon | undefined>(
    (node, index) => (node && isGroup(node) ? node.content[index] : undefined),
    root,
  );
}

/** Replaces or removes the node at a path. */
export function replaceAt(root: Group, path: Path, next: Sqon | null): Group | null {
  return asRoot(tidy(replaced(root, path, next)));
}

function replaced(node: Sqon, [index, ...rest]: Path, next: Sqon | null): Sqon | null {
  if (index === undefined) return next;
  if (!isGroup(node)) return node;
  const content = node.content.flatMap((part, at) => (at === index ? (replaced(part, rest, next) ?? []) : part));
  return { ...node, content };
}

/** Removes one value from a leaf. */
export function withoutValue(root: Group, path: Path, value: Value): Group | null {
  const node = nodeAt(root, path);
  if (!node || isGroup(node) || !('fieldName' in node.content)) return root;
  const values = valuesOf(node).filter((each) => each !== value);
  return replaceAt(root, path, values.length ? leaf(node.op, node.content.fieldName, values) : null);
}

/** Changes `and` to `or` and back. */
export function switchGroup(root: Group, path: Path): Group | null {
  const node = nodeAt(root, path);
  if (!node || !isGroup(node) || node.op === 'not') return root;
  const { pivot: _, ...plain } = node;
  // A pivot binds conditions that hold together; alternatives have nothing to bind.
  const next: Group = node.op === 'and' ? { ...plain, op: 'or' } : { ...plain, op: 'and' };
  return path.length ? replaceAt(root, path, next) : next;
}

/** Negates a condition. */
export function negate(root: Group, path: Path, isNested: (field: string) => boolean): Group | null {
  const node = nodeAt(root, path);
  if (!node) return root;
  if (isGroup(node)) {
    if (node.op !== 'not') return replaceAt(root, path, { op: 'not', content: [node] });
    const { pivot } = node;
    const only = node.content.length === 1 ? node.content[0] : undefined;
    return replaceAt(
      root,
      path,
      only && !pivot ? only : { op: pivot ? 'and' : 'or', content: node.content, ...(pivot ? { pivot } : {}) },
    );
  }
  const opposite = { in: 'not-in', 'not-in': 'in', 'some-not-in': 'in' } as const;
  if (node.op === 'in' || node.op === 'not-in' || node.op === 'some-not-in') {
    const [field] = 'fieldName' in node.content ? [node.content.fieldName] : [''];
    const op = node.op === 'in' && isNested(field) ? 'some-not-in' : opposite[node.op];
    return replaceAt(root, path, { ...node, op });
  }
  return replaceAt(root, path, { op: 'not', content: [node] });
}

/** Groups a condition with the one after it. */
export function joinNext(root: Group, path: Path, op: 'and' | 'or'): Group | null {
  const index = path.at(-1);
  const around = nodeAt(root, path.slice(0, -1));
  if (index === undefined || !around || !isGroup(around)) return root;
  const [first, second] = around.content.slice(index, index + 2);
  if (!first || !second) return root;
  const parts = [first, second].flatMap((node) =>
    isGroup(node) && node.op === op && !node.pivot ? node.content : [node],
  );
  const content = [
    ...around.content.slice(0, index),
    { op, content: parts } as Group,
    ...around.content.slice(index + 2),
  ];
  const next: Group = { ...around, content };
  return path.length > 1 ? replaceAt(root, path.slice(0, -1), next) : asRoot(tidy(next));
}

/** Dissolves a group into the one around it. */
export function ungroup(root: Group, path: Path): Group | null {
  const index = path.at(-1);
  const node = nodeAt(root, path);
  const around = nodeAt(root, path.slice(0, -1));
  if (index === undefined || !node || !isGroup(node) || !around || !isGroup(around)) return root;
  const content = [...around.content.slice(0, index), ...node.content, ...around.content.slice(index + 1)];
  const next: Group = { ...around, content };
  return path.length > 1 ? replaceAt(root, path.slice(0, -1), next) : asRoot(next);
}

/** Sets or removes the pivot of a group, which binds its conditions to the same nested element. */
export function setPivot(root: Group, path: Path, pivot: string | null): Group | null {
  const node = nodeAt(root, path);
  if (!node || !isGroup(node)) return root;
  const { pivot: _, ...plain } = node;
  const next: Group = pivot ? { ...plain, pivot } : plain;
  return path.length ? replaceAt(root, path, next) : next;
}

function tidy(node: Sqon | null): Sqon | null {
  if (!node || !isGroup(node)) return node;
  const content = node.content.flatMap((part) => tidy(part) ?? []);
  if (content.length === 0) return null;
  const [only] = content;
  if (content.length === 1 && only && node.op !== 'not' && !node.pivot) return only;
  return { ...node, content };
}
