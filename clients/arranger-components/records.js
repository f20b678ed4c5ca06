// All records of a catalogue, read without any filter, and counts made of them here: what the portal shows is compared with
// these, not with another answer to the same filter.

import { ask } from './support.js';

/** Reads some fields of all records. */
export async function recordsOf(catalogue, fieldNames) {
  const node = fieldNames.map((fieldName) => selection(catalogue, fieldName)).join(' ');
  const { hits } = await ask(catalogue, `hits(first: 10000) { total edges { node { ${node} } } }`);
  if (hits.total !== hits.edges.length) throw new Error(`${hits.edges.length} of ${hits.total} records were read`);
  return hits.edges.map(({ node: record }) => record);
}

function selection({ extended }, fieldName) {
  const parts = fieldName.split('.');
  return parts.reduceRight((inner, part, index) => {
    if (inner === '') return part;
    const container = parts.slice(0, index + 1).join('.');
    const isNested = extended.some((field) => field.fieldName === container && field.type === 'nested');
    return isNested ? `${part} { hits { edges { node { ${inner} } } } }` : `${part} { ${inner} }`;
  }, '');
}

/** Returns every value that a record has in a field. */
export function valuesOf(record, fieldName) {
  const [part, ...rest] = fieldName.split('.');
  const found = record?.[part];
  if (found === null || found === undefined) return [];
  if (rest.length === 0) return [found].flat();
  const inner = found.hits ? found.hits.edges.map(({ node }) => node) : [found];
  return inner.flatMap((element) => valuesOf(element, rest.join('.')));
}

/** Counts the records with each value of a field, the most frequent first, as a facet shows them. */
export function countsOf(records, fieldName) {
  const counts = new Map();
  for (const record of records) {
    for (const value of new Set(valuesOf(record, fieldName))) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}
