// A real server with sample data, the portal on an address of its own, a real browser, and questions to the server that do
// without the portal.

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { chromium } from 'playwright-core';

const SHOTS = process.env.SHOTS ?? 'screenshots';
/** How many milliseconds anything may take that must happen; only a busy machine needs so long. */
const PATIENCE = 180_000;
const TYPES = { css: 'text/css', html: 'text/html', js: 'text/javascript' };

let server;
let folder;
let pages;
let browser;
let base;

export async function start() {
  mkdirSync(SHOTS, { recursive: true });
  folder = mkdtempSync(join(tmpdir(), 'cantata-arranger-'));
  server = spawn(process.env.CANTATA_BIN, ['demo', '--data-dir', folder, '--server-port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  base = await new Promise((resolve, reject) => {
    let said = '';
    server.stdout.on('data', (part) => {
      said += part;
      const ready = /ready on (http:\S+)/.exec(said);
      if (ready) resolve(ready[1]);
    });
    server.on('error', reject);
    server.on('exit', (code) => reject(new Error(`the server ended with ${code}: ${said}`)));
  });
  await eventually('every record is indexed', isIndexed, true);
  pages = createServer(servePortal).listen(0, '127.0.0.1');
  await new Promise((resolve) => pages.on('listening', resolve));
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM, timeout: PATIENCE, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

export async function stop() {
  await browser?.close();
  pages?.close();
  if (server?.exitCode === null) {
    const ended = new Promise((resolve) => server.on('exit', resolve));
    server.kill('SIGTERM');
    await ended;
  }
  if (folder) rmSync(folder, { recursive: true, force: true });
}

async function isIndexed() {
  const [indexing, { status }] = await Promise.all([read('/admin/indexing'), read('/introspection')]);
  return status === 'healthy' && indexing.every(({ behind }) => behind === 0);
}

function servePortal(request, response) {
  const { pathname } = new URL(request.url, 'http://portal');
  const name = pathname === '/' ? 'index.html' : pathname.slice(1);
  const type = TYPES[name.split('.').at(-1)];
  response.writeHead(type ? 200 : 404, { 'content-type': `${type}; charset=utf-8` });
  response.end(type && readFileSync(join('dist', name)));
}

async function read(path) {
  return (await fetch(base + path)).json();
}

/** Returns every catalogue: its name, its document type, the address of its API and its configs. */
export async function catalogues() {
  const { catalogs } = await read('/introspection');
  return Promise.all(Object.entries(catalogs).map(async ([name, { documentType, paths }]) => {
    const api = base + paths.graphql.replace(/\/graphql$/, '');
    const catalogue = { name, documentType, api };
    const { configs } = await ask(catalogue, `configs {
      extended
      facets { aggregations { fieldName displayType show } }
      table { columns { fieldName displayName displayType query show sortable canChangeShow } defaultSorting { fieldName } rowIdFieldName }
    }`);
    return { ...catalogue, ...configs };
  }));
}

/** Asks the server for something of a document type. */
export async function ask({ api, documentType }, selection) {
  const answer = await fetch(`${api}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: `{ ${documentType} { ${selection} } }` }),
  });
  const { data, errors } = await answer.json();
  if (errors) throw new Error(JSON.stringify(errors));
  return data[documentType];
}

/** Opens the portal. What its console complains about, and answers that are errors, are kept for `complaints`. */
export async function open({ api, documentType }, more) {
  const context = await browser.newContext({ viewport: { width: 1500, height: 1100 }, timezoneId: 'UTC', acceptDownloads: true });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.heard = [];
  page.on('console', (message) => page.heard.push(message.type() === 'error' ? [message.text()] : []));
  page.on('pageerror', (failure) => page.heard.push([failure.stack]));
  page.on('response', (response) => page.heard.push(errorsOf(response)));
  const address = new URL(`http://127.0.0.1:${pages.address().port}/`);
  for (const [name, value] of Object.entries({ api, type: documentType, ...more })) address.searchParams.set(name, value);
  await page.goto(address.href);
  return page;
}

async function errorsOf(response) {
  if (!response.url().includes('/graphql') || response.request().method() !== 'POST') return [];
  const isRight = response.status() === 200 && !(await response.json()).errors;
  return isRight ? [] : [`${response.url()}: ${response.request().postData()}: ${await response.text()}`];
}

export async function complaints(page) {
  return (await Promise.all(page.heard)).flat();
}

export async function shoot(page, name) {
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true });
}

/** Reads until what is expected is there; else fails with what was there last. */
export async function eventually(what, readNow, expected) {
  const end = Date.now() + PATIENCE;
  let found;
  do {
    found = await readNow();
    if (isDeepStrictEqual(found, expected)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  } while (Date.now() < end);
  throw new Error(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
}
