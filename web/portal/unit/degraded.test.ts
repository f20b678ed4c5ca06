import { afterEach, expect, test, vi } from 'vitest';

import { loadCatalogue } from '../src/api/catalogue';

const entry = {
  documentType: 'file',
  status: 'available' as const,
  paths: { graphql: '/files/graphql', introspection: '/introspection/files' },
};

const configs = {
  extended: [],
  table: { columns: [], defaultSorting: null, rowIdFieldName: 'file_id', maxResultsWindow: null },
  facets: { aggregations: [] },
  downloads: null,
  matchbox: null,
};

const error = { code: 'connection_error', message: 'the search engine cannot be reached' };

function answerWith(introspection: object) {
  vi.stubGlobal('sessionStorage', { getItem: () => null });
  vi.stubGlobal('fetch', (path: string) => {
    const isIntrospection = path === entry.paths.introspection;
    const body = isIntrospection ? introspection : { data: { file: { configs } } };
    return Promise.resolve(new Response(JSON.stringify(body), { status: isIntrospection ? 503 : 200 }));
  });
}

afterEach(() => vi.unstubAllGlobals());

test('a catalogue whose index fails at present is shown with what is known of it', async () => {
  const fields = { file_id: { displayName: 'File ID', type: 'keyword', unit: null } };
  answerWith({ catalogId: 'files', fields, meta: { authFiltered: false }, error, status: 'failed' });
  const catalogue = await loadCatalogue('files', entry);
  expect([...catalogue.fields.keys()]).toEqual(['file_id']);
});

test('a catalogue of which nothing is known says why', async () => {
  answerWith({ catalogueId: 'files', error, status: 'failed' });
  await expect(loadCatalogue('files', entry)).rejects.toThrow(error.message);
});
