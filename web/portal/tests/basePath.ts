// The portal below a path of another site, behind a proxy that removes the path.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { startServer, type TestServer } from './server';
import { close, open, settled, textOf, total } from './support';

const BASE_PATH = '/data/catalogue';
const SITES = ['Lung', 'Breast', 'Skin'];
const ROWS = 300;

let server: TestServer | undefined;
let site: string;
let upstream: string;
let catalogue: string;
let graphqlPath: string;
/** What was asked for beside the path: it is of another site. */
const strays: string[] = [];

const proxy = createServer((incoming, outgoing) => {
  const { url = '', method, headers } = incoming;
  if (!url.startsWith(`${BASE_PATH}/`)) {
    strays.push(url);
    outgoing.writeHead(404).end();
    return;
  }
  const passed = request(upstream, { method, headers, path: url.slice(BASE_PATH.length) }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  passed.on('error', () => outgoing.destroy());
  incoming.pipe(passed);
});

function csv(): string {
  const rows = Array.from({ length: ROWS }, (_, index) => `S${index},${SITES[index % SITES.length] ?? ''}`);
  return `sample_id,site\n${rows.join('\n')}\n`;
}

before(
  async () => {
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    site = `http://localhost:${(proxy.address() as AddressInfo).port}${BASE_PATH}`;
    server = await startServer(['serve'], {
      env: { PUBLIC_URL: site, ES_INDEX: 'samples', DOCUMENT_TYPE: 'sample', CONFIGS_PATH: '/nonexistent' },
      prepare: (run, folder) => {
        const file = join(folder, 'samples.csv');
        writeFileSync(file, csv());
        run('import', '--index', 'samples', file);
      },
    });
    [, upstream] = server.match;
    const answer = await fetch(`${site}/introspection`);
    const { catalogs } = (await answer.json()) as { catalogs: Record<string, { paths: { graphql: string } }> };
    const [first] = Object.entries(catalogs);
    catalogue = first?.[0] ?? '';
    graphqlPath = first?.[1].paths.graphql ?? '';
  },
  { timeout: 240_000 },
);
after(async () => {
  proxy.close();
  proxy.closeAllConnections();
  await server?.stop();
});

test('below a path, pages find their files, the data and each other', async () => {
  const explore = `/portal/explore/${encodeURIComponent(catalogue)}`;
  const page = await open(explore, { base: site });
  assert.equal(await total(page), ROWS);
  await page.locator('.facet-value', { hasText: 'Lung' }).click();
  await page.locator('.chip', { hasText: 'Lung' }).waitFor();
  assert.equal(await total(page), ROWS / SITES.length);
  assert.ok(page.url().startsWith(site + explore), page.url());
  await page.reload();
  assert.equal(await total(page), ROWS / SITES.length);

  await page.getByRole('button', { name: 'Code', exact: true }).click();
  const dialog = page.locator('dialog');
  assert.ok((await textOf(dialog.locator('.code-block'))).includes(`"${site}"`));
  const graphiql = dialog.getByRole('link', { name: 'GraphiQL' });
  assert.equal(await graphiql.evaluate((link: HTMLAnchorElement) => link.href), site + graphqlPath);
  await page.keyboard.press('Escape');

  await page.locator('.brand').click();
  await page.waitForURL(`${site}/`);
  await settled(page);
  await page.goto(`${site}/portal/learn/guide/researcher`);
  await page.locator('.guide-image').first().waitFor();
  await page.waitForFunction(() => (document.querySelector<HTMLImageElement>('.guide-image')?.naturalWidth ?? 0) > 0);
  // The question whether there are sets is refused where there are none.
  assert.deepEqual(
    page.complaints.filter((text) => !/status of 4\d\d/.test(text)),
    [],
  );
  await close(page);
});

test('below a path, the pages for programs work too', async () => {
  const page = await open('/docs', { base: site });
  await page.locator('.opblock').first().waitFor();
  assert.match(page.url(), /\/data\/catalogue\/docs\/index\.html/);
  assert.equal(await page.locator('.servers select').inputValue(), BASE_PATH);
  // The only catalogue has two addresses; both open with a query for it.
  for (const path of ['/graphql', `/${encodeURIComponent(catalogue)}/graphql`]) {
    await page.goto(site + path);
    await page.locator('.graphiql-query-editor').getByText('total').first().waitFor();
  }
  await close(page);
  assert.deepEqual(strays, []);
});
