import assert from 'node:assert/strict';
import { test } from 'node:test';

import { close, downloadedLines, fetchJson, number, open, PHONE, shoot, textOf, total, violations } from './support';

test('rows are compact or comfortable, and the choice stays', async () => {
  const page = await open('/portal/explore/files');
  await total(page);
  const height = async () => (await page.locator('.result-table tbody tr[role=row]').first().boundingBox())!.height;
  const before = await height();
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('button', { name: 'Compact' }).click();
  await page.locator('.result-table.compact').waitFor();
  assert.ok((await height()) < before);
  await page.keyboard.press('Escape');
  await page.reload();
  await page.locator('.result-table.compact td').first().waitFor();
  assert.deepEqual(await violations(page), []);
  await shoot(page, 'table-compact');
  await close(page);
});

test('the first column stays in sight, and free width is used', async () => {
  const page = await open('/portal/explore/files?columns=fileName,fileType');
  await total(page);
  const scroller = page.locator('.result-scroll');
  const [inside, table] = await Promise.all([
    scroller.evaluate((element) => element.clientWidth),
    page.locator('.result-table').evaluate((element) => element.getBoundingClientRect().width),
  ]);
  assert.ok(Math.abs(table - inside) <= 2, `${table} of ${inside} pixels are used`);
  const rows = page.locator('.result-table thead th');
  const widths = await rows.evaluateAll((heads) => heads.map((head) => head.getBoundingClientRect().width));
  assert.ok(Math.abs(widths.reduce((sum, width) => sum + width, 0) - table) <= 2, 'columns share it');
  await page.goto(page.url().replace(/\?.*/, ''));
  await total(page);
  const first = page.locator('.result-table tbody td').first();
  const before = (await first.boundingBox())!.x;
  await scroller.evaluate((element) => element.scrollTo({ left: 300 }));
  assert.equal((await first.boundingBox())!.x, before);
  await close(page);
});

test('records are sorted by the smallest or the largest of a nested list', async () => {
  const page = await open('/portal/explore/files?columns=fileName,analysis.donors.ageAtDiagnosis');
  await total(page);
  const head = page.getByRole('columnheader', { name: /^Age at diagnosis/ });
  await head.hover();
  await head.getByRole('button', { name: /^Column / }).click();
  await page.getByRole('button', { name: 'Sort by the largest, descending' }).click();
  await page.waitForURL(/sort=-analysis\.donors\.ageAtDiagnosis/);
  await total(page);
  const cells = await page.locator('.result-table tbody tr td:nth-child(2)').allTextContents();
  const largest = cells.map((cell) => Math.max(...(cell.match(/\d+/g) ?? []).map(Number)));
  assert.deepEqual(
    largest,
    largest.toSorted((one, other) => other - one),
  );
  await close(page);
});

test('pages are reached by number', async () => {
  const page = await open('/portal/explore/files');
  await total(page);
  await page.getByRole('button', { name: 'Page 3', exact: true }).click();
  await page.locator('.pager', { hasText: '41–60' }).waitFor();
  assert.equal(await page.locator('.pager [aria-current=page]').textContent(), '3');
  await page.getByRole('button', { name: 'Page 1', exact: true }).click();
  await page.locator('.pager', { hasText: '1–20' }).waitFor();
  await close(page);
});

test('numbers are exact on hover, and the bytes of all records are added up', async () => {
  const page = await open('/portal/explore/files?columns=fileName,fileSize');
  await total(page);
  const title = await page.locator('.result-table tbody td:nth-child(2) span').first().getAttribute('title');
  assert.match(title ?? '', /^[\d,]+ B$/);
  const name = page.locator('.result-table tbody .cut').first();
  assert.equal(await textOf(name), await name.getAttribute('title'), 'what is cut in the middle is there in full');
  assert.equal((await textOf(name.locator('.cut-tail'))).length, 8);
  const { data } = await fetchJson<{ data: { file: { aggregations: { fileSize: { stats: { sum: number } } } } } }>(
    '/files/graphql',
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ file { aggregations { fileSize { stats { sum } } } } }' }),
    },
  );
  const shown = await page.locator('.result-bytes').getAttribute('title');
  assert.equal(number(shown!.replace(' B', '')), data.file.aggregations.fileSize.stats.sum);
  await close(page);
});

test('records are selected over pages and become a filter, a set, a manifest and a download', async () => {
  const page = await open('/portal/explore/files');
  await total(page);
  const boxes = page.locator('.result-table tbody .select-box');
  await boxes.nth(0).check();
  await boxes.nth(2).check();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.locator('.pager', { hasText: '21–40' }).waitFor();
  await total(page);
  await boxes.nth(1).check();
  const basket = page.getByRole('region', { name: 'Selected records' });
  await basket.getByText('3 files selected').waitFor();
  await shoot(page, 'table-basket');
  assert.deepEqual(await violations(page), []);
  await basket.getByRole('button', { name: 'Download them' }).click();
  const rows = await downloadedLines(page, /^Download 3 rows$/);
  assert.equal(rows.length, 4);
  await page.getByRole('radio', { name: /^File manifest/ }).check();
  const manifest = await downloadedLines(page);
  assert.match(manifest[0] ?? '', /^object_id\tfile_name/);
  assert.equal(manifest.length, 4);
  await page.keyboard.press('Escape');
  await basket.getByRole('button', { name: 'Save them as a set' }).click();
  await page.locator('dialog').getByLabel('Name').fill('Picked by hand');
  await page.locator('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByText('is saved with 3 values').waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await basket.getByRole('button', { name: 'Show only these' }).click();
  await page.locator('.chip').waitFor();
  assert.equal(await total(page), 3);
  await page.getByLabel('Select all on this page').uncheck();
  await basket.waitFor({ state: 'detached' });
  await close(page);
});

test('on a phone the first column leaves room for the others', async () => {
  const page = await open('/portal/explore/files', { viewport: PHONE });
  await total(page);
  const position = await page
    .locator('.result-table tbody td')
    .first()
    .evaluate((cell) => getComputedStyle(cell).position);
  assert.equal(position, 'static');
  assert.match(await textOf(page.locator('.result-table tbody')), /\w/);
  await close(page);
});
