// Which conditions must hold in one and the same element of a nested list.
//
// Conditions on one list mean one element, because that is how the server counts the values of facets
// (`crates/engine/src/translate/group.rs`). In a filter they stand in a bound group: an `and` with a pivot. A condition
// that is alone needs no group. Two or more that stand beside each other without a bound group are apart: each may hold
// in another element.

import { fieldsOf, type Group, isGroup, type Sqon, valuesOf } from './sqon';

/** Returns the nested containers around a field, outermost first. */
export type Nesting = (field: string) => string[];

/** A group whose conditions hold in one element of the container that is its pivot. */
export interface BoundGroup extends Group {
  op: 'and';
  pivot: string;
}

export function isBound(node: Sqon): node is BoundGroup {
  return isGroup(node) && node.op === 'and' && typeof node.pivot === 'string';
}

/** Says whether a condition can hold in one element alone; others speak of all elements of a record. */
export function isOfElement(node: Sqon): boolean {
  if (isGroup(node)) return isBound(node);
  return node.op !== 'some-not-in' && (node.op !== 'all' || valuesOf(node).length === 1);
}

/** Returns the containers that a condition of an element lies in, outermost first. */
function containersOf(node: Sqon, nesting: Nesting): string[] {
  if (!isOfElement(node)) return [];
  if (isGroup(node)) return node.pivot ? [...nesting(node.pivot), node.pivot] : [];
  const [first = [], ...others] = fieldsOf(node).map(nesting);
  return others.reduce((common, next) => common.filter((path) => next.includes(path)), first);
}

/** Returns the container of a part of a group: the outermost one within the pivot of the group. */
function containerOf(part: Sqon, around: string | null, nesting: Nesting): string | undefined {
  const containers = containersOf(part, nesting);
  return containers[around === null ? 0 : containers.indexOf(around) + 1];
}

/** Returns the containers of which several parts of a group stand apart, each with the indexes of these parts. */
export function apartIn(group: Group, nesting: Nesting): Map<string, number[]> {
  const found = new Map<string, number[]>();
  if (group.op !== 'and') return found;
  group.content.forEach((part, index) => {
    const container = containerOf(part, group.pivot ?? null, nesting);
    if (container !== undefined) found.set(container, [...(found.get(container) ?? []), index]);
  });
  return new Map([...found].filter(([, indexes]) => indexes.length > 1));
}

/** Binds the parts of a group that stand apart in a container, so that one element must meet them all. */
export function bound(group: Group, container: string, nesting: Nesting): Group {
  const indexes = apartIn(group, nesting).get(container) ?? [];
  const [first, ...others] = indexes.flatMap((index) => group.content[index] ?? []);
  if (!first) return group;
  const whole = others.reduce((before, part) => joined(before, part, nesting), first);
  const rest = group.content.flatMap((part, index) => (indexes.slice(1).includes(index) ? [] : [part]));
  return { ...group, content: rest.map((part) => (part === first ? whole : part)) };
}

/** Adds a condition to a group: bound to the one part that speaks of the same list, else beside the others. */
export function withBound(group: Group, part: Sqon, nesting: Nesting): Group {
  return { ...group, content: placed(group.content, part, group.pivot ?? null, nesting) };
}

function placed(content: Sqon[], part: Sqon, around: string | null, nesting: Nesting): Sqon[] {
  const container = containerOf(part, around, nesting);
  const beside = content.filter((each) => container && containerOf(each, around, nesting) === container);
  const [only] = beside;
  if (!only || beside.length > 1) return [...content, part];
  return content.map((each) => (each === only ? joined(only, part, nesting) : each));
}

/** Joins two parts that lie in one container. */
function joined(first: Sqon, second: Sqon, nesting: Nesting): Sqon {
  const around = containersOf(second, nesting);
  if (isBound(first) && around.includes(first.pivot)) return inserted(first, second, nesting);
  const before = containersOf(first, nesting);
  if (isBound(second) && before.includes(second.pivot)) return inserted(second, first, nesting);
  return { op: 'and', content: [first, second], pivot: before.findLast((path) => around.includes(path)) };
}

function inserted(group: BoundGroup, part: Sqon, nesting: Nesting): Group {
  const parts = isBound(part) && part.pivot === group.pivot ? part.content : [part];
  return parts.reduce<Group>((before, each) => withBound(before, each, nesting), group);
}

/** Returns a filter as an `and` without a pivot that says the same. */
export function spread(root: Group | null, nesting: Nesting): Group {
  if (!root) return { op: 'and', content: [] };
  return { op: 'and', content: root.op === 'and' ? partsOf(root, nesting) : [root] };
}

/** Returns the parts of an `and`; what its pivot binds is one of them. */
function partsOf(group: Group, nesting: Nesting): Sqon[] {
  const { pivot } = group;
  if (!pivot) {
    return group.content.flatMap((part) => (isGroup(part) && part.op === 'and' ? partsOf(part, nesting) : [part]));
  }
  const within = group.content.filter((part) => liesWithin(part, pivot, nesting));
  const outside = group.content.filter((part) => !within.includes(part));
  const others = partsOf({ op: 'and', content: outside }, nesting);
  return within.length ? [{ op: 'and', content: within.flatMap(unwrapped), pivot }, ...others] : others;
}

/** Returns the parts of an `and` without a pivot; any other filter is its own only part. */
function unwrapped(node: Sqon): Sqon[] {
  return isGroup(node) && node.op === 'and' && !node.pivot ? node.content.flatMap(unwrapped) : [node];
}

function liesWithin(node: Sqon, container: string, nesting: Nesting): boolean {
  const fields = fieldsIn(node);
  return fields.length > 0 && fields.every((field) => nesting(field).includes(container));
}

/** Returns the fields that a filter mentions. */
export function fieldsIn(node: Sqon): string[] {
  return isGroup(node) ? node.content.flatMap(fieldsIn) : fieldsOf(node);
}

/**
 * Returns the same filter, written so that the number beside a value is the total after a click on it.
 *
 * Left to itself the server counts all conditions of a list in one element, but not those of two lists within it. So a
 * condition is put into a bound group for each container around it, and one that stands apart into an `or` of its own,
 * whose content selects records.
 */
export function forCounts(root: Group | null, nesting: Nesting): Group | null {
  if (!root || root.op !== 'and') return root;
  return { op: 'and', content: explicit(spread(root, nesting), nesting) };
}

function explicit(group: Group, nesting: Nesting): Sqon[] {
  const apart = [...apartIn(group, nesting).values()].flat();
  return group.content.map((part, index) => {
    const inner: Sqon = isBound(part) ? { ...part, content: explicit(part, nesting) } : part;
    if (apart.includes(index)) return { op: 'or', content: [inner] };
    const containers = containersOf(part, nesting);
    const around = containers.slice(group.pivot ? containers.indexOf(group.pivot) + 1 : 0, -1);
    return around.reduceRight<Sqon>((content, pivot) => ({ op: 'and', content: [content], pivot }), inner);
  });
}
