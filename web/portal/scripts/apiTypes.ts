// Generates src/api/schema.ts, the types of requests and answers, from the OpenAPI document of the server CANTATA_BIN.
//
// With `--check` nothing is written: it fails if the file differs from what the server describes.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { format } from 'prettier';

import { startServer } from '../tests/server';

/** The schemas that the portal uses; what they refer to is generated as well. */
const ROOTS = [
  'AnalysisPage',
  'AnalysisTypePage',
  'AnalysisTypeRegistration',
  'AnalysisTypeVersions',
  'ApiKeys',
  'CatalogueDirectory',
  'CatalogueFields',
  'CatalogueIndexing',
  'FileUpdateRequest',
  'Job',
  'MadeApiKey',
  'NewApiKey',
  'Readiness',
  'SessionState',
  'SignedOut',
  'Study',
  'StudyRequest',
];
const TARGET = join(import.meta.dirname, '../src/api/schema.ts');
const HEADER = '// Generated from /openapi.json by `make portal-api-types`.\n\n';

type Schemas = Record<string, unknown>;

/** Returns the schemas that are reachable from the roots, without descriptions, which change without the types. */
function reachable(schemas: Schemas): Schemas {
  const used: Schemas = {};
  const visit = (name: string) => {
    if (name in used) return;
    if (!(name in schemas)) throw new Error(`/openapi.json has no schema ${name}`);
    used[name] = {};
    const text = JSON.stringify(schemas[name], (key, value: unknown) =>
      key === 'description' && typeof value === 'string' ? undefined : value,
    );
    used[name] = JSON.parse(text);
    for (const [, reference] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) visit(String(reference));
  };
  ROOTS.forEach(visit);
  return Object.fromEntries(Object.entries(used).sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function fetchSchemas(): Promise<Schemas> {
  // A server without catalogues describes no search service.
  const server = await startServer(['demo']);
  try {
    const answer = await fetch(`${server.match[1]}/openapi.json`);
    return ((await answer.json()) as { components: { schemas: Schemas } }).components.schemas;
  } finally {
    await server.stop();
  }
}

const document = {
  openapi: '3.1.0',
  info: { title: '', version: '' },
  paths: {},
  components: { schemas: reachable(await fetchSchemas()) },
};
const types = astToString(await openapiTS(document as OpenAPI3, { emptyObjectsUnknown: true }));
const source = await format(HEADER + types, { parser: 'typescript', printWidth: 120, singleQuote: true });
if (!process.argv.includes('--check')) {
  writeFileSync(TARGET, source);
} else if (readFileSync(TARGET, 'utf8') !== source) {
  console.error('src/api/schema.ts is not what the server describes: run make portal-api-types');
  process.exit(1);
}
