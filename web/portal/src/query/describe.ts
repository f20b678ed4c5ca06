// A filter in words.

import type { Catalogue, Field } from '../api/catalogue';
import { day, quantity, singular, valueText } from '../design/format';
import { texts } from '../texts';
import { apartIn } from './elements';
import { fieldsOf, type Group, isGroup, type Leaf, type Sqon, type Value, valuesOf } from './sqon';

export interface Phrase {
  subject: string;
  verb: string;
  values: { value: Value; text: string }[];
  /** The word between the values. */
  joint: string;
}

const SETS = /^set_id:/;

/** Describes a condition; `setNames` has the names of saved sets. */
export function phrase(leaf: Leaf, catalogue: Catalogue, setNames: ReadonlyMap<string, string> = new Map()): Phrase {
  const fields = fieldsOf(leaf).map((name) => catalogue.findField(name));
  const names = fieldsOf(leaf);
  const [field] = fields;
  const subject =
    names.length > 2
      ? texts.query.anyText
      : names.map((name, index) => fields[index]?.label ?? name).join(` ${texts.query.or} `);
  const values = valuesOf(leaf).map((value) => ({ value, text: textOf(value, field, leaf.op, setNames) }));
  return { subject, values, ...wording(leaf, values.length, field) };
}

function wording(leaf: Leaf, many: number, field: Field | undefined): { verb: string; joint: string } {
  const inSet = valuesOf(leaf).every((value) => SETS.test(String(value)));
  const isDate = field?.kind === 'date';
  const { verbs, and, or, nor } = texts.query;
  switch (leaf.op) {
    case 'in':
      return { verb: inSet ? verbs.isIn : many > 1 ? verbs.isAnyOf : verbs.is, joint: or };
    case 'not-in':
    case 'some-not-in':
      if (inSet) return { verb: verbs.isNotIn, joint: or };
      return { verb: many > 1 ? verbs.isNoneOf : verbs.isNot, joint: nor };
    case 'all':
      return { verb: verbs.hasAllOf, joint: and };
    case 'between':
      return { verb: verbs.isBetween, joint: and };
    case 'gt':
      return { verb: isDate ? verbs.isAfter : verbs.isMoreThan, joint: and };
    case 'gte':
      return { verb: isDate ? verbs.isFrom : verbs.isAtLeast, joint: and };
    case 'lt':
      return { verb: isDate ? verbs.isBefore : verbs.isLessThan, joint: and };
    case 'lte':
      return { verb: isDate ? verbs.isUntil : verbs.isAtMost, joint: and };
    case 'wildcard':
      return { verb: verbs.matches, joint: or };
    case 'fuzzy':
      return { verb: verbs.isLike, joint: or };
  }
}

function textOf(value: Value, field: Field | undefined, op: string, setNames: ReadonlyMap<string, string>): string {
  const text = String(value);
  if (SETS.test(text))
    return texts.query.set(setNames.get(text.replace(SETS, '')) ?? text.replace(SETS, '').slice(0, 8));
  if (op === 'wildcard') return text.replace(/^\*(.*)\*$/, '$1');
  if (field?.kind === 'number' && typeof value === 'number') return quantity(value, field);
  if (field?.kind === 'date' && typeof value === 'number') return day(value);
  return valueText(value, field);
}

/** Returns what an element of a nested container is called: “donor” for `analysis.donors`. */
export function elementNoun(container: string, catalogue: Catalogue): string {
  const last = container.split('.').at(-1) ?? container;
  const own = last
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[-_]+/g, ' ')
    .toLowerCase();
  const label = catalogue.fields.get(container)?.label ?? own;
  // A label that was made of the whole path is no noun.
  const noun = label.toLowerCase().endsWith(own) ? own : label;
  return singular(/^[A-Z][a-z]/.test(noun) ? noun.charAt(0).toLowerCase() + noun.slice(1) : noun);
}

/** Begins what must hold in one element: “a donor with”; a group that negates says “no donor with”. */
export function elementWords(container: string, catalogue: Catalogue, isNegated = false): string {
  const noun = elementNoun(container, catalogue);
  return isNegated ? texts.query.noElement(noun) : texts.query.oneElement(noun);
}

/** Begins a condition that stands apart from others on the same list. */
export function apartWords(container: string, catalogue: Catalogue): string {
  return texts.query.anyElement(elementNoun(container, catalogue));
}

/** Writes a whole filter as a sentence, for screen readers and titles; `setNames` has the names of saved sets. */
export function sentence(root: Group | null, catalogue: Catalogue, setNames?: ReadonlyMap<string, string>): string {
  return root ? sayNode(root, catalogue, setNames, true) : '';
}

function sayNode(
  node: Sqon,
  catalogue: Catalogue,
  setNames: ReadonlyMap<string, string> | undefined,
  isOutermost = false,
): string {
  if (!isGroup(node)) {
    const { subject, verb, values, joint } = phrase(node, catalogue, setNames);
    return `${subject} ${verb} ${values.map(({ text }) => text).join(` ${joint} `)}`;
  }
  const apart = [...apartIn(node, catalogue.nesting)];
  const parts = node.content.map((part, index) => {
    const container = isGroup(part) ? undefined : apart.find(([, indexes]) => indexes.includes(index))?.[0];
    return `${container ? `${apartWords(container, catalogue)} ` : ''}${sayNode(part, catalogue, setNames)}`;
  });
  if (node.pivot && node.op !== 'or') {
    return `${elementWords(node.pivot, catalogue, node.op === 'not')} (${parts.join(` ${texts.query.and} `)})`;
  }
  if (node.op === 'not') return `${texts.query.not} (${parts.join(` ${texts.query.or} `)})`;
  const text = parts.join(` ${texts.query[node.op]} `);
  return isOutermost || parts.length === 1 ? text : `(${text})`;
}
