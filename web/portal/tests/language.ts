// The portal in German. That no word of it is left in English is a unit test.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Locator, Page } from 'playwright-core';

import { texts as de } from '../src/texts/de';
import { texts as en } from '../src/texts/en';
import { assertGoodEverywhere, close, open, PATIENCE, PHONE, settled, textOf, total, world } from './support';

/** Opens a page in the language that was chosen before. */
async function openIn(language: string, path: string) {
  const page = await open('/');
  await page.evaluate((code) => localStorage.setItem('cantata.language', code), language);
  await page.goto(world.base + path);
  await assertLanguage(page, language);
  return page;
}

async function assertLanguage(page: Page, language: string) {
  await page.locator(`html[lang=${language}]`).waitFor();
}

/** Every page with a selector that matches once it is complete, and a heading or the name of a part in German. */
const PAGES: Record<string, [path: string, complete: string, german: (page: Page) => Locator]> = {
  home: [
    '/',
    '.home-card .home-value',
    (page) => page.getByRole('heading', { level: 1, name: 'Die passenden Daten finden' }),
  ],
  explore: [
    '/portal/explore/files',
    '.result-table td',
    (page) => page.getByRole('complementary', { name: 'Filter', exact: true }),
  ],
  charts: [
    '/portal/explore/files?view=charts',
    '.chart',
    (page) => page.getByRole('button', { name: 'Diagramme', exact: true, pressed: true }),
  ],
  manage: [
    '/portal/manage/studies',
    '.manage-list li',
    (page) => page.getByRole('heading', { level: 1, name: 'Studien', exact: true }),
  ],
};

for (const [name, [path, complete, german]] of Object.entries(PAGES)) {
  test(`${name} is German, and good at every size and in both themes`, async () => {
    const page = await openIn('de', path);
    await page.locator(complete).first().waitFor();
    await german(page).waitFor();
    await settled(page);
    await assertGoodEverywhere(page, `german-${name}`);
    await close(page);
  });
}

test('a record is German, and numbers are written as in German', async () => {
  const page = await openIn('en', '/portal/explore/files');
  const all = await total(page);
  await page.evaluate(() => localStorage.setItem('cantata.language', 'de'));
  await page.reload();
  await page.locator('.result-count[aria-busy="false"] strong').waitFor();
  assert.equal(await textOf(page.locator('.result-count strong')), all.toLocaleString('de'));
  await page.locator('.result-table td a').first().click();
  await page.getByRole('tab', { name: 'Felder', exact: true }).waitFor();
  await settled(page);
  await assertGoodEverywhere(page, 'german-record');
  await close(page);
});

test('a bound with a decimal comma is the number that it means in German', async () => {
  const page = await openIn('de', '/portal/explore/files?facets=analysis.experiment.coverage');
  const bound = page.locator('.range-bounds input').first();
  await bound.fill('1,5');
  await bound.press('Enter');
  await page.waitForURL((url) => /\b1\.5\b/.test(url.searchParams.get('filter') ?? ''));
  await bound.blur();
  assert.equal(await bound.inputValue(), '1,5');
  await close(page);
});

test('a language that was chosen stays, and another one brings it back', async () => {
  const page = await openIn('de', '/');
  await page.getByRole('button', { name: de.shell.language, exact: true }).click();
  await page.getByRole('button', { name: 'English', exact: true }).click();
  await assertLanguage(page, 'en');
  await page.getByRole('heading', { level: 1, name: en.shell.headline }).waitFor();
  await page.goto(`${world.base}/portal/explore/files`);
  await page.getByRole('complementary', { name: en.explore.filters, exact: true }).waitFor();
  await close(page);
});

test('on a phone the languages are in the menu', async () => {
  const page = await open('/', { viewport: PHONE });
  await page.getByRole('button', { name: en.shell.menu, exact: true }).click();
  await page
    .getByRole('group', { name: en.shell.language, exact: true })
    .getByRole('button', { name: 'Deutsch', exact: true })
    .click();
  await assertLanguage(page, 'de');
  await page.getByRole('heading', { level: 1, name: de.shell.headline }).waitFor();
  await close(page);
});

test('the first language of the browser that there is, is that of the portal', async () => {
  const context = await world.browser!.newContext({ locale: 'de-AT' });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  await page.goto(world.base);
  await assertLanguage(page, 'de');
  await close(page);
});
