// A list of ids from outside: read, and compared with what the catalogue has.

import { type Catalogue, type Field, flatName } from '../api/catalogue';
import { graphql } from '../api/client';

/** How many ids are looked for at once. */
const BATCH = 2000;

/** Reads ids from text: separated by lines, commas, semicolons, tabs or spaces; each once. */
export function readIds(text: string): string[] {
  const ids = text
    .split(/[\s,;]+/)
    .map((id) => id.replace(/^["']|["']$/g, ''))
    .filter(Boolean);
  return [...new Set(ids)];
}

export interface Match {
  found: string[];
  missing: string[];
}

/** Looks ids up in a field; upper and lower case are apart, as they are in the data. */
export async function matchIds(
  catalogue: Catalogue,
  field: Field,
  ids: string[],
  signal?: AbortSignal,
): Promise<Match> {
  const name = flatName(field.name);
  const type = catalogue.documentType;
  const query = `query Match($filters: JSON) { ${type} { aggregations(filters: $filters, aggregations_filter_themselves: true, include_missing: false) { ${name} { buckets(max: ${BATCH * 20}) { key } } } } }`;
  const present = new Set<string>();
  for (let at = 0; at < ids.length; at += BATCH) {
    const filters = { op: 'in', content: { fieldName: field.name, value: ids.slice(at, at + BATCH).map(literal) } };
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

/** A star would match anything; ids have none that mean it. */
function literal(id: string): string {
  return id.replaceAll('*', '');
}
