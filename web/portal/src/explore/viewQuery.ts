// The one GraphQL request behind a view: a page of records and every facet beside it.

import type { Catalogue, Field, SortKey } from '../api/catalogue';
import { type Bins, dateBins, numberBins } from '../facets/bins';
import { hasOwn } from '../query/edit';
import { fieldsIn, forCounts } from '../query/elements';
import { type Group, seeksText } from '../query/sqon';
import type { ExploreState } from './urlState';

/** How many values of a facet are fetched; more come when the facet is searched. */
export const MAX_VALUES = 60;

/** The name of the facets in an answer that count within all conditions on their fields. */
export const MENTIONED = 'mentioned';

/** The name of the sizes in an answer. */
export const SIZES = 'sizes';

export type BinsByField = ReadonlyMap<string, Bins>;

export interface Request {
  query: string;
  variables: Record<string, unknown>;
}

interface StatsAnswer {
  hits: { total: number };
  aggregations?: Record<string, { stats: { min: number | null; max: number | null } | null }>;
}

/** Asks for the extent of all numbers and dates, whatever the filter; it determines the bins of histograms. */
export function extentRequest(catalogue: Catalogue): Request {
  const ranged = catalogue.suppressedBelow === null ? rangedFields(catalogue) : [];
  const stats = ranged.map((field) => `${field.graphqlName} { stats { min max } }`).join(' ');
  const aggregations = stats && `aggregations(include_missing: false) { ${stats} }`;
  return {
    query: `query Extent { ${catalogue.documentType} { hits(first: 0) { total } ${aggregations} } }`,
    variables: {},
  };
}

export interface Extent {
  total: number;
  bins: BinsByField;
}

export function readExtent(catalogue: Catalogue, answer: Record<string, unknown>): Extent {
  const { hits, aggregations = {} } = answer[catalogue.documentType] as StatsAnswer;
  const bins = rangedFields(catalogue).flatMap((field): [string, Bins][] => {
    const { min = null, max = null } = aggregations[field.graphqlName]?.stats ?? {};
    if (min === null || max === null) return [];
    return [[field.name, field.kind === 'date' ? dateBins(min, max) : numberBins(min, max, isWhole(field))]];
  });
  return { total: hits.total, bins: new Map(bins) };
}

function isWhole(field: Field): boolean {
  return !['half_float', 'float', 'double', 'scaled_float'].includes(field.type);
}

function rangedFields(catalogue: Catalogue): Field[] {
  return catalogue.facets.map(({ field }) => field).filter(({ kind }) => kind === 'number' || kind === 'date');
}

/** Returns the user's sort, or the default of the catalogue. */
export function sortOf(state: ExploreState, catalogue: Catalogue): SortKey[] {
  return (state.sort ?? catalogue.defaultSort).filter(({ fieldName }) => catalogue.fields.has(fieldName));
}

/** Returns whether the best matches come first: a text is sought, and the user has chosen no order. */
export function isByRelevance({ filter, sort }: ExploreState): boolean {
  return !sort?.length && filter !== null && seeksText(filter);
}

/** Returns the order of a page. Records that match equally well are in the order of the catalogue. */
function pageSort(state: ExploreState, catalogue: Catalogue): SortKey[] {
  const sort = sortOf(state, catalogue);
  return isByRelevance(state) ? [{ fieldName: '_score', desc: true }, ...sort] : sort;
}

export function viewRequest(catalogue: Catalogue, state: ExploreState, columns: Field[], bins: BinsByField): Request {
  const names = new Set(['id', ...columns.map(({ selection }) => selection)]);
  if (catalogue.keyField) names.add(catalogue.keyField.selection);
  const filters = forCounts(state.filter, catalogue.nesting);
  const facets = (name: string, themselves: boolean) => {
    const selections = catalogue.facets
      .filter(({ field }) => countsOwnFilter(catalogue, state.filter, field) === themselves)
      .map(({ field }) => facetSelection(field, bins));
    if (selections.length === 0) return '';
    return `
    ${name}(filters: $filters, include_missing: true, aggregations_filter_themselves: ${themselves}) {
      ${selections.join('\n      ')}
    }`;
  };
  const query = `query View($filters: JSON, $sort: [Sort], $first: Int, $offset: Int, $searchAfter: JSON) {
  ${catalogue.documentType} {
    hits(filters: $filters, sort: $sort, first: $first, offset: $offset, searchAfter: $searchAfter) {
      total
      edges { searchAfter node { ${[...names].join(' ')} } }
    }${facets('aggregations', false)}${facets(`${MENTIONED}: aggregations`, true)}${sizeSelection(catalogue)}
  }
}`;
  return { query, variables: { filters, ...pageVariables(catalogue, state) } };
}

/**
 * Says whether a facet counts within all conditions on its field. It leaves out those that it shows itself, so that
 * other values can be chosen too; conditions that it does not show, such as alternatives, stay when a value is chosen.
 */
export function countsOwnFilter(catalogue: Catalogue, filter: Group | null, field: Field): boolean {
  if (!filter || hasOwn(filter, field.name)) return false;
  return fieldsIn(filter).some((name) => catalogue.findField(name) === field);
}

/** Asks for the bytes of all matching records. */
function sizeSelection({ sizeField, suppressedBelow }: Catalogue): string {
  if (!sizeField || suppressedBelow !== null) return '';
  return `
    ${SIZES}: aggregations(filters: $filters, include_missing: false, aggregations_filter_themselves: true) {
      ${sizeField.graphqlName} { stats { sum } }
    }`;
}

/**
 * Asks the network of a catalogue. Only values are counted: the bins of a histogram follow from the records of the
 * catalogue, and those of other nodes may lie beyond them. The filter is sent as it is: a node that shows counts only
 * refuses the groups of `forCounts`.
 */
export function networkRequest(catalogue: Catalogue, state: ExploreState): Request {
  const facets = catalogue.facets
    .filter(({ field }) => field.kind !== 'number' && field.kind !== 'date')
    .filter(({ field }) => catalogue.networkFields?.has(field.graphqlName))
    .map(({ field }) => `${field.graphqlName} { bucket_count buckets(max: ${MAX_VALUES}) { key doc_count } }`)
    .join('\n      ');
  const query = `query Network($filters: JSON) {
  network(filters: $filters, include_missing: true) {
    complete
    nodes { nodeId name hits errors contributed missingFields }${
      facets &&
      `
    aggregations {
      ${facets}
    }`
    }
  }
}`;
  return { query, variables: { filters: state.filter } };
}

export function facetSelection(field: Field, bins: BinsByField): string {
  const name = field.graphqlName;
  if (field.kind !== 'number' && field.kind !== 'date') {
    return `${name} { bucket_count buckets(max: ${MAX_VALUES}) { key key_as_string doc_count } }`;
  }
  const edges = bins.get(field.name)?.edges;
  if (!edges) return `${name} { buckets(max: 1) { key doc_count } }`;
  const ranges = edges
    .slice(1)
    .map((to, index) => `{from: ${edges[index]}, to: ${to}, key: "${index}"}`)
    .join(' ');
  return `${name} { range(ranges: [${ranges}]) { buckets { key doc_count } } }`;
}

/** Returns where a page begins. Up to the window by number; beyond it by the cursor of the page beside it. */
function pageVariables(catalogue: Catalogue, state: ExploreState): Record<string, unknown> {
  const sort = pageSort(state, catalogue).map(({ fieldName, desc }) => ({ fieldName, order: desc ? 'desc' : 'asc' }));
  const offset = (state.page - 1) * state.size;
  if (offset + state.size <= catalogue.window) return { sort, first: state.size, offset, searchAfter: null };
  if (state.before) {
    // The page before a cursor is the one after it in the opposite order, ids included.
    const turned = [...sort, { fieldName: 'id', order: 'asc' }].map(({ fieldName, order }) => ({
      fieldName,
      order: order === 'asc' ? 'desc' : 'asc',
    }));
    return { sort: turned, first: state.size, offset: 0, searchAfter: [...state.before, state.before.at(-1)] };
  }
  return { sort, first: state.size, offset: 0, searchAfter: state.after };
}
