import { afterEach, expect, test, vi } from 'vitest';

import { fetchFile } from '../src/download/stream';

const file = 'name\na\nb\nc\n';

async function fetched(headers: Record<string, string>) {
  vi.stubGlobal('sessionStorage', { getItem: () => null });
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(file, { headers })));
  const rows: number[] = [];
  const { signal } = new AbortController();
  const result = await fetchFile('/download', {}, true, (progress) => rows.push(progress.rows), signal);
  return { cutAt: result.cutAt, rows: rows.at(-1), text: await result.blob.text() };
}

afterEach(() => vi.unstubAllGlobals());

test('a file that the server cut says at how many rows', async () => {
  expect(await fetched({ 'X-Row-Limit': 'files[0]=3' })).toEqual({ cutAt: 3, rows: 3, text: file });
});

test('where rows are no lines, the server says whether a file is cut', async () => {
  vi.stubGlobal('sessionStorage', { getItem: () => null });
  vi.stubGlobal('fetch', () => Promise.resolve(new Response('PAR1\n\n', { headers: { 'X-Row-Limit': 'files[0]=3' } })));
  const { signal } = new AbortController();
  expect((await fetchFile('/download', {}, null, () => {}, signal)).cutAt).toBe(3);
});

test('a whole file says nothing', async () => {
  expect(await fetched({})).toEqual({ cutAt: null, rows: 3, text: file });
});
