// Records that share an identifier with a record: in its own catalogue and in others.

import type { Catalogue, Field } from '../api/catalogue';
import { graphql } from '../api/client';
import { leaf, type Leaf } from '../query/sqon';
import { idFields } from '../sets/idFields';
import type { Document } from './FieldTree';

export interface Relation {
  field: Field;
  values: string[];
}

export interface CountedRelation extends Relation {
  records: number;
}

/** How many fields relate a record to a catalogue; each takes an alias of a request. */
const MAX_RELATIONS = 6;
/** How many values of a field still make a relation: one that nearly everything shares says nothing. */
const MAX_VALUES = 20;

/** Returns the texts at a path of a document, through all lists on the way. */
export function valuesAt(value: unknown, path: string[]): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => valuesAt(each, path));
  const [name, ...rest] = path;
  if (name === undefined) return typeof value === 'string' ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return valuesAt((value as Document)[name], rest);
}

/** Returns the name of an identifier without its spelling: `donorId` and `donor_id` are the same. */
function plainName(name: string): string {
  return (name.split('.').at(-1) ?? name).replace(/[-_]/g, '').toLowerCase();
}

function identifiers(catalogue: Catalogue): Field[] {
  return idFields(catalogue).filter(({ name }) => plainName(name).endsWith('id'));
}

/** Returns how a record of one catalogue relates to the records of another, or to others of its own. */
export function relationsOf(document: Document, own: Catalogue, target: Catalogue): Relation[] {
  const isOwn = own.id === target.id;
  const known = new Map(identifiers(target).map((field) => [plainName(field.name), field]));
  const relations = identifiers(own).flatMap((field): Relation[] => {
    const related = isOwn ? field : known.get(plainName(field.name));
    const values = [...new Set(valuesAt(document, field.name.split('.')))];
    const isUsable = values.length > 0 && values.length <= MAX_VALUES && !(isOwn && field === own.keyField);
    return related && isUsable ? [{ field: related, values }] : [];
  });
  return relations.slice(0, MAX_RELATIONS);
}

/** Returns the condition that records of a relation meet. */
export function relationFilter(catalogue: Catalogue, { field, values }: Relation): Leaf {
  return leaf('in', catalogue.exactField(field).name, values);
}

/** Counts the records of each relation, all in one request. */
export async function countRelations(
  catalogue: Catalogue,
  relations: Relation[],
  signal: AbortSignal,
): Promise<CountedRelation[]> {
  if (relations.length === 0) return [];
  const type = catalogue.documentType;
  const parameters = relations.map((_, index) => `$f${index}: JSON`).join(', ');
  const parts = relations.map((_, index) => `r${index}: hits(filters: $f${index}, first: 0) { total }`).join(' ');
  const filters = relations.map((relation, index): [string, Leaf] => [
    `f${index}`,
    relationFilter(catalogue, relation),
  ]);
  const answer = await graphql<Record<string, Record<string, { total: number }>>>(
    catalogue.graphqlPath,
    `query Related(${parameters}) { ${type} { ${parts} } }`,
    Object.fromEntries(filters),
    signal,
  );
  return relations.map((relation, index) => ({ ...relation, records: answer[type]?.[`r${index}`]?.total ?? 0 }));
}
