// Builds an example payload with everything that a schema requires.

import type { AnalysisType } from '../api/types';
import { exampleText } from './exampleText';
import { resolve, type Schema } from './jsonSchema';

/** Returns an example payload of a type for a study; it is valid unless the schema has rules that it does not know. */
export function exampleOf(
  { name, version, schema }: Pick<AnalysisType, 'name' | 'version' | 'schema'>,
  studyId: string,
): unknown {
  const root = (schema ?? {}) as Schema;
  const made = example(root, root, 0) as Record<string, unknown>;
  return { ...made, studyId, analysisType: { name, version } };
}

function example(schema: Schema, root: Schema, depth: number): unknown {
  if (typeof schema === 'boolean' || depth > 12) return '';
  if (typeof schema.$ref === 'string') {
    const target = resolve(schema.$ref, root);
    return target === undefined ? '' : example(target, root, depth + 1);
  }
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (Array.isArray(schema.allOf)) return example(schema.allOf[0] as Schema, root, depth + 1);
  const [type] = [schema.type].flat();
  switch (type) {
    case 'object':
      return members(schema, root, depth);
    case 'array':
      return schema.minItems ? [example((schema.items ?? true) as Schema, root, depth + 1)] : [];
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 0;
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return exampleText(schema);
  }
}

function members(schema: Record<string, unknown>, root: Schema, depth: number): Record<string, unknown> {
  const properties = (schema.properties ?? {}) as Record<string, Schema>;
  const required = Array.isArray(schema.required) ? (schema.required as string[]) : [];
  return Object.fromEntries(required.map((name) => [name, example(properties[name] ?? true, root, depth + 1)]));
}
