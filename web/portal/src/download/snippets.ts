// The same query for programs: GraphQL, and what sends it in a few languages.

import type { Catalogue, Field, SortKey } from '../api/catalogue';
import type { Group } from '../query/sqon';

export interface Snippet {
  name: string;
  code: string;
}

export interface Taken {
  catalogue: Catalogue;
  filter: Group | null;
  sort: SortKey[];
  fields: Field[];
  /** The server, such as `https://data.example.org`. */
  origin: string;
}

export function graphqlText({ catalogue, fields }: Taken, indent = ''): string {
  const names = fields.map(({ selection }) => selection);
  const lines = [
    'query Records($filters: JSON, $sort: [Sort], $searchAfter: JSON) {',
    `  ${catalogue.documentType} {`,
    '    hits(filters: $filters, sort: $sort, first: 100, searchAfter: $searchAfter) {',
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

export function variablesOf({ filter, sort }: Taken): Record<string, unknown> {
  return { filters: filter, sort: sort.map(({ fieldName, desc }) => ({ fieldName, order: desc ? 'desc' : 'asc' })) };
}

export function snippets(taken: Taken): Snippet[] {
  const url = taken.origin + taken.catalogue.graphqlPath;
  const variables = JSON.stringify(variablesOf(taken), null, 2);
  return [
    { name: 'GraphQL', code: `${graphqlText(taken)}\n\n# Variables\n${variables.replace(/^/gm, '# ')}` },
    { name: 'SQON', code: JSON.stringify(taken.filter, null, 2) },
    { name: 'curl', code: curl(taken, url) },
    { name: 'Python', code: python(taken, url, variables) },
    { name: 'R', code: r(taken, url) },
  ];
}

/** Writes a text as a word of a POSIX shell. */
function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function curl(taken: Taken, url: string): string {
  const body = JSON.stringify({ query: graphqlText(taken), variables: variablesOf(taken) });
  return `curl -sS ${shellWord(url)} \\\n  -H 'Content-Type: application/json' \\\n  -d ${shellWord(body)}`;
}

function python(taken: Taken, url: string, variables: string): string {
  return `import json
from urllib.request import Request, urlopen

QUERY = """
${graphqlText(taken)}
"""
VARIABLES = json.loads(${pythonText(variables)})


def records():
    """Yields every record, however many there are."""
    variables = dict(VARIABLES)
    while True:
        body = json.dumps({"query": QUERY, "variables": variables}).encode()
        request = Request(${JSON.stringify(url)}, body, {"Content-Type": "application/json"})
        answer = json.load(urlopen(request))
        if answer.get("errors"):
            raise RuntimeError(answer["errors"])
        edges = answer["data"][${JSON.stringify(taken.catalogue.documentType)}]["hits"]["edges"]
        if not edges:
            return
        for edge in edges:
            yield edge["node"]
        variables["searchAfter"] = edges[-1]["searchAfter"]


for record in records():
    print(record)
`;
}

function pythonText(text: string): string {
  return `r"""\n${text}\n"""`.includes('\\') ? JSON.stringify(text) : `"""\n${text}\n"""`;
}

function r(taken: Taken, url: string): string {
  const literal = (text: string) => `r"---(${text})---"`;
  return `library(httr2)
library(jsonlite)

query <- ${literal(graphqlText(taken))}
variables <- fromJSON(${literal(JSON.stringify(variablesOf(taken)))}, simplifyVector = FALSE)

records <- list()
repeat {
  answer <- request(${JSON.stringify(url)}) |>
    req_body_json(list(query = query, variables = variables), null = "null") |>
    req_perform() |>
    resp_body_json()
  if (!is.null(answer$errors)) stop(toJSON(answer$errors))
  edges <- answer$data$${taken.catalogue.documentType}$hits$edges
  if (length(edges) == 0) break
  records <- c(records, lapply(edges, function(edge) edge$node))
  variables$searchAfter <- edges[[length(edges)]]$searchAfter
}
length(records)
`;
}
