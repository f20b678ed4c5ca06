// From nothing but a CSV file to a filtered, shared and downloaded table, with no file edited by hand.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { startServer, type TestServer, untilIndexed } from './server';
import { close, open, shoot, START_PATIENCE, textOf, total } from './support';

const ROWS = 50_000;
const SITES = ['Lung', 'Breast', 'Skin', 'Colon, left'];

let server: TestServer | undefined;
let base: string;
let catalogue: string;

function csv(): string {
  const rows = Array.from({ length: ROWS }, (_, index) => {
    const site = SITES[index % SITES.length] ?? '';
    const born = `19${String(50 + (index % 50))}-0${1 + (index % 9)}-1${index % 10}`;
    return `S${String(index).padStart(6, '0')},${site.includes(',') ? `"${site}"` : site},${20 + (index % 60)},${born}`;
  });
  return `sample_id,site,age,born\n${rows.join('\n')}\n`;
}

before(
  async () => {
    server = await startServer(['serve'], {
      env: { ES_INDEX: 'samples', DOCUMENT_TYPE: 'sample', CONFIGS_PATH: '/nonexistent' },
      prepare: (run, folder) => {
        const file = join(folder, 'samples.csv');
        writeFileSync(file, csv());
        run('import', '--index', 'samples', file);
      },
    });
    [, base] = server.match;
    await untilIndexed(base);
    const answer = await fetch(`${base}/introspection`);
    const { catalogs } = (await answer.json()) as { catalogs: Record<string, unknown> };
    catalogue = Object.keys(catalogs)[0] ?? '';
  },
  { timeout: START_PATIENCE },
);
after(() => server?.stop());

test('a CSV file becomes a table to filter, share and take away', async () => {
  const page = await open(`/portal/explore/${encodeURIComponent(catalogue)}`, { base });
  assert.equal(await total(page), ROWS);
  const site = page.getByRole('region', { name: /^Site/ });
  await site.locator('.facet-value', { hasText: 'Colon, left' }).click();
  await page.locator('.chip', { hasText: 'Colon, left' }).waitFor();
  const found = await total(page);
  assert.equal(found, ROWS / SITES.length);
  await shoot(page, 'csv');
  const other = await open(page.url().slice(base.length), { base });
  assert.equal(await total(other), found);
  await close(other);
  await page.getByRole('button', { name: 'Download', exact: true }).click();
  await page.getByRole('radio', { name: /^CSV/ }).check();
  const coming = page.waitForEvent('download');
  const sheet = page.locator('dialog');
  await sheet.getByRole('button', { name: /^Download/ }).click();
  const rows = readFileSync(await (await coming).path(), 'utf8')
    .trimEnd()
    .split('\r\n');
  assert.equal(rows.length, found + 1);
  assert.ok(rows.slice(1).every((row) => row.includes('"Colon, left"')));
  assert.match(await textOf(page.locator('.result-count')), /12,500/);
  for (const [format, begin, end] of [
    [/^Parquet/, 'PAR1', 'PAR1'],
    [/^XLSX/, 'PK', ''],
    [/^Arrow/, '', ''],
  ] as const) {
    await page.getByRole('radio', { name: format }).check();
    const next = page.waitForEvent('download');
    await sheet.getByRole('button', { name: /^Download/ }).click();
    const file = readFileSync(await (await next).path()).toString('latin1');
    assert.ok(file.length > 1000 && file.startsWith(begin) && file.endsWith(end), String(format));
  }
  await close(page);
});
