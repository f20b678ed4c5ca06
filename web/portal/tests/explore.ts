import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Request } from 'playwright-core';

import {
  close,
  fetchJson,
  firstFacet,
  number,
  open,
  painted,
  PHONE,
  settled,
  shoot,
  textOf,
  total,
  valuesOf,
  violations,
} from './support';

test('a value of a facet narrows the result to its count, and other values stay countable', async () => {
  const page = await open('/portal/explore/files');
  const all = await total(page);
  const [first, second] = await valuesOf(firstFacet(page));
  await first.row.click();
  await page.waitForURL(/filter=/);
  assert.equal(await total(page), first.count);
  assert.ok(first.count < all);
  const [, again] = await valuesOf(firstFacet(page));
  assert.deepEqual([again.text, again.count], [second.text, second.count], 'its own filter is left out');
  await again.row.click();
  await page.locator('.chip-value').nth(1).waitFor();
  assert.equal(await total(page), first.count + second.count);
  await page
    .locator('[role=status]', { hasText: `${(first.count + second.count).toLocaleString('en')} files found` })
    .waitFor();
  await shoot(page, 'explore-filtered');
  assert.deepEqual(page.complaints, []);
  await close(page);
});

test('excluding a value leaves the rest, and select all takes every value', async () => {
  const page = await open('/portal/explore/files');
  const all = await total(page);
  const facet = firstFacet(page);
  const [first] = await valuesOf(facet);
  await first.row.click();
  await facet.getByRole('button', { name: 'Exclude' }).click();
  await page.locator('.chip', { hasText: 'is not' }).waitFor();
  assert.equal(await total(page), all - first.count);
  await facet.getByRole('button', { name: 'Include' }).click();
  await facet.getByRole('button', { name: 'Select all' }).click();
  await facet.getByRole('button', { name: 'Select none' }).waitFor();
  assert.equal(await total(page), all, 'every record has one of the values');
  await facet.getByRole('button', { name: /^Clear/ }).click();
  await page.locator('.chip').waitFor({ state: 'detached' });
  await close(page);
});

test('values of a facet are found by typing', async () => {
  const page = await open('/portal/explore/files');
  await total(page);
  const facet = page.locator('.explore-side .facet:has(.facet-search)').first();
  const values = await valuesOf(facet);
  const wanted = values.at(-1)!.text;
  await facet.getByRole('searchbox').fill(wanted.toUpperCase());
  await facet.locator('.facet-value', { hasText: wanted }).waitFor();
  assert.ok((await valuesOf(facet)).every(({ text }) => text.toLowerCase().includes(wanted.toLowerCase())));
  await close(page);
});

test('a handle of a histogram is moved by keyboard', async () => {
  const page = await open('/portal/explore/files');
  const all = await total(page);
  const handle = page.locator('.explore-side .range-handle').first();
  await handle.focus();
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowRight');
  await page.locator('.chip').waitFor();
  assert.ok((await total(page)) <= all);
  assert.match(page.url(), /gte|between/);
  await close(page);
});

test('back, forward, reload and a shared link restore everything', async () => {
  const page = await open('/portal/explore/files');
  await total(page);
  const [first] = await valuesOf(firstFacet(page));
  await first.row.click();
  await page.waitForURL(/filter=/);
  await page.getByRole('columnheader').nth(1).waitFor();
  await page.locator('button.head-label').first().click();
  await page.waitForURL(/sort=/);
  await page.getByLabel('Rows per page').selectOption('50');
  await page.getByRole('button', { name: 'Charts' }).click();
  await page.waitForURL(/view=charts/);
  const found = await total(page);
  const link = page.url();
  await page.reload();
  assert.equal(await total(page), found);
  assert.equal(page.url(), link);
  const other = await open(link.replace(/^https?:\/\/[^/]+/, ''));
  assert.equal(await total(other), found);
  await other.locator('.chart').first().waitFor();
  await close(other);
  for (let step = 0; step < 4; step += 1) await page.goBack();
  await page.locator('.chip').waitFor({ state: 'detached' });
  await page.goForward();
  await page.locator('.chip').waitFor();
  await close(page);
});

test('one request for each change, and none for a view that was left', async () => {
  const page = await open('/portal/explore/files');
  await total(page);
  const sent: Request[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/graphql')) sent.push(request);
  });
  const [first] = await valuesOf(firstFacet(page));
  await first.row.click();
  await total(page);
  await painted(page);
  assert.equal(sent.length, 1);
  await page.route('**/graphql', () => {});
  const [, second, third] = await valuesOf(firstFacet(page));
  const begun = page.waitForRequest('**/graphql');
  await second.row.click();
  const left = await begun;
  const givenUp = page.waitForEvent('requestfailed');
  await third.row.click();
  assert.equal(await givenUp, left, 'the first request was given up');
  await close(page);
});

test('and, or, not, brackets, undo and redo change the sentence and the result', async () => {
  const page = await open('/portal/explore/files');
  const all = await total(page);
  const facets = page.locator('.explore-side .facet:has(.facet-value)');
  await facets.nth(0).locator('.facet-value').first().click();
  await page.locator('.chip').waitFor();
  const one = await total(page);
  await facets.nth(1).locator('.facet-value').first().click();
  await page.locator('.chip').nth(1).waitFor();
  const both = await total(page);
  await page.getByRole('button', { name: 'and; change to or' }).click();
  await page.getByRole('button', { name: 'or; change to and' }).waitFor();
  const either = await total(page);
  assert.ok(both <= one && either >= one);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('button', { name: 'and; change to or' }).waitFor();
  assert.equal(await total(page), both);
  await page.getByRole('button', { name: 'Redo' }).click();
  await page.getByRole('button', { name: 'or; change to and' }).waitFor();
  assert.equal(await total(page), either);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('button', { name: 'Change this condition' }).first().click();
  await page.getByRole('button', { name: 'Turn into its opposite' }).click();
  await page.locator('.chip', { hasText: 'is not' }).waitFor();
  assert.ok((await total(page)) <= all - one);
  await page.getByRole('button', { name: 'Clear all' }).click();
  await page.locator('.chip').first().waitFor({ state: 'detached' });
  assert.equal(await total(page), all);
  await close(page);
});

test('a pasted filter is checked while it is typed and then used', async () => {
  const page = await open('/portal/explore/files');
  await total(page);
  const [first] = await valuesOf(firstFacet(page));
  await first.row.click();
  await page.locator('.chip').waitFor();
  await page.getByRole('button', { name: 'Edit as text' }).click();
  const area = page.getByLabel('SQON (JSON)');
  const text = await area.inputValue();
  await area.fill('{"op": "near"}');
  await page.getByText('At /op').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Use this filter' }).isDisabled());
  await area.fill(text.replace('"in"', '"not-in"'));
  await page.getByText('This says:').waitFor();
  await shoot(page, 'explore-sqon');
  await page.getByRole('button', { name: 'Use this filter' }).click();
  await page.locator('.chip', { hasText: 'is not' }).waitFor();
  await close(page);
});

test('quick search offers matches and takes one by keyboard', async () => {
  const page = await open('/portal/explore/files');
  await total(page);
  const cell = (await textOf(page.locator('.result-table td a').first())).trim();
  await page.keyboard.press('/');
  const box = page.getByRole('combobox', { name: /^Search/ });
  await box.fill(cell);
  await page.getByRole('option').first().waitFor();
  await shoot(page, 'explore-quick-search');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.locator('.chip').waitFor();
  assert.ok((await total(page)) >= 1);
  await close(page);
});

test('a word finds values of facets, which become filters', async () => {
  const page = await open('/portal/explore/files');
  await total(page);
  const box = page.getByRole('combobox', { name: /^Search/ });
  await box.fill('breas');
  const option = page.getByRole('group', { name: 'Primary site' }).getByRole('option').first();
  await option.waitFor();
  assert.equal(await textOf(option.locator('mark')), 'Breas');
  const records = number(await textOf(option.locator('.number')));
  await shoot(page, 'explore-find-value');
  await option.click();
  await page.locator('.chip', { hasText: 'Primary site' }).waitFor();
  assert.equal(await total(page), records);
  await close(page);
});

test('the home page finds values in every catalogue', async () => {
  const page = await open('/');
  await page.getByRole('searchbox', { name: 'Search all catalogues' }).fill('breast');
  const files = page.getByRole('region', { name: 'Matches in Files' });
  const link = files.getByRole('link', { name: /^Breast/ }).first();
  await link.waitFor();
  await page.getByRole('region', { name: 'Matches in Analyses' }).getByRole('link').first().waitFor();
  await settled(page);
  await shoot(page, 'home-search');
  assert.deepEqual(await violations(page), []);
  const records = number(await textOf(link.locator('.number')));
  await link.click();
  assert.equal(await total(page), records);
  await close(page);
});

test('rows beyond the window are reached by cursors, forwards and backwards', async () => {
  const page = await open('/portal/explore/files?size=500&page=20');
  const all = await total(page);
  assert.ok(all > 10_000, `only ${all} records`);
  const firstCell = async () => await page.locator('.result-table td').first().textContent();
  const range = page.locator('.pager .number').first();
  const at = async (text: string) => {
    await page.locator('.pager', { hasText: text }).waitFor();
    await total(page);
    return firstCell();
  };
  const page20 = await at('9,501–10,000');
  await page.getByRole('button', { name: 'Next' }).click();
  const page21 = await at('10,001–10,500');
  await page.getByRole('button', { name: 'Next' }).click();
  const page22 = await at('10,501–11,000');
  await page.getByRole('button', { name: 'Previous' }).click();
  assert.equal(await at('10,001–10,500'), page21);
  await page.reload();
  assert.equal(await at('10,001–10,500'), page21);
  await page.getByRole('button', { name: 'Previous' }).click();
  assert.equal(await at('9,501–10,000'), page20);
  assert.equal(new Set([page20, page21, page22]).size, 3);
  assert.ok(number((await textOf(range)).split('of ')[1] ?? '') === all);
  assert.ok(
    (await page.locator('.result-table tbody tr[role=row]').count()) < 120,
    'only the rows in sight are in the document',
  );
  await close(page);
});

test('columns are hidden, added, moved, widened and sorted by more than one', async () => {
  const page = await open('/portal/explore/files');
  await total(page);
  const heads = () => page.locator('.head-text').allTextContents();
  const before = await heads();
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('button', { name: `Move ${before[1]} up` }).click();
  await page.waitForURL(/columns=/);
  await page.keyboard.press('Escape');
  assert.deepEqual((await heads()).slice(0, 2), [before[1], before[0]]);
  const divider = page.getByRole('separator').first();
  const width = Number(await divider.getAttribute('aria-valuenow'));
  await divider.focus();
  await page.keyboard.press('ArrowRight');
  await page.waitForURL(/~\d+/);
  assert.equal(Number(await page.getByRole('separator').first().getAttribute('aria-valuenow')), width + 16);
  const sortable = page.locator('button.head-label');
  await sortable.nth(0).click();
  await page.waitForURL(/sort=/);
  await sortable.nth(1).click({ modifiers: ['Shift'] });
  await page.waitForURL(/sort=[^&]+(,|%2C)/);
  await close(page);
});

test('the id of a record can be a column', async () => {
  const page = await open('/portal/explore/files?columns=_id');
  await total(page);
  assert.deepEqual(await page.locator('.head-text').allTextContents(), ['Id']);
  assert.match(await textOf(page.locator('.result-table td').first()), /\w/);
  assert.deepEqual(page.complaints, []);
  await close(page);
});

test('a chart filters on click', async () => {
  const page = await open('/portal/explore/files?view=charts');
  const all = await total(page);
  await page.locator('.bars button').first().click();
  await page.locator('.chip').waitFor();
  assert.ok((await total(page)) < all);
  await page.locator('.areas button').first().click();
  await page.locator('.chip').nth(1).waitFor();
  await page.locator('.steps .step').nth(2).click();
  await page.locator('.chip').nth(2).waitFor();
  await shoot(page, 'explore-charts');
  await close(page);
});

test('an error keeps what was chosen and can be tried again', async () => {
  const page = await open('/portal/explore/files');
  const all = await total(page);
  await page.route('**/graphql', (route) => route.abort());
  const [first] = await valuesOf(firstFacet(page));
  await first.row.click();
  await page.getByText('The records could not be fetched').waitFor();
  assert.ok(await page.locator('.chip').isVisible());
  assert.equal(await page.locator('.result-table').count(), 0, 'rows of another filter are not shown');
  await shoot(page, 'explore-error');
  await page.unroute('**/graphql');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('The records could not be fetched').waitFor({ state: 'detached' });
  assert.ok((await total(page)) < all);
  await close(page);
});

test('where the server has gone, the home page stays whole, and works again once it is back', async () => {
  const page = await open('/');
  await page.locator('.home-card').first().waitFor();
  const data = /\/(introspection|studies|auth|portal\/settings\.json)\b/;
  await page.route(data, (route) => route.abort());
  await page.reload();
  const notice = page.locator('.notice.error', { hasText: 'The catalogues could not be fetched' });
  await notice.getByText('The server cannot be reached.').waitFor();
  await page.getByRole('link', { name: 'Learn', exact: true }).waitFor();
  assert.deepEqual(await violations(page), []);
  await page.unroute(data);
  await notice.getByRole('button', { name: 'Try again' }).click();
  await page.locator('.home-card').first().waitFor();
  await close(page);
});

test('nothing found, an unknown catalogue and a broken link are said kindly', async () => {
  const { fields } = await fetchJson<{ fields: Record<string, { type: string }> }>('/introspection/files');
  const [fieldName] = Object.entries(fields).find(([, { type }]) => type === 'keyword')!;
  const nothing = JSON.stringify({ op: 'in', content: { fieldName, value: ['no such value'] } });
  const page = await open(`/portal/explore/files?filter=${encodeURIComponent(nothing)}`);
  await page.getByRole('heading', { name: /No files match/ }).waitFor();
  await shoot(page, 'explore-empty');
  await page.goto(page.url().replace(/filter=.*/, 'filter=%7Bbroken'));
  await page.getByText('The filter in the address was left out').waitFor();
  await close(page);
  const other = await open('/portal/explore/nowhere');
  await other.getByText('There is no catalogue').waitFor();
  await close(other);
});

test('on a phone filters are a sheet of their own', async () => {
  const page = await open('/portal/explore/files', { viewport: PHONE });
  await total(page);
  await shoot(page, 'explore-phone');
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.locator('dialog .facet-value').first().click();
  await shoot(page, 'explore-phone-filters');
  await page.locator('dialog').getByRole('button', { name: /^Show/ }).last().click();
  await page.locator('.chip').waitFor();
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  assert.ok(overflow <= 0, `the page is ${overflow} pixels too wide`);
  await close(page);
});
