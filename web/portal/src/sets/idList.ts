// Reads a list of ids and compares it with the ids in the catalogue.

import type { Catalogue, Field } from '../api/catalogue';
import { graphql } from '../api/client';

/** How many ids are looked up in one request. */
const BATCH_SIZE = 2000;

/** Reads ids from text: separated by lines, commas, semicolons, tabs or spaces; each once. */
export function readIds(text: string): string[] {
  const ids = text
    .split(/[\s,;]+/)
    .map((id) => id.replace(/^["']|["']$/g, ''))
    .filter(Boolean);
  return [...new Set(ids)];
}

export interface IdMatches {
  found: string[];
  missing: string[];
}

/** Looks ids up in a field. Upper and lower case differ, as in the data. */
export async function matchIds(
  catalogue: Catalogue,
  field: Field,
  ids: string[],
  signal?: AbortSignal,
): Promise<IdMatches> {
  const name = field.graphqlName;
  const type = catalogue.documentType;
  const query = `query Match($filters: JSON) { ${type} { aggregations(filters: $filters, aggregations_filter_themselves: true, include_missing: false) { ${name} { buckets(max: ${BATCH_SIZE * 20}) { key } } } } }`;
  const present = new Set<string>();
  for (let at = 0; at < ids.length; at += BATCH_SIZE) {
    const filters = {
      op: 'in',
      content: { fieldName: field.name, value: ids.slice(at, at + BATCH_SIZE).map(literal) },
    };
    const answer = await graphql<Record<string, { aggregations: Record<string, { buckets: { key: string }[] }> }>>(
      catalogue.graphqlPath,
      query,
      { filters },
      signal,
    );
    for (const { key } of answer[type]?.aggregations[name]?.buckets ?? []) present.add(key);
  }
  return { found: ids.filter((id) => present.has(id)), missing: ids.filter((id) => !present.has(id)) };
}

/** Removes the wildcard character, which would match anything. */
function literal(id: string): string {
  return id.replaceAll('*', '');
}
