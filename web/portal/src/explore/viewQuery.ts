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

/** How many are fetched of each node of a network, whose most frequent values may be others. */
const MAX_NODE_VALUES = 300;

export type BinsByField = ReadonlyMap<string, Bins>;

export interface Request {
  query: string;
  variables: Record<string, unknown>;
}

interface StatsAnswer {
  hits: { total: number };
  aggregations?: Record<string, { stats: { min: number | null; max: number | null } | null }>;
}

interface NetworkStatsAnswer extends Pick<StatsAnswer, 'aggregations'> {
  nodes: { hits: number }[];
}

/** Returns whether the page shows the network of a catalogue. */
export function isOfNetwork(catalogue: Catalogue, state: ExploreState): boolean {
  return state.view === 'network' && catalogue.networkFields !== null;
}

/**
 * Asks for the extent of all numbers and dates, whatever the filter; it determines the bins of histograms. Values of
 * other nodes may lie beyond those of the catalogue, so that a network has its own extent.
 */
export function extentRequest(catalogue: Catalogue, ofNetwork = false): Request {
  const ranged = catalogue.suppressedBelow === null ? rangedFields(catalogue, ofNetwork) : [];
  const stats = ranged.map((field) => `${field.graphqlName} { stats { min max } }`).join(' ');
  if (ofNetwork) {
    const aggregations = stats && `aggregations { ${stats} }`;
    // The server has read it already, so that the page is the only request to each node.
    return { query: `query Extent { network(maxAge: 120) { nodes { hits } ${aggregations} } }`, variables: {} };
  }
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

export function readExtent(catalogue: Catalogue, answer: Record<string, unknown>, ofNetwork = false): Extent {
  const { total, aggregations = {} } = ofNetwork
    ? networkStats(answer.network as NetworkStatsAnswer)
    : ownStats(answer[catalogue.documentType] as StatsAnswer);
  const bins = rangedFields(catalogue, ofNetwork).flatMap((field): [string, Bins][] => {
    const { min = null, max = null } = aggregations[field.graphqlName]?.stats ?? {};
    if (min === null || max === null) return [];
    return [[field.name, field.kind === 'date' ? dateBins(min, max) : numberBins(min, max, isWhole(field))]];
  });
  return { total, bins: new Map(bins) };
}

function ownStats({ hits, aggregations }: StatsAnswer) {
  return { total: hits.total, aggregations };
}

function networkStats({ nodes, aggregations }: NetworkStatsAnswer) {
  return { total: nodes.reduce((sum, { hits }) => sum + hits, 0), aggregations };
}

function isWhole(field: Field): boolean {
  return !['half_float', 'float', 'double', 'scaled_float'].includes(field.type);
}

function isRanged({ kind }: Field): boolean {
  return kind === 'number' || kind === 'date';
}

/** Returns the fields with histograms. One that is a text at some node is a text in the network. */
function rangedFields(catalogue: Catalogue, ofNetwork: boolean): Field[] {
  const isNumeric = ({ graphqlName }: Field) => catalogue.networkFields?.get(graphqlName) === 'NumericAggregations';
  const ranged = catalogue.facets.map(({ field }) => field).filter(isRanged);
  return ofNetwork ? ranged.filter(isNumeric) : ranged;
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
 * Asks the network of a catalogue: the counts of all nodes together, and those of each. The filter is sent as it is: a node that
 * shows counts only refuses the groups of `forCounts`.
 */
export function networkRequest(catalogue: Catalogue, state: ExploreState, bins: BinsByField): Request {
  const shown = catalogue.facets
    .map(({ field }) => field)
    .filter((field) => catalogue.networkFields?.has(field.graphqlName) && (!isRanged(field) || bins.has(field.name)));
  const aggregations = (max: number) =>
    shown.length === 0 ? '' : `aggregations { ${shown.map((field) => facetSelection(field, bins, max)).join(' ')} }`;
  const query = `query Network($filters: JSON) {
  network(filters: $filters, include_missing: true) {
    complete
    suppressedBelow
    nodes { nodeId name hits errors contributed missingFields link ${aggregations(MAX_NODE_VALUES)} }
    ${aggregations(MAX_VALUES)}
  }
}`;
  return { query, variables: { filters: state.filter } };
}

/** Asks for many values of one facet, of the network where the page shows it. */
export function valuesRequest(catalogue: Catalogue, state: ExploreState, field: Field, max: number): Request {
  const selection = `${field.graphqlName} { buckets(max: ${max}) { key key_as_string doc_count } }`;
  if (isOfNetwork(catalogue, state)) {
    const query = `query Values($filters: JSON) { network(filters: $filters) { aggregations { ${selection} } } }`;
    return { query, variables: { filters: state.filter } };
  }
  const themselves = countsOwnFilter(catalogue, state.filter, field);
  const query = `query Values($filters: JSON) { ${catalogue.documentType} { aggregations(filters: $filters, aggregations_filter_themselves: ${themselves}) { ${selection} } } }`;
  return { query, variables: { filters: forCounts(state.filter, catalogue.nesting) } };
}

export function facetSelection(field: Field, bins: BinsByField, max = MAX_VALUES): string {
  const name = field.graphqlName;
  if (!isRanged(field)) {
    return `${name} { bucket_count buckets(max: ${max}) { key key_as_string doc_count } }`;
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
