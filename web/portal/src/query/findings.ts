// What a text finds in a catalogue: values of its facets, and identifiers, names and titles of its records.

import type { Catalogue, Field } from '../api/catalogue';
import { graphql } from '../api/client';
import { valueText } from '../design/format';
import type { Leaf } from './sqon';

/** A value that a text finds. */
export interface Finding {
  field: Field;
  /** What its field is called. */
  label: string;
  value: string;
  text: string;
  /** How many records have it; null where that was not counted. */
  records: number | null;
}

/** What was found in one field. */
export interface FindingGroup {
  path: string;
  label: string;
  findings: Finding[];
}

/** How many values of a facet are looked through. */
const MAX_VALUES = 500;
/** How many records are looked through for identifiers and names. */
const MAX_RECORDS = 20;
const MAX_GROUPS = 5;
const MAX_IN_GROUP = 5;

/** Returns the facets whose values can be found by typing. */
function textFacets({ facets }: Catalogue) {
  return facets.filter(({ field }) => field.kind === 'terms');
}

/** Says whether there is anything to find by typing. */
export function canFind(catalogue: Catalogue): boolean {
  return catalogue.quickFields.length > 0 || textFacets(catalogue).length > 0;
}

/** Fetches the values of all facets, whatever the filter. */
export async function fetchFacetValues(catalogue: Catalogue, signal: AbortSignal): Promise<Finding[]> {
  const facets = textFacets(catalogue);
  if (facets.length === 0) return [];
  const parts = facets.map(({ field }) => `${field.graphqlName} { buckets(max: ${MAX_VALUES}) { key doc_count } }`);
  const type = catalogue.documentType;
  const query = `query FacetValues { ${type} { aggregations(include_missing: false) { ${parts.join(' ')} } } }`;
  const answer = await graphql<
    Record<string, { aggregations: Record<string, { buckets: { key: string; doc_count: number }[] }> }>
  >(catalogue.graphqlPath, query, {}, signal);
  const counts = answer[type]?.aggregations ?? {};
  return facets.flatMap(({ field, label }) =>
    (counts[field.graphqlName]?.buckets ?? []).map(({ key, doc_count }): Finding => ({
      field,
      label,
      value: key,
      text: valueText(key, field),
      records: doc_count,
    })),
  );
}

/** Fetches values of identifiers, names and titles that contain a text, from the records that match it best. */
export async function fetchRecordValues(catalogue: Catalogue, text: string, signal: AbortSignal): Promise<Finding[]> {
  const fields = catalogue.quickFields.filter(({ isMultiField }) => !isMultiField);
  if (fields.length === 0) return [];
  const names = fields.map(({ selection }) => selection).join(' ');
  const type = catalogue.documentType;
  const query = `query Suggest($filters: JSON) { ${type} { hits(filters: $filters, first: ${MAX_RECORDS}, sort: [{fieldName: "_score", order: desc}], trackTotalHits: false) { edges { node { id ${names} } } } } }`;
  const answer = await graphql<Record<string, { hits: { edges: { node: Record<string, unknown> }[] } }>>(
    catalogue.graphqlPath,
    query,
    { filters: wildcard(fields, text, catalogue) },
    signal,
  );
  const wanted = plain(text);
  const found = new Map<string, Finding>();
  for (const { node } of answer[type]?.hits.edges ?? []) {
    for (const field of fields) {
      for (const value of [node[field.graphqlName]].flat(3)) {
        if (typeof value !== 'string' || !value.toLowerCase().includes(wanted)) continue;
        const finding = { field, label: field.label, value, text: valueText(value, field), records: null };
        found.set(`${field.name} ${value}`, finding);
      }
    }
  }
  return [...found.values()];
}

/** Returns the condition on everything that contains a text. */
export function containing(catalogue: Catalogue, text: string): Leaf {
  return wildcard([...catalogue.quickFields, ...textFacets(catalogue).map(({ field }) => field)], text, catalogue);
}

function wildcard(fields: Field[], text: string, catalogue: Catalogue): Leaf {
  const fieldNames = [...new Set(fields.map((field) => catalogue.exactField(field).name))];
  return { op: 'wildcard', content: { fieldNames, value: /[*?]/.test(text) ? text : `*${text}*` } };
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[*?]/g, '');
}

/** Returns where a text is found best: at the beginning, at that of a word, anywhere, or nowhere. */
function rank(text: string, wanted: string): number {
  const at = text.toLowerCase().indexOf(wanted);
  if (at < 0) return Infinity;
  return at === 0 ? 0 : /[^\p{L}\p{N}]/u.test(text.charAt(at - 1)) ? 1 : 2;
}

/** Groups what a text finds by field: the best matches first, those of the name of a field last. */
export function grouped(findings: Finding[], text: string): FindingGroup[] {
  const wanted = plain(text);
  const ranked = findings
    .map((finding) => ({ finding, rank: Math.min(rank(finding.text, wanted), 3 + rank(finding.label, wanted)) }))
    .filter((each) => each.rank < Infinity)
    .sort((one, other) => one.rank - other.rank || (other.finding.records ?? 0) - (one.finding.records ?? 0));
  const groups = new Map<string, FindingGroup>();
  for (const { finding } of ranked) {
    const path = pathOf(finding.field);
    const group: FindingGroup = groups.get(path) ?? { path, label: finding.label, findings: [] };
    const isNew = group.findings.every(({ value }) => value !== finding.value);
    if (isNew && group.findings.length < MAX_IN_GROUP) group.findings.push(finding);
    groups.set(path, group);
  }
  return [...groups.values()].slice(0, MAX_GROUPS);
}

/** Returns the path of a field; a keyword has the values of its text. */
function pathOf({ name, isMultiField }: Field): string {
  return isMultiField ? name.slice(0, name.lastIndexOf('.')) : name;
}
