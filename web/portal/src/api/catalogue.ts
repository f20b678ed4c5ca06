// A catalogue as the portal uses it, built from its introspection and its configs.

import { texts } from '../texts';
import { ApiError, graphql, json } from './client';
import { downloadPath } from './server';
import type { CatalogueEntry, CatalogueFields } from './types';

/** How values of a field are shown and filtered. */
export type Kind = 'terms' | 'number' | 'date' | 'boolean' | 'container' | 'opaque';

export interface Field {
  /** The dotted path, which filters, sort and downloads use. */
  name: string;
  /** The name in aggregations of GraphQL, and in the nodes of an answer. */
  graphqlName: string;
  /** What selects it in a node. */
  selection: string;
  label: string;
  /** What it means; empty where nobody has said it. */
  description: string;
  type: string;
  kind: Kind;
  unit: string | null;
  displayType: string;
  displayValues: Record<string, string>;
  quickSearch: boolean;
  primaryKey: boolean;
  rangeStep: number;
  /** The nested containers around it, outermost first. */
  containers: string[];
  /** The innermost of them. */
  nestedIn: string | null;
  isMultiField: boolean;
}

export interface Column {
  field: Field;
  label: string;
  displayType: string;
  displayFormat: string | null;
  show: boolean;
  sortable: boolean;
  canChangeShow: boolean;
}

export interface Facet {
  field: Field;
  label: string;
  show: boolean;
  /** Whether it stands among the filters; others are counted for charts alone. */
  inPanel: boolean;
}

export interface SortKey {
  fieldName: string;
  desc: boolean;
}

export interface Matcher {
  label: string;
  keyField: string;
  searchFields: string[];
}

export interface Catalogue {
  id: string;
  label: string;
  description: string;
  documentType: string;
  graphqlPath: string;
  downloadPath: string;
  fields: Map<string, Field>;
  /** Finds a field by its path or its name in GraphQL; filters and configurations may have either. */
  findField: (name: string) => Field | undefined;
  /** Returns the nested containers around a field, outermost first. */
  nesting: (name: string) => string[];
  columns: Column[];
  facets: Facet[];
  defaultSort: SortKey[];
  /** The field whose value identifies a record in addresses, if there is one. */
  keyField: Field | null;
  /** Finds the field that is compared with whole values: of a text its keyword, of any other field itself. */
  exactField: (field: Field) => Field;
  quickFields: Field[];
  /** The field with the size of a record in bytes, if there is one. */
  sizeField: Field | null;
  matchers: Matcher[];
  /** The maximum result window: records beyond it are reached by cursors. */
  window: number;
  download: { maxRows: number; allowMore: boolean };
  /** Whether sets can be saved (`enableSets`). */
  hasSets: boolean;
  /** The suppression threshold: smaller counts are not shown, nor any record. */
  suppressedBelow: number | null;
  /** The type of the aggregations of each field of its network, by its name in GraphQL; null if it has none. */
  networkFields: ReadonlyMap<string, string> | null;
}

interface ExtendedEntry {
  fieldName: string;
  displayName: string;
  description?: string;
  displayType: string;
  displayValues?: Record<string, string>;
  quickSearchEnabled?: boolean;
  primaryKey?: boolean;
  rangeStep?: number;
}

interface Configs {
  extended: ExtendedEntry[];
  table: {
    columns: {
      fieldName: string;
      displayName: string | null;
      displayType: string | null;
      displayFormat: string | null;
      show: boolean;
      sortable: boolean | null;
      canChangeShow: boolean;
    }[];
    defaultSorting: { fieldName: string; desc: boolean }[] | null;
    rowIdFieldName: string;
    maxResultsWindow: number | null;
  };
  facets: { aggregations: { fieldName: string; displayName: string | null; isActive: boolean; show: boolean }[] };
  downloads: { maxRows: number; allowCustomMaxRows: boolean } | null;
  matchbox:
    { displayName: string; keyFieldName: string; searchFieldNames: string[] | null; isActive: boolean }[] | null;
}

const CONFIGS = `configs {
  extended
  table {
    columns { fieldName displayName displayType displayFormat show sortable canChangeShow }
    defaultSorting { fieldName desc }
    rowIdFieldName
    maxResultsWindow
  }
  facets { aggregations { fieldName displayName isActive show } }
  downloads { maxRows allowCustomMaxRows }
  matchbox { displayName keyFieldName searchFieldNames isActive }
}`;

const NUMBERS = new Set([
  'byte',
  'short',
  'integer',
  'long',
  'unsigned_long',
  'half_float',
  'float',
  'double',
  'scaled_float',
]);
const TERMS = new Set(['keyword', 'wildcard', 'text', 'ip', 'flattened', 'flat_object']);

function kindOf(type: string): Kind {
  if (NUMBERS.has(type)) return 'number';
  if (type === 'date' || type === 'date_nanos') return 'date';
  if (type === 'boolean') return 'boolean';
  if (type === 'object' || type === 'nested') return 'container';
  return TERMS.has(type) ? 'terms' : 'opaque';
}

/** The path of the id of a record, which is selected as `id`. */
const RECORD_ID = '_id';

/** What every node has for itself; a field of this name has another one in nodes (`field_tree/build.rs`). */
const SCORE = 'score';

/** Returns what selects a field in a node, under its name in aggregations. */
function selectionOf(graphqlName: string, taken: Set<string>): string {
  if (graphqlName !== SCORE) return graphqlName;
  let own = `field_${graphqlName}`;
  while (taken.has(own)) own += '_';
  return `${graphqlName}: ${own}`;
}

/**
 * Returns the name that a path asks for in GraphQL, by the rule of the server (`crates/catalogue/src/names.rs`): two
 * underscores for a dot, one for any other character but letters and digits, one before a digit in front, `field`
 * before two. Where two paths ask for one name, only one has it: the name of a field is its `graphqlName`.
 */
export function flatName(name: string): string {
  const whole = name.replaceAll('.', '__');
  const plain = (/^(?:[0-9]|$)/.test(whole) ? '_' : '') + whole.replace(/[^0-9A-Za-z]/gu, '_');
  return plain.startsWith('__') ? `field${plain}` : plain;
}

export async function loadCatalogue(id: string, entry: CatalogueEntry, signal?: AbortSignal): Promise<Catalogue> {
  const type = entry.documentType;
  const [introspection, answer, hasSets] = await Promise.all([
    fetchFields(entry.paths.introspection, signal),
    graphql<Record<string, { configs: Configs }>>(
      entry.paths.graphql,
      `query Configs { ${type} { ${CONFIGS} } }`,
      {},
      signal,
    ),
    keepsSets(entry, signal),
  ]);
  const configs = answer[type]?.configs;
  if (!configs) throw new Error(texts.api.noConfiguration);
  return assemble(id, entry, introspection, configs, hasSets);
}

/** Asks whether sets are on; no other failure of the question says that they are not. */
async function keepsSets({ paths }: CatalogueEntry, signal?: AbortSignal): Promise<boolean> {
  try {
    await graphql(paths.graphql, 'query Sets { sets { hits(first: 1) { edges { node { setId } } } } }', {}, signal);
    return true;
  } catch (error) {
    return !(error instanceof ApiError && error.message.includes('enableSets'));
  }
}

/** Fetches the fields; those that are known where the index fails at present, since searches are still tried. */
async function fetchFields(path: string, signal?: AbortSignal): Promise<CatalogueFields> {
  try {
    return await json<CatalogueFields>(path, { signal });
  } catch (error) {
    if (error instanceof ApiError && error.status === 503 && error.body?.fields) return error.body as CatalogueFields;
    throw error;
  }
}

/** Builds a catalogue from the answers of the server. */
export function assemble(
  id: string,
  entry: CatalogueEntry,
  introspection: Pick<CatalogueFields, 'description' | 'fields' | 'meta' | 'network'>,
  configs: Configs,
  hasSets = true,
): Catalogue {
  const fields = fieldsOf(introspection, configs.extended);
  const byGraphqlName = new Map([...fields.values()].map((field) => [field.graphqlName, field]));
  const findField = (name: string) => fields.get(name) ?? byGraphqlName.get(name.replaceAll('.', '__'));
  const columns = configs.table.columns.flatMap((column): Column[] => {
    const field = findField(column.fieldName);
    if (!field) return [];
    return [
      {
        field,
        label: column.displayName ?? field.label,
        displayType: column.displayType ?? field.displayType,
        displayFormat: column.displayFormat,
        show: column.show,
        sortable: column.sortable === true,
        canChangeShow: column.canChangeShow,
      },
    ];
  });
  const facets = configs.facets.aggregations.flatMap((facet): Facet[] => {
    const field = findField(facet.fieldName);
    if (!field || !canCount(field) || !facet.isActive) return [];
    return [{ field, label: facet.displayName ?? field.label, show: facet.show, inPanel: true }];
  });
  return {
    id,
    label: words(id),
    description: introspection.description ?? entry.description ?? '',
    documentType: entry.documentType,
    graphqlPath: entry.paths.graphql,
    downloadPath: downloadPath(entry),
    fields,
    findField,
    nesting: (name) => findField(name)?.containers ?? [],
    columns,
    facets,
    defaultSort: (configs.table.defaultSorting ?? []).filter(({ fieldName }) => fields.has(fieldName)),
    keyField: keyOf(configs, fields),
    exactField: (field) => exactFieldOf(field, fields),
    quickFields: [...fields.values()].filter((field) => field.quickSearch),
    sizeField: sizeOf(fields, columns),
    matchers: matchersOf(configs, fields),
    window: configs.table.maxResultsWindow ?? entry.limits?.maxResultsWindow ?? 10000,
    download: { maxRows: configs.downloads?.maxRows ?? 0, allowMore: configs.downloads?.allowCustomMaxRows ?? false },
    hasSets,
    suppressedBelow: introspection.meta.suppressedBelow ?? null,
    networkFields: introspection.network ? new Map(Object.entries(introspection.network.fields)) : null,
  };
}

/** Says whether the number beside a value can hold: a filter on a text also finds its words, so more records. */
export function canCount({ kind, type }: Field): boolean {
  return kind !== 'container' && kind !== 'opaque' && type !== 'text';
}

function fieldsOf(
  { fields: introspected }: Pick<CatalogueFields, 'fields'>,
  extended: ExtendedEntry[],
): Map<string, Field> {
  const shown = new Map(extended.map((entry) => [entry.fieldName, entry]));
  const nested = Object.entries(introspected)
    .filter(([, field]) => field.type === 'nested')
    .map(([name]) => name)
    .sort((one, other) => one.length - other.length);
  const graphqlNames = new Map(
    Object.entries(introspected).map(([name, { graphqlName }]) => [
      name,
      graphqlName ?? (name === RECORD_ID ? 'id' : flatName(name)),
    ]),
  );
  const taken = new Set(graphqlNames.values());
  const fields = Object.entries(introspected).map(([name, introspectedField]): Field => {
    const { displayName, type, unit, multiFieldOf } = introspectedField;
    const graphqlName = graphqlNames.get(name) ?? flatName(name);
    const entry = shown.get(name);
    const containers = nested.filter((container) => name.startsWith(`${container}.`));
    return {
      name,
      graphqlName,
      selection: selectionOf(graphqlName, taken),
      label: entry?.displayName ?? displayName,
      description: entry?.description ?? '',
      type,
      kind: kindOf(type),
      unit,
      displayType: entry?.displayType ?? type,
      displayValues: entry?.displayValues ?? {},
      quickSearch: entry?.quickSearchEnabled === true && kindOf(type) === 'terms',
      primaryKey: entry?.primaryKey === true,
      rangeStep: entry?.rangeStep ?? 0,
      containers,
      nestedIn: containers.at(-1) ?? null,
      isMultiField: multiFieldOf !== undefined,
    };
  });
  return new Map(fields.map((field) => [field.name, field]));
}

/** Chooses the field that names a record: the row id, else a primary key. `id` itself cannot be searched for. */
function keyOf(configs: Configs, fields: Map<string, Field>): Field | null {
  const canName = ({ kind }: Field) => kind === 'terms' || kind === 'number';
  const rowId = fields.get(configs.table.rowIdFieldName);
  if (rowId && canName(rowId)) return rowId;
  return [...fields.values()].find((field) => field.primaryKey && canName(field) && !field.nestedIn) ?? null;
}

function sizeOf(fields: Map<string, Field>, columns: Column[]): Field | null {
  const asBytes = new Set(columns.filter(({ displayType }) => displayType === 'bytes').map(({ field }) => field));
  const isSize = (field: Field) =>
    field.kind === 'number' &&
    !field.nestedIn &&
    (field.unit === 'B' || field.displayType === 'bytes' || asBytes.has(field));
  return [...fields.values()].find(isSize) ?? null;
}

function exactFieldOf(field: Field, fields: Map<string, Field>): Field {
  if (field.type !== 'text') return field;
  const isKeyword = ({ name, type, isMultiField }: Field) =>
    isMultiField && type === 'keyword' && name.startsWith(`${field.name}.`);
  return [...fields.values()].find(isKeyword) ?? field;
}

function matchersOf(configs: Configs, fields: Map<string, Field>): Matcher[] {
  return (configs.matchbox ?? []).flatMap((entry): Matcher[] => {
    if (!entry.isActive || !fields.has(entry.keyFieldName)) return [];
    const searchFields = (entry.searchFieldNames ?? [entry.keyFieldName]).filter((name) => fields.has(name));
    return [{ label: entry.displayName, keyField: entry.keyFieldName, searchFields }];
  });
}

/** Turns an id into words: `file_records` into “File records”. */
export function words(id: string): string {
  const text = id.replace(/[-_]+/g, ' ').trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}
