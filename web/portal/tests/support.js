// A real server with sample data, a real browser, and what tests do with them over and over.

import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { chromium } from 'playwright-core';

const HERE = dirname(fileURLToPath(import.meta.url));
const CACHE = process.env.CANTATA_CACHE || join(homedir(), '.cache/cantata');
const TARGET = process.env.CARGO_TARGET_DIR || join(CACHE, 'target');
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Where screenshots are kept, to be looked at afterwards. */
export const SHOTS = join(CACHE, 'portal-screenshots');

export const world = { base: '', browser: null };

let server;
let folder;

/** Starts server and browser; more documents than can be reached by number, so that cursors are needed. */
export async function start() {
  mkdirSync(SHOTS, { recursive: true });
  const executablePath = execFileSync(join(HERE, '../scripts/chromium'), { encoding: 'utf8' }).trim();
  world.browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  if (process.env.CANTATA_URL) {
    world.base = process.env.CANTATA_URL;
    return;
  }
  folder = mkdtempSync(join(tmpdir(), 'cantata-portal-'));
  const program = process.env.CANTATA_BIN || join(TARGET, 'debug/cantata');
  const sample = ['--scale', '14'];
  server = spawn(program, ['demo', '--data-dir', folder, '--server-port', '0', ...sample], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  world.base = await new Promise((resolve, reject) => {
    let said = '';
    server.stdout.on('data', (part) => {
      said += part;
      const ready = /ready on (http:\S+)/.exec(said);
      if (ready) resolve(ready[1]);
    });
    server.on('exit', (code) => reject(new Error(`the server ended with ${code}: ${said}`)));
  });
  while (!(await isIndexed())) await new Promise((resolve) => setTimeout(resolve, 200));
}

/** Says whether the catalogues have everything that was submitted. */
async function isIndexed() {
  const [indexing, directory] = await Promise.all(
    ['/admin/indexing', '/introspection'].map(async (path) => (await fetch(world.base + path)).json()),
  );
  return indexing.every(({ behind }) => behind === 0) && directory.status === 'healthy';
}

export async function stop() {
  await world.browser?.close();
  if (!server) return;
  server.removeAllListeners('exit');
  const ended = new Promise((resolve) => server.on('exit', resolve));
  server.kill('SIGTERM');
  await ended;
  rmSync(folder, { recursive: true, force: true });
}

export const DESKTOP = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

/** Opens a page of its own; whatever its console complains about is kept in `complaints`. */
export async function open(path, { viewport = DESKTOP, theme = 'light', ...more } = {}) {
  const context = await world.browser.newContext({
    viewport,
    colorScheme: theme,
    reducedMotion: 'reduce',
    acceptDownloads: true,
    ...more,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  page.complaints = [];
  page.on('console', (message) => {
    if (message.type() === 'error') page.complaints.push(message.text());
  });
  page.on('pageerror', (failure) => page.complaints.push(failure.message));
  await page.goto(world.base + path);
  return page;
}

export async function close(page) {
  await page.context().close();
}

export async function shoot(page, name) {
  await page.screenshot({ path: join(SHOTS, `${name}.png`) });
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
  await page.evaluate(`${(await import('node:fs')).readFileSync(AXE, 'utf8')}; undefined`);
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
