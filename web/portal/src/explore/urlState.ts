// The state of a catalogue's page, in the query of its address.
//
// What is not in the address is as the catalogue's configuration says. Reading never fails: a part that cannot be
// understood is reported and left out, since an address may have been cut or typed by hand.

import type { SortKey } from '../api/catalogue';
import { type Group, parse, stringify } from '../query/sqon';
import { texts } from '../texts';

export interface ColumnChoice {
  name: string;
  width: number | null;
}

export type View = 'table' | 'charts' | 'network';

export interface ChartChoice {
  field: string;
  form: string;
}

export const CROSS_FORMS = ['table', 'stacked', 'beside'] as const;
export type CrossForm = (typeof CROSS_FORMS)[number];

/** Two fields that are compared with each other. */
export interface CrossChoice {
  first: string;
  second: string;
  form: CrossForm;
}

export interface ExploreState {
  filter: Group | null;
  /** Null: as configured. */
  sort: SortKey[] | null;
  columns: ColumnChoice[] | null;
  /** The fields of the facets. */
  facets: string[] | null;
  charts: ChartChoice[] | null;
  cross: CrossChoice | null;
  view: View;
  size: number;
  /** Counted from 1. */
  page: number;
  /** Where the page begins or ends, once it lies beyond what can be reached by number. */
  after: unknown[] | null;
  before: unknown[] | null;
}

export const SIZES = [20, 50, 100, 500];

export const START: ExploreState = {
  filter: null,
  sort: null,
  columns: null,
  facets: null,
  charts: null,
  cross: null,
  view: 'table',
  size: 20,
  page: 1,
  after: null,
  before: null,
};

export interface ReadState {
  state: ExploreState;
  problem: string | null;
}

export function readState(search: string): ReadState {
  const given = new URLSearchParams(search);
  let filter: Group | null = null;
  let problem: string | null = null;
  try {
    filter = parse(given.get('filter') ?? '');
  } catch (error) {
    problem = texts.explore.filterLeftOut((error as Error).message);
  }
  const size = Number(given.get('size'));
  const page = Number(given.get('page'));
  return {
    problem,
    state: {
      filter,
      sort: given.has('sort') ? list(given, 'sort').map(sortKey) : null,
      columns: given.has('columns') ? list(given, 'columns').map(columnChoice) : null,
      facets: given.has('facets') ? list(given, 'facets') : null,
      charts: given.has('charts') ? list(given, 'charts').map(chartChoice) : null,
      cross: given.has('cross') ? crossChoice(given.get('cross') ?? '') : null,
      view: viewOf(given.get('view')),
      size: SIZES.includes(size) ? size : START.size,
      page: Number.isInteger(page) && page > 0 ? page : 1,
      after: cursor(given.get('after')),
      before: cursor(given.get('before')),
    },
  };
}

export function writeState(state: ExploreState): string {
  const parts: [string, string][] = [];
  if (state.filter) parts.push(['filter', stringify(state.filter)]);
  if (state.sort)
    parts.push(['sort', state.sort.map(({ fieldName, desc }) => (desc ? `-${fieldName}` : fieldName)).join(',')]);
  if (state.columns) {
    parts.push(['columns', state.columns.map(({ name, width }) => (width ? `${name}~${width}` : name)).join(',')]);
  }
  if (state.facets) parts.push(['facets', state.facets.join(',')]);
  if (state.charts) parts.push(['charts', state.charts.map(({ field, form }) => `${field}~${form}`).join(',')]);
  if (state.cross) parts.push(['cross', `${state.cross.first}~${state.cross.second}~${state.cross.form}`]);
  if (state.view !== START.view) parts.push(['view', state.view]);
  if (state.size !== START.size) parts.push(['size', String(state.size)]);
  if (state.page > 1) parts.push(['page', String(state.page)]);
  if (state.after) parts.push(['after', JSON.stringify(state.after)]);
  if (state.before) parts.push(['before', JSON.stringify(state.before)]);
  return parts.length ? `?${parts.map(([name, value]) => `${name}=${readable(value)}`).join('&')}` : '';
}

/** Encodes what an address needs encoded and no more, so that people can read it. */
function readable(value: string): string {
  return encodeURIComponent(value).replace(/%(2C|3A|7B|7D|5B|5D|22|2F|40)/g, (code) =>
    code === '%22' || code === '%7B' || code === '%7D' ? code : decodeURIComponent(code),
  );
}

function viewOf(text: string | null): View {
  return text === 'charts' || text === 'network' ? text : START.view;
}

function list(given: URLSearchParams, name: string): string[] {
  return (given.get(name) ?? '').split(',').filter(Boolean);
}

function sortKey(text: string): SortKey {
  return text.startsWith('-') ? { fieldName: text.slice(1), desc: true } : { fieldName: text, desc: false };
}

function columnChoice(text: string): ColumnChoice {
  const [name = '', width] = text.split('~');
  const pixels = Number(width);
  return { name, width: pixels >= 40 && pixels <= 2000 ? pixels : null };
}

function chartChoice(text: string): ChartChoice {
  const [field = '', form = ''] = text.split('~');
  return { field, form };
}

function crossChoice(text: string): CrossChoice {
  const [first = '', second = '', form] = text.split('~');
  return { first, second, form: CROSS_FORMS.find((each) => each === form) ?? 'table' };
}

function cursor(text: string | null): unknown[] | null {
  if (!text) return null;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** Returns a state with another filter, sort or page size: it begins at the first page. */
export function fromStart(state: ExploreState, change: Partial<ExploreState>): ExploreState {
  return { ...state, page: 1, after: null, before: null, ...change };
}
