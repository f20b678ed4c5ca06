// Edits of a filter. Each function returns a new filter and leaves the old one unchanged.
//
// A place within a filter is a path of indexes. Empty groups disappear, and a group of one that says no more than its
// only part is replaced by it.

import { bound, isBound, isOfElement, type Nesting, spread, withBound } from './elements';
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

/** Returns the conditions that facets show and change: those of the outermost group, bound ones included. */
function outermost(root: Group | null): Sqon[] {
  if (root?.op !== 'and') return root?.content ?? [];
  return root.content.flatMap((node) => (isBound(node) ? outermost(node) : [node]));
}

/** Says whether a facet has a condition of its own. */
export function hasOwn(root: Group | null, field: string): boolean {
  const range = rangeOf(root, field);
  return filterOf(root, field).values.length > 0 || range.from !== null || range.to !== null;
}

/** Returns the condition of the outermost group on the values of a field. */
export function filterOf(root: Group | null, field: string): FieldFilter {
  const own = outermost(root).find((node) => isOwn(node, field, (op) => op === 'in' || EXCLUDING.has(op)));
  if (!own || isGroup(own)) return { mode: 'include', values: [] };
  return { mode: EXCLUDING.has(own.op) ? 'exclude' : 'include', values: valuesOf(own) };
}

/** Sets the condition of the outermost group on the values of a field. Excluding means that no element has the value. */
export function withFilter(
  root: Group | null,
  field: string,
  { mode, values }: FieldFilter,
  nesting: Nesting,
): Group | null {
  const op = mode === 'include' ? 'in' : nesting(field).length ? 'some-not-in' : 'not-in';
  return withOwn(
    root,
    (node) => isOwn(node, field, (each) => each === 'in' || EXCLUDING.has(each)),
    values.length ? leaf(op, field, values) : null,
    nesting,
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
  for (const node of outermost(root)) {
    if (!isOwn(node, field, (op) => RANGES.has(op))) continue;
    const [first = null, second = null] = valuesOf(node) as (number | string)[];
    if (node.op === 'between') Object.assign(range, { from: first, to: second });
    else if (node.op.startsWith('g')) range.from = first;
    else range.to = first;
  }
  return range;
}

export function withRange(root: Group | null, field: string, { from, to }: Range, nesting: Nesting): Group | null {
  const next =
    from !== null && to !== null
      ? leaf('between', field, [from, to])
      : from !== null
        ? leaf('gte', field, from)
        : to !== null
          ? leaf('lte', field, to)
          : null;
  return withOwn(root, (node) => isOwn(node, field, (op) => RANGES.has(op)), next, nesting);
}

/** Removes the conditions that a facet shows. */
export function withoutField(root: Group | null, field: string, nesting: Nesting): Group | null {
  const withoutValues = withFilter(root, field, { mode: 'include', values: [] }, nesting);
  return withRange(withoutValues, field, { from: null, to: null }, nesting);
}

/**
 * Replaces the conditions that a facet owns, or adds one. Beside alternatives it narrows them all. A condition that
 * speaks of an element, and now of all elements, or the other way round, leaves its place.
 */
function withOwn(
  root: Group | null,
  isMine: (node: Sqon) => boolean,
  next: Leaf | null,
  nesting: Nesting,
): Group | null {
  const base = root?.op === 'or' && root.content.some(isMine) ? root : spread(root, nesting);
  const before = outermost(base).find(isMine);
  const isMoved = before && next && base.op === 'and' && isOfElement(before) !== isOfElement(next);
  const isInPlace = before !== undefined && !isMoved;
  const rest = substituted(base, isMine, isInPlace ? next : null);
  return asRoot(tidy(isInPlace || !next ? rest : withBound(rest, next, nesting)));
}

/** Replaces the first of some conditions of the outermost group and removes the others. */
function substituted(group: Group, isMine: (node: Sqon) => boolean, next: Leaf | null): Group {
  let left = next;
  const visit = (node: Sqon): Sqon[] => {
    if (isMine(node)) {
      const taken = left ? [left] : [];
      left = null;
      return taken;
    }
    return group.op === 'and' && isBound(node) ? [{ ...node, content: node.content.flatMap(visit) }] : [node];
  };
  return { ...group, content: group.content.flatMap(visit) };
}

/** Chooses one more value of a field. */
export function withValue(root: Group | null, field: string, value: Value, nesting: Nesting): Group | null {
  const { mode, values } = filterOf(root, field);
  const kept = mode === 'include' ? values.filter((each) => each !== value) : [];
  return withFilter(root, field, { mode: 'include', values: [...kept, value] }, nesting);
}

/** Adds a condition; one that is there already is not added twice. */
export function withPart(root: Group | null, part: Sqon, nesting: Nesting): Group | null {
  const base = spread(root, nesting);
  const text = JSON.stringify(part);
  if (outermost(base).some((node) => JSON.stringify(node) === text)) return root;
  return asRoot(tidy(withBound(base, part, nesting)));
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

/** Frees the conditions of a bound group: each may hold in another element. */
export function takeApart(root: Group, path: Path): Group | null {
  const around = path.length ? nodeAt(root, path.slice(0, -1)) : undefined;
  return around && isGroup(around) && around.op === 'and' ? ungroup(root, path) : setPivot(root, path, null);
}

/** Binds the parts of a group that stand apart in a container. */
export function bindAt(root: Group, path: Path, container: string, nesting: Nesting): Group | null {
  const node = nodeAt(root, path);
  return node && isGroup(node) ? replaceAt(root, path, bound(node, container, nesting)) : root;
}

function tidy(node: Sqon | null): Sqon | null {
  if (!node || !isGroup(node)) return node;
  const content = node.content.flatMap((part) => tidy(part) ?? []);
  if (content.length === 0) return null;
  const [only] = content;
  if (content.length === 1 && only && node.op !== 'not' && (!node.pivot || isOfElement(only))) return only;
  return { ...node, content };
}
