// The rules for schemas of analysis types, checked before the server does.

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

/** Returns everything that is wrong with a schema. */
export function problemsOf(schema: SchemaObject): string[] {
  const problems: string[] = [];
  const properties = (schema.properties ?? {}) as Record<string, SchemaObject>;
  const required = Array.isArray(schema.required) ? schema.required : [];
  if (schema.type !== 'object') problems.push('The type of the whole must be “object”.');
  if (!('experiment' in properties)) problems.push('There must be a property “experiment”.');
  else if (properties.experiment?.type !== 'object' && !properties.experiment?.$ref)
    problems.push('“experiment” must be an object.');
  if (!required.includes('experiment')) problems.push('“experiment” must be required.');
  for (const name of OWNED.filter((each) => each in properties))
    problems.push(`“${name}” belongs to the server and cannot be a property.`);
  for (const keyword of Object.keys(schema).filter(
    (each) => !['type', 'definitions', 'required', 'properties'].includes(each),
  )) {
    problems.push(`“${keyword}” is not allowed at the top; only type, properties, required and definitions are.`);
  }
  return problems;
}
