// The rules for schemas of analysis types, checked before the server does.

import { texts } from '../texts';
import { resolve, type Schema } from './jsonSchema';
import type { SchemaObject } from './SchemaForm';

const OWNED = [
  'studyId',
  'analysisId',
  'analysisState',
  'analysisType',
  'analysisTypeId',
  'files',
  'createdAt',
  'updatedAt',
  'firstPublishedAt',
  'publishedAt',
  'analysisStateHistory',
];

/** The definitions of the base schema (`crates/schema/src/base.json`). */
const BASE_DEFINITIONS = ['analysisType', 'common', 'file'];

/** Returns everything that is wrong with a schema. */
export function problemsOf(schema: SchemaObject): string[] {
  const problems: string[] = [];
  const rules = texts.manage.rules;
  const properties = membersOf(schema.properties);
  const required = Array.isArray(schema.required) ? schema.required : [];
  if (schema.type !== 'object') problems.push(rules.typeOfWhole);
  if (!('experiment' in properties)) problems.push(rules.noExperiment);
  else if (!describesObject(properties.experiment, schema)) problems.push(rules.experimentIsObject);
  if (!required.includes('experiment')) problems.push(rules.experimentRequired);
  for (const name of OWNED.filter((each) => each in properties)) problems.push(rules.owned(name));
  for (const name of BASE_DEFINITIONS.filter((each) => each in membersOf(schema.definitions)))
    problems.push(rules.baseDefinition(name));
  for (const keyword of Object.keys(schema).filter(
    (each) => !['type', 'definitions', 'required', 'properties'].includes(each),
  )) {
    problems.push(rules.atTop(keyword));
  }
  return problems;
}

function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

/** Says whether a schema allows nothing but objects, by itself, by its reference or by a part of its `allOf`. */
function describesObject(described: unknown, root: Schema, seen = new Set<string>()): boolean {
  const { $ref: reference, type, allOf } = membersOf(described);
  if (typeof reference === 'string') {
    // The server knows the places of plain names, too.
    if (/^#[A-Za-z]/.test(reference)) return true;
    return !seen.has(reference) && describesObject(resolve(reference, root), root, seen.add(reference));
  }
  const types = [type].flat();
  if (types.length === 1 && types[0] === 'object') return true;
  return Array.isArray(allOf) && allOf.some((part) => describesObject(part, root, seen));
}
