// A strange catalogue of 200 columns of which nothing is configured.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { startServer, type TestServer, untilIndexed } from './server';
import { close, open, shoot, textOf, total, valuesOf, violations } from './support';

const RECORDS = 300;
const CONSTANTS = Array.from({ length: 193 }, (_, index) => [`column_${index}`, 'same'] as const);

function record(index: number): Record<string, unknown> {
  return {
    ...Object.fromEntries(CONSTANTS),
    sample_id: `SMP-${String(index).padStart(5, '0')}`,
    sample_name: `Biopsy ${index} of the northern cohort`,
    site: ['Lung', 'Breast', 'Skin', 'Colon'][index % 4],
    sex: index % 3 ? 'female' : 'male',
    age: 20 + (index % 60),
    year: 2010 + (index % 12),
    purity: (1 + (index % 97)) / 10_000,
  };
}

/** Its folder of configurations does not exist. */
const folder = mkdtempSync(join(tmpdir(), 'cantata-unconfigured-'));

let server: TestServer | undefined;
let base: string;
let catalogue: string;

before(async () => {
  server = await startServer(['serve'], {
    env: { ES_INDEX: 'samples', DOCUMENT_TYPE: 'sample', CONFIGS_PATH: join(folder, 'configs') },
    prepare: (run, data) => {
      const file = join(data, 'samples.ndjson');
      writeFileSync(file, Array.from({ length: RECORDS }, (_, index) => JSON.stringify(record(index))).join('\n'));
      run('import', '--index', 'samples', file);
    },
  });
  [, base] = server.match;
  await untilIndexed(base);
  const { catalogs } = (await (await fetch(`${base}/introspection`)).json()) as { catalogs: Record<string, unknown> };
  catalogue = Object.keys(catalogs)[0] ?? '';
});
after(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const path = (search = '') => `/portal/explore/${encodeURIComponent(catalogue)}${search}`;

test('facets, columns and quick search are worth having, and records have pages', async () => {
  const page = await open(path(), { base });
  assert.equal(await total(page), RECORDS);
  const facets = await page.locator('.explore-side .facet-title').allTextContents();
  for (const name of ['Site', 'Sex', 'Age', 'Year', 'Purity'])
    assert.ok(
      facets.some((facet) => facet.startsWith(name)),
      `${name} is not among ${facets.join(', ')}`,
    );
  const columns = await page.locator('.head-text').allTextContents();
  assert.equal(columns[0], 'Sample Id');
  assert.ok(![...facets, ...columns].some((name) => name.startsWith('Column')), columns.join(', '));
  assert.match(await textOf(page.locator('.result-table tbody')), /20[12]\d/, 'years have no comma');
  await shoot(page, 'unconfigured');
  assert.equal(await page.getByRole('button', { name: 'Save set' }).count(), 0, 'what cannot work is not offered');
  await page.getByRole('combobox', { name: /^Search/ }).fill('SMP-00007');
  await page.getByRole('option').first().waitFor();
  await page.keyboard.press('Escape');
  await page.locator('.result-table td a').first().click();
  await page.getByRole('tab', { name: 'Fields' }).waitFor();
  await page.getByText('northern cohort').first().waitFor();
  assert.deepEqual(page.complaints, []);
  await close(page);
});

test('where a catalogue keeps no sets, a sentence says so', async () => {
  const page = await open('/portal/sets', { base });
  await page.getByText('This catalogue keeps no sets').waitFor();
  assert.equal(await page.locator('.notice.error').count(), 0);
  await close(page);
});

test('any field becomes a filter and a chart, and the address keeps it', async () => {
  const page = await open(path(), { base });
  await total(page);
  await page.getByRole('button', { name: 'Choose filters' }).click();
  await page.getByLabel('Add a field').fill('column_7');
  await page.getByRole('checkbox', { name: 'Column 7', exact: true }).check();
  await page.waitForURL(/facets=/);
  assert.deepEqual(await violations(page), []);
  await page.keyboard.press('Escape');
  await page.reload();
  await total(page);
  const added = page.getByRole('region', { name: /^Column 7/ });
  const [same] = await valuesOf(added);
  assert.equal(same.count, RECORDS);
  await page.getByRole('button', { name: 'Choose filters' }).click();
  await page.getByRole('button', { name: 'Reset' }).click();
  await added.waitFor({ state: 'detached' });
  await page.goto(base + path('?view=charts'));
  await page.getByRole('button', { name: 'Choose charts' }).click();
  await page.getByLabel('Add a field').fill('column_9');
  await page.getByRole('checkbox', { name: 'Column 9', exact: true }).check();
  await page.locator('.chart', { hasText: 'Column 9' }).waitFor();
  await page.waitForURL(/charts=/);
  assert.equal(await page.getByRole('region', { name: /^Column 9/ }).count(), 0, 'a chart is no filter');
  await close(page);
});

test('what was chosen becomes the default of the catalogue, for everybody', async () => {
  const page = await open(path('?facets=sex.keyword,age&columns=sample_name,site'), { base });
  await total(page);
  await page.getByRole('button', { name: 'Save as the default' }).click();
  await page.getByText('Everybody who opens').waitFor();
  assert.deepEqual(await violations(page), []);
  await page.locator('dialog').getByRole('button', { name: 'Save' }).click();
  await page.locator('dialog').waitFor({ state: 'detached' });
  await page.waitForURL((url) => !url.search.includes('facets'));
  await close(page);
  const other = await open(path(), { base });
  await total(other);
  const facets = (await other.locator('.explore-side .facet-title').allTextContents()).map((text) => text.trim());
  assert.deepEqual(facets, ['Sex', 'Age']);
  assert.deepEqual(await other.locator('.head-text').allTextContents(), ['Sample Name', 'Site']);
  assert.equal(await other.getByRole('button', { name: 'Save as the default' }).count(), 0, 'nothing was changed');
  await close(other);
});
