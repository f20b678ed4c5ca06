// The path of a new user: three questions about the data, a link, the rows, a submission with a mistake.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Page } from 'playwright-core';

import type { Directory } from '../src/api/types';
import { close, downloadedLines, fetchJson, number, open, shoot, textOf, total, world } from './support';

/** Asks the server itself how many files meet conditions. */
async function counted(conditions: Record<string, string>) {
  const content = Object.entries(conditions).map(([fieldName, value]) => ({
    op: 'in',
    content: { fieldName, value: [value] },
  }));
  const { catalogs } = await fetchJson<Directory>('/introspection');
  const { data } = await fetchJson<{ data: { file: { hits: { total: number } } } }>(catalogs.files!.paths.graphql, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      query: 'query Count($filters: JSON) { file { hits(filters: $filters) { total } } }',
      variables: { filters: { op: 'and', content } },
    }),
  });
  return data.file.hits.total;
}

/** A facet as people find it: by its name. */
function facet(page: Page, name: string) {
  return page.getByRole('region', { name: new RegExp(`^${name}`) });
}

async function choose(page: Page, name: string, value: string) {
  await facet(page, name).locator('.facet-value', { hasText: value }).first().click();
  await page.locator('.chip', { hasText: value }).waitFor();
  return total(page);
}

test('a new user answers three questions, shares the link and takes the rows', async () => {
  const page = await open('/');
  const card = page.locator('.home-card', { has: page.getByRole('heading', { name: 'Files' }) });
  const largest = card.locator('.home-value').first();
  const study = await textOf(largest.locator('.home-name'));
  const files = number(await textOf(largest.locator('.number')));
  assert.equal(files, await counted({ studyId: study }), 'which study has the most files?');

  await card.getByRole('link', { name: 'Explore Files' }).click();
  await total(page);
  await choose(page, 'Primary site', 'Breast');
  const wholeGenomes = await choose(page, 'Experimental strategy', 'WGS');
  const asked = { 'analysis.donors.primarySite': 'Breast', 'analysis.experiment.strategy': 'WGS' };
  assert.equal(wholeGenomes, await counted(asked), 'how many files of breast cancer come from whole genomes?');

  const free = await choose(page, 'Access', 'Open');
  assert.equal(free, await counted({ ...asked, fileAccess: 'open' }), 'how many of these may anybody have?');
  await shoot(page, 'trial');

  const other = await open(page.url().slice(world.base.length));
  assert.equal(await total(other), free, 'the link shows the same to others');
  assert.equal(
    await other.locator('.query-sentence').textContent(),
    await page.locator('.query-sentence').textContent(),
  );
  await close(other);

  await page.getByRole('button', { name: 'Download', exact: true }).click();
  const rows = await downloadedLines(page);
  assert.equal(rows.length, free + 1, 'a heading and every row');
  await close(page);
});

test('a new user submits something with a mistake, is shown where it is, and corrects it', async () => {
  const page = await open('/');
  await page.getByRole('link', { name: 'Submit data' }).click();
  await page.getByLabel('Study').selectOption({ index: 1 });
  await page.getByRole('tab', { name: 'JSON' }).click();
  await page.getByLabel('Begin with an example of').selectOption('alignedReads');
  const area = page.getByLabel('Payload', { exact: true });
  await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('alignedReads'));
  const example = await area.inputValue();
  const send = page.getByRole('button', { name: /^Submit to/ });
  await area.fill(example.replace('"files"', '"fils"'));
  await send.click();
  await page.getByText('“files” is missing').first().waitFor();
  await shoot(page, 'trial-mistake');
  await area.fill(example.slice(0, -1));
  await page.getByText('This is not JSON').waitFor();
  assert.ok(await send.isDisabled());
  await area.fill(example);
  await page.getByRole('button', { name: 'Check only' }).click();
  await page.getByText('It was not stored yet').waitFor();
  await close(page);
});
