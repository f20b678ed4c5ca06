// A filter as conditions of the Python package (`clients/python`) that mean exactly the same.
//
// There `&` binds conditions on one nested list to one element. Conditions that are apart in the filter are put into
// `apart`, and what has no form of its own stays JSON (`sqon`).

import { fieldsIn, isOfElement, type Nesting } from '../query/elements';
import { fieldsOf, type Group, isGroup, type Leaf, type Sqon, type Value, valuesOf } from '../query/sqon';

const MISSING = '__missing__';
const SET = 'set_id:';

const COMPARISONS: Partial<Record<Leaf['op'], string>> = { gt: '>', gte: '>=', lt: '<', lte: '<=' };

/** Returns the names that code needs of the package. */
export function importsOf(code: string): string[] {
  return ['Cantata', 'apart', 'element', 'field', 'sqon'].filter((name) => code.includes(`${name}(`));
}

/** Writes a value as Python has it. */
export function pythonLiteral(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${pythonLiteral(member)}`);
  return `{${members.join(', ')}}`;
}

/** Writes a filter as conditions; several that must all hold are on lines of their own. */
export function pythonConditions(filter: Group, nesting: Nesting): string {
  const isJoined = filter.op === 'and' && !filter.pivot && filter.content.length > 1;
  if (!isJoined || sharesList(filter, nesting)) return condition(filter, nesting);
  const lines = filter.content.map((part) => condition(part, nesting));
  return `(\n        ${lines.join('\n        & ')}\n    )`;
}

function condition(node: Sqon, nesting: Nesting): string {
  if (!isGroup(node)) return test(node, nesting);
  const parts = node.content.map((part) => condition(part, nesting));
  if (!parts.length) return written(node);
  if (node.op === 'or') return joined(parts, ' | ');
  if (node.op === 'not') return node.pivot ? written(node) : `~${joined(parts, ' | ')}`;
  const isApart = sharesList(node, nesting);
  if (!node.pivot) return isApart ? `apart(${parts.join(', ')})` : joined(parts, ' & ');
  const isWithin = fieldsIn(node).every((name) => nesting(name).includes(node.pivot ?? ''));
  return isApart || !isWithin ? written(node) : `element(${pythonLiteral(node.pivot)}, ${parts.join(', ')})`;
}

function joined(parts: string[], operator: string): string {
  return parts.length > 1 ? `(${parts.join(operator)})` : parts.join('');
}

/** Says whether Python would bind parts of a group to one element which the filter does not bind. */
function sharesList({ content, pivot }: Group, nesting: Nesting): boolean {
  const lists = content.flatMap((part) => [...listsOf(part, pivot ?? null, nesting)]);
  return new Set(lists).size < lists.length;
}

/** Returns the lists that a part speaks of one element of: the outermost ones within the pivot around it. */
function listsOf(part: Sqon, around: string | null, nesting: Nesting): Set<string> {
  if (isGroup(part) ? part.op === 'not' : !isOfElement(part)) return new Set();
  const lists = fieldsIn(part).map((field) => {
    const containers = nesting(field);
    return containers[around === null ? 0 : containers.indexOf(around) + 1];
  });
  return new Set(lists.filter((list) => list !== undefined));
}

function written(node: Sqon): string {
  return `sqon(${pythonLiteral(node)})`;
}

function test(leaf: Leaf, nesting: Nesting): string {
  const { op, content } = leaf;
  const values = valuesOf(leaf);
  const [first = ''] = values;
  const field = `field(${fieldsOf(leaf).map(pythonLiteral).join(', ')})`;
  const comparison = COMPARISONS[op];
  if (comparison && values.length === 1) return `(${field} ${comparison} ${pythonLiteral(first)})`;
  if (op === 'between' && values.length === 2) return `${field}.between(${values.map(pythonLiteral).join(', ')})`;
  if (op === 'wildcard') return `${field}.matches(${pythonLiteral(first)})`;
  if (op === 'fuzzy') {
    const fuzziness = 'fuzziness' in content && content.fuzziness !== undefined ? content.fuzziness : 'AUTO';
    return `${field}.is_like(${pythonLiteral(first)}, ${pythonLiteral(fuzziness)})`;
  }
  if (op === 'not-in' && values.length === 1 && first === MISSING) return `${field}.is_present()`;
  if (op === 'in' && values.length === 1 && first === MISSING) return `${field}.is_missing()`;
  if (op === 'in' && values.length === 1 && isSet(first))
    return `${field}.in_set(${pythonLiteral(first.slice(SET.length))})`;
  if (values.some((value) => isSet(value) || isPattern(value))) return written(leaf);
  const list = pythonLiteral(values.map((value) => (value === MISSING ? null : value)));
  const isNested = fieldsOf(leaf).some((name) => nesting(name).length > 0);
  if (op === 'in') return values.length === 1 ? `(${field} == ${pythonLiteral(first)})` : `${field}.is_in(${list})`;
  if (op === 'all' && !values.includes(MISSING)) return `${field}.has_all(${list})`;
  // In a nested list `not-in` means that some element has none of the values.
  if (op === 'some-not-in' || (op === 'not-in' && !isNested)) {
    return values.length === 1 ? `(${field} != ${list.slice(1, -1)})` : `${field}.not_in(${list})`;
  }
  return written(leaf);
}

function isSet(value: Value): value is string {
  return typeof value === 'string' && value.startsWith(SET);
}

function isPattern(value: Value): boolean {
  return typeof value === 'string' && value.includes('*');
}
