// The same query for programs, complete: each gives every row, or says in a comment which ones.

import type { Catalogue, Field, SortKey } from '../api/catalogue';
import type { Group } from '../query/sqon';
import { importsOf, pythonConditions, pythonLiteral } from './pythonCode';

export interface Snippet {
  name: string;
  code: string;
}

export interface Taken {
  catalogue: Catalogue;
  filter: Group | null;
  sort: SortKey[];
  fields: Field[];
  /** The server, such as `https://data.example.org` or `https://www.example.org/data`. */
  origin: string;
  /** How many records were found. */
  total: number;
  /** Whether requests need the key of the user, which no code has in it. */
  hasKey: boolean;
}

/** How many records a page of the GraphQL query has. */
const PAGE_SIZE = 100;

/** Where programs find the key. */
const KEY_VARIABLE = 'CANTATA_KEY';

export function graphqlText({ catalogue, fields }: Taken, indent = ''): string {
  const names = fields.map(({ selection }) => selection);
  const lines = [
    'query Records($filters: JSON, $sort: [Sort], $searchAfter: JSON) {',
    `  ${catalogue.documentType} {`,
    `    hits(filters: $filters, sort: $sort, first: ${PAGE_SIZE}, searchAfter: $searchAfter) {`,
    '      total',
    '      edges {',
    '        searchAfter',
    '        node {',
    ...[...new Set(['id', ...names])].map((name) => `          ${name}`),
    '        }',
    '      }',
    '    }',
    '  }',
    '}',
  ];
  return lines.map((line) => indent + line).join('\n');
}

function variablesOf({ filter, sort }: Taken): Record<string, unknown> {
  return { filters: filter, sort: sort.map(({ fieldName, desc }) => ({ fieldName, order: desc ? 'desc' : 'asc' })) };
}

export function snippets(taken: Taken): Snippet[] {
  return [
    { name: 'Python', code: python(taken) },
    { name: 'R', code: r(taken) },
    { name: 'curl', code: curl(taken) },
    { name: 'cantata', code: commandLine(taken) },
    { name: 'GraphQL', code: graphql(taken) },
    { name: 'SQON', code: JSON.stringify(taken.filter, null, 2) },
    { name: 'URL', code: tableUrl(taken) },
  ];
}

function graphql(taken: Taken): string {
  const variables = JSON.stringify(variablesOf(taken), null, 2).replace(/^/gm, '# ');
  const pages = `# ${PAGE_SIZE} records; the searchAfter of the last one, as a variable, asks for the next page.`;
  return `${pages}\n${graphqlText(taken)}\n\n# Variables\n${variables}`;
}

function sortNames({ sort }: Taken): string[] {
  return sort.map(({ fieldName, desc }) => (desc ? `-${fieldName}` : fieldName));
}

/** Returns the parameters of the whole result as a CSV file. */
function tableParameters(taken: Taken): [string, string][] {
  const { catalogue, filter, fields, total } = taken;
  const { maxRows, allowMore } = catalogue.download;
  const parameters: [string, string][] = [['fileType', 'csv']];
  if (filter) parameters.push(['filters', JSON.stringify(filter)]);
  if (fields.length) parameters.push(['columns', fields.map(({ name }) => name).join(',')]);
  if (taken.sort.length) parameters.push(['sort', sortNames(taken).join(',')]);
  if (allowMore && maxRows > 0 && total > maxRows) parameters.push(['maxRows', String(total)]);
  return parameters;
}

/** Returns the address of the whole result as CSV, for pandas.read_csv, read.csv of R, DuckDB and spreadsheets. */
function tableUrl(taken: Taken): string {
  const { catalogue, origin } = taken;
  return `${origin}${catalogue.downloadPath}?${new URLSearchParams(tableParameters(taken)).toString()}`;
}

/** Says which rows a file of this catalogue has, as a comment of a shell, R or Python. */
function rowsComment({ catalogue, total }: Taken): string {
  const { maxRows, allowMore } = catalogue.download;
  if (maxRows === 0 || total <= maxRows || allowMore) return '# Every row, as CSV.';
  return `# The first ${maxRows} of ${total} rows, the limit of a file. The code for Python and cantata gives all.`;
}

function keyComment({ hasKey }: Taken): string {
  return hasKey ? `# The variable ${KEY_VARIABLE} of the environment has your key.\n` : '';
}

/** Writes a text as a word of a POSIX shell. */
function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Writes a command with each of its arguments on a line. */
function command(first: string, others: string[]): string {
  return [first, ...others].join(' \\\n  ');
}

function curl(taken: Taken): string {
  const { catalogue, origin, hasKey } = taken;
  const key = hasKey ? [`-H "Authorization: Bearer $${KEY_VARIABLE}"`] : [];
  const data = tableParameters(taken).map(([name, value]) => `--data-urlencode ${shellWord(`${name}=${value}`)}`);
  const start = `curl -sS --fail-with-body --get ${shellWord(origin + catalogue.downloadPath)}`;
  return `${rowsComment(taken)}\n${keyComment(taken)}${command(start, [...key, ...data])}\n`;
}

function commandLine(taken: Taken): string {
  const { catalogue, filter, fields, sort, origin } = taken;
  const order = sort.map(({ fieldName, desc }) => `${fieldName}:${desc ? 'desc' : 'asc'}`).join(',');
  const start = `cantata query ${shellWord(catalogue.id)} --server ${shellWord(origin)}`;
  const options = [
    ...(filter ? [`--sqon ${shellWord(JSON.stringify(filter))}`] : []),
    ...(fields.length ? [`--columns ${shellWord(fields.map(({ name }) => name).join(','))}`] : []),
    ...(order ? [`--sort ${shellWord(order)}`] : []),
    '--limit 0 --format tsv',
  ];
  return `# Every record.\n${keyComment(taken)}${command(start, options)}\n`;
}

function python(taken: Taken): string {
  const { catalogue, filter, fields, sort, origin } = taken;
  const options = [
    ...(filter ? [`where=${pythonConditions(filter, catalogue.nesting)}`] : []),
    ...(fields.length ? [`columns=${pythonLiteral(fields.map(({ name }) => name))}`] : []),
    ...(sort.length ? [`sort=${pythonLiteral(sortNames(taken))}`] : []),
  ];
  const search = options.map((option) => `    ${option},\n`).join('');
  const code = `catalogue = Cantata(${pythonLiteral(origin)}).catalogue(${pythonLiteral(catalogue.id)})
search = catalogue.search(
${search})
frame = search.to_pandas()
print(frame.shape)
`;
  return `# Every record. The package: pip install "cantata-client[pandas]"
# \`for record in search\` and search.to_polars() need no pandas.
${keyComment(taken)}from cantata import ${importsOf(code).join(', ')}

${code}`;
}

function r(taken: Taken): string {
  const filter = taken.filter ? `# The filter: ${JSON.stringify(taken.filter)}\n` : '';
  const key = `headers = c(Authorization = paste("Bearer", Sys.getenv("${KEY_VARIABLE}")))`;
  const source = taken.hasKey ? `url(address, ${key})` : 'address';
  return `${rowsComment(taken)}
${keyComment(taken)}${filter}address <- ${JSON.stringify(tableUrl(taken))}
records <- read.csv(${source}, check.names = FALSE, na.strings = "")
nrow(records)
`;
}
