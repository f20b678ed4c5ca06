// A real server with sample data, a real browser, and what tests do with them over and over.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { chromium } from 'playwright-core';

import { CACHE, startServer, untilIndexed } from './server.js';

const HERE = dirname(fileURLToPath(import.meta.url));
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** More documents than can be reached by number, so that cursors are needed. */
const SCALE = process.env.PORTAL_TEST_SCALE || '14';

/** Where screenshots are kept, to be looked at afterwards. */
export const SHOTS = process.env.PORTAL_SHOTS || join(CACHE, 'portal-screenshots');

export const world = { base: '', browser: null };

let server;

/** Starts a browser and, unless CANTATA_URL names one, a server with sample data. */
export async function start() {
  mkdirSync(SHOTS, { recursive: true });
  const executablePath = execFileSync(join(HERE, '../scripts/chromium'), { encoding: 'utf8' }).trim();
  world.browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-lcd-text'],
  });
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
export const PHONE = { width: 390, height: 844 };

/** Opens a page of its own; whatever its console complains about is kept in `complaints`. */
export async function open(path, { base = world.base, viewport = DESKTOP, theme = 'light', ...more } = {}) {
  const context = await world.browser.newContext({
    viewport,
    colorScheme: theme,
    reducedMotion: 'reduce',
    acceptDownloads: true,
    ...more,
  });
  const page = await context.newPage();
  // Only a machine that does many other things at once needs so long.
  page.setDefaultTimeout(60_000);
  page.complaints = [];
  page.on('console', (message) => {
    if (message.type() === 'error') page.complaints.push(message.text());
  });
  page.on('pageerror', (failure) => page.complaints.push(failure.message));
  await page.goto(base + path);
  return page;
}

export async function close(page) {
  await page.context().close();
}

export async function shoot(page, name) {
  await page.screenshot({ path: join(SHOTS, `${name}.png`) });
}

/** Waits until nothing of a page is still being fetched. */
export async function settled(page) {
  await page.waitForFunction(() => !document.querySelector('.skeleton, [aria-busy="true"]'));
}

/** Waits until what was changed is on the screen. */
export async function painted(page) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** Waits until the result is there, and returns how many records were found. */
export async function total(page) {
  await page.locator('.result-count[aria-busy="false"] strong').waitFor();
  return number(await page.locator('.result-count strong').textContent());
}

export function number(text) {
  return Number(text.replaceAll(',', ''));
}

/** Returns every violation of WCAG 2.2 A and AA that axe finds. */
export async function violations(page) {
  await page.evaluate(`${AXE}; undefined`);
  const found = await page.evaluate(() =>
    globalThis.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }),
  );
  return found.violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .slice(0, 3)
        .map(({ target }) => target.join(' '))
        .join(' | ')}`,
  );
}

/** The first facet of values that is open, as the page shows it. */
export function firstFacet(page) {
  return page.locator('.explore-side .facet:has(.facet-value)').first();
}

/** Returns the values of a facet with their counts. */
export async function valuesOf(facet) {
  const rows = await facet.locator('.facet-value').all();
  return Promise.all(
    rows.map(async (row) => ({
      row,
      text: await row.locator('.facet-text').textContent(),
      count: number(await row.locator('.facet-count').textContent()),
    })),
  );
}
