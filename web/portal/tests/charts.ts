import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import type { Locator, Page } from 'playwright-core';

import { close, number, open, shoot, textOf, total, violations } from './support';

async function saved(page: Page, menu: Locator, item: string): Promise<Buffer> {
  await menu.click();
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: item }).click();
  return readFileSync(await (await coming).path());
}

test('a chart is saved as SVG, as PNG and as its numbers', async () => {
  const page = await open('/portal/explore/files?view=charts');
  await total(page);
  const chart = page.locator('.chart', { has: page.locator('.bars') }).first();
  const menu = chart.getByRole('button', { name: /^Save / });
  const csv = (await saved(page, menu, 'Numbers as CSV')).toString().split('\r\n');
  assert.equal(number(csv[1]?.split(',').at(-1) ?? ''), number(await textOf(chart.locator('.bars .number').first())));
  assert.match((await saved(page, menu, 'Picture as SVG')).toString(), /^<svg [^]*<\/svg>$/);
  assert.equal((await saved(page, menu, 'Picture as PNG')).subarray(1, 4).toString(), 'PNG');
  await close(page);
});

test('two fields are compared, and a number of the comparison is what it filters to', async () => {
  const page = await open('/portal/explore/files?view=charts');
  await total(page);
  await page.getByLabel('Compare', { exact: true }).selectOption({ label: 'Gender' });
  await page.getByLabel('by', { exact: true }).selectOption({ label: 'Primary site' });
  await page.waitForURL(/cross=/);
  const table = page.locator('.cross-table');
  await table.waitFor();
  await shoot(page, 'charts-cross');
  assert.deepEqual(await violations(page), []);
  for (const form of ['Stacked', 'Side by side']) {
    await page.getByRole('button', { name: form }).click();
    await page.locator('.cross-bars').waitFor();
    assert.deepEqual(await violations(page), [], form);
  }
  await page.reload();
  const forms = page.getByRole('group', { name: 'Form of the comparison' });
  await forms.getByRole('button', { name: 'Table', exact: true }).click();
  const cell = table.locator('td button:enabled').nth(3);
  await cell.waitFor();
  const records = number(await textOf(cell));
  await cell.click();
  await page.getByRole('button', { name: /^a donor with; take apart/ }).waitFor();
  assert.equal(await total(page), records);
  await page.getByRole('button', { name: 'Clear comparison' }).click();
  await table.waitFor({ state: 'detached' });
  await close(page);
});

test('a distribution is compared by group', async () => {
  const page = await open(
    '/portal/explore/files?view=charts&cross=analysis.donors.ageAtDiagnosis~analysis.donors.gender~table',
  );
  const found = await total(page);
  await page.locator('.cross-table td button').first().waitFor();
  const counts = (await page.locator('.cross-table td button').allTextContents()).map(number);
  assert.ok(counts.some((records) => records > 0) && counts.every((records) => records <= found));
  await close(page);
});

test('what was found is compared with everything', async () => {
  const page = await open('/portal/explore/files');
  const all = await total(page);
  const gender = page.getByRole('region', { name: /^Gender/ });
  await gender.locator('.facet-value').first().click();
  await page.locator('.chip').waitFor();
  const found = await total(page);
  await page.getByRole('link', { name: 'Compare with all' }).click();
  const side = page.getByRole('region', { name: 'Side A' });
  await side.getByText(found.toLocaleString('en')).waitFor();
  await page.getByRole('region', { name: 'Side B' }).getByText(all.toLocaleString('en')).waitFor();
  await page.getByRole('heading', { name: 'Primary site' }).waitFor();
  const ages = page.locator('section', { has: page.getByRole('heading', { name: 'Age at diagnosis' }) });
  await ages.getByText(/^Whole distribution: p [=<]/).waitFor();
  assert.ok((await ages.locator('tbody tr').count()) > 3);
  assert.deepEqual(await violations(page), []);
  await shoot(page, 'comparison');
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV' }).click();
  const csv = readFileSync(await (await coming).path(), 'utf8');
  assert.match(csv, /^Field,Value,A,Share of A,B,Share of B,p\r\n/);
  assert.match(csv, /\r\nAge at diagnosis,Whole distribution,/);
  const picture = await saved(page, page.getByRole('button', { name: 'Save Primary site' }), 'Picture as SVG');
  assert.match(picture.toString(), /^<svg [^]*<\/svg>$/);
  await close(page);
});
