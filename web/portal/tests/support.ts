// A real server with sample data, a real browser, and helpers that all tests use.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type axe from 'axe-core';
import { type Browser, chromium, type Locator, type Page, type ViewportSize } from 'playwright-core';

import { CACHE, startServer, type TestServer, untilIndexed } from './server';

const HERE = dirname(fileURLToPath(import.meta.url));
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** More documents than can be reached by number, so that cursors are needed. */
const SCALE = process.env.PORTAL_TEST_SCALE || '14';

/** The folder of the screenshots. */
export const SHOTS = process.env.PORTAL_SHOTS || join(CACHE, 'portal-screenshots');

/** How many milliseconds anything may take that must happen; only a busy machine needs so long. */
export const PATIENCE = 120_000;

/** The same for filling a server with sample data. */
export const START_PATIENCE = 1_200_000;

export const world: { base: string; browser: Browser | null } = { base: '', browser: null };

let server: TestServer | undefined;

/** Starts a browser, with arguments beyond the usual ones. */
export async function startBrowser(...more: string[]) {
  mkdirSync(SHOTS, { recursive: true });
  const executablePath = execFileSync(join(HERE, '../scripts/chromium'), { encoding: 'utf8' }).trim();
  world.browser = await chromium.launch({
    executablePath,
    timeout: PATIENCE,
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-lcd-text', ...more],
  });
}

/** Starts a browser and, unless CANTATA_URL names one, a server with sample data. */
export async function start() {
  await startBrowser();
  if (process.env.CANTATA_URL) {
    world.base = process.env.CANTATA_URL;
    return;
  }
  server = await startServer(['demo', '--scale', SCALE]);
  world.base = server.match[1];
  await untilIndexed(world.base);
}

export async function stop() {
  await world.browser?.close();
  await server?.stop();
}

export const DESKTOP = { width: 1440, height: 900 };
export const TABLET = { width: 1024, height: 768 };
export const PHONE = { width: 390, height: 844 };

/** A page with the errors from its console. */
export type TestPage = Page & { complaints: string[] };

interface OpenOptions {
  base?: string;
  viewport?: ViewportSize;
  theme?: 'light' | 'dark';
}

/** Opens a page in a browser context of its own. */
export async function open(
  path: string,
  { base = world.base, viewport = DESKTOP, theme = 'light' }: OpenOptions = {},
): Promise<TestPage> {
  const context = await world.browser!.newContext({
    viewport,
    colorScheme: theme,
    reducedMotion: 'reduce',
    acceptDownloads: true,
    // A test that speaks TLS makes its own certificate.
    ignoreHTTPSErrors: true,
  });
  const page = Object.assign(await context.newPage(), { complaints: [] as string[] });
  page.setDefaultTimeout(PATIENCE);
  page.on('console', (message) => {
    if (message.type() === 'error') page.complaints.push(message.text());
  });
  page.on('pageerror', (error) => page.complaints.push(error.message));
  await page.goto(base + path);
  return page;
}

export async function close(page: Page) {
  await page.context().close();
}

export async function shoot(page: Page, name: string) {
  await page.screenshot({ path: join(SHOTS, `${name}.png`) });
}

/** Waits until nothing of a page is still being fetched. */
export async function settled(page: Page) {
  await page.waitForFunction(() => !document.querySelector('.skeleton, [aria-busy="true"]'));
}

/** Waits until what was changed is on the screen. */
export async function painted(page: Page) {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

/** Waits until the result is there, and returns how many records were found. */
export async function total(page: Page) {
  await page.locator('.result-count[aria-busy="false"] strong').waitFor();
  return number(await textOf(page.locator('.result-count strong')));
}

/** Returns the text of an element. */
export async function textOf(element: Locator): Promise<string> {
  return (await element.textContent()) ?? '';
}

/** Downloads what the open dialog offers, and returns the lines of the file. */
export async function downloadedLines(page: Page, button = /^Download/): Promise<string[]> {
  const coming = page.waitForEvent('download');
  await page.locator('dialog').getByRole('button', { name: button }).click();
  return readFileSync(await (await coming).path(), 'utf8')
    .trimEnd()
    .split('\n');
}

/** Fetches JSON from the server of the tests. */
export async function fetchJson<T>(path: string, init?: RequestInit): Promise<T> {
  return (await (await fetch(world.base + path, init)).json()) as T;
}

export function number(text: string) {
  return Number(text.replaceAll(',', ''));
}

/** Returns every violation of WCAG 2.2 A and AA that axe finds, also beyond the window, where browsers put painting off. */
export async function violations(page: Page) {
  await page.evaluate(() => {
    for (const facet of document.querySelectorAll<HTMLElement>('.facet')) facet.style.contentVisibility = 'visible';
    // What stays in sight covers nothing at the top.
    globalThis.scrollTo(0, 0);
  });
  await page.evaluate(`${AXE}; undefined`);
  const found = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
    }),
  );
  return found.violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .slice(0, 3)
        .map(({ target }) => target.join(' '))
        .join(' | ')}`,
  );
}

/** Asserts that a page as it is now is accessible and not too wide, at every size and in both themes; takes a picture of each. */
export async function assertGoodEverywhere(page: Page, name: string) {
  for (const [size, viewport] of Object.entries({ desk: DESKTOP, tablet: TABLET, phone: PHONE })) {
    await page.setViewportSize(viewport);
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme });
      await page.waitForFunction((wanted) => document.documentElement.dataset.theme === wanted, theme);
      await painted(page);
      await shoot(page, `${name}-${theme}-${size}`);
      assert.deepEqual(await violations(page), [], `${name}, ${theme}, ${size}`);
      assert.ok((await overflow(page)) <= 0, `${name} is too wide for a ${size}`);
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(DESKTOP);
}

/** Returns by how many pixels a page is wider than the window. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

/** The first facet of values that is open, as the page shows it. */
export function firstFacet(page: Page) {
  return page.locator('.explore-side .facet:has(.facet-value)').first();
}

interface FacetValue {
  row: Locator;
  text: string;
  count: number;
}

/** Returns the values of a facet with their counts; in the sample data there are at least three. */
export async function valuesOf(facet: Locator): Promise<[FacetValue, FacetValue, FacetValue, ...FacetValue[]]> {
  const rows = await facet.locator('.facet-value').all();
  const values = await Promise.all(
    rows.map(async (row) => ({
      row,
      text: await textOf(row.locator('.facet-text')),
      count: number(await textOf(row.locator('.facet-count'))),
    })),
  );
  return values as [FacetValue, FacetValue, FacetValue, ...FacetValue[]];
}
