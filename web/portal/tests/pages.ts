import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  close,
  DESKTOP,
  open,
  overflow,
  PHONE,
  settled,
  shoot,
  TABLET,
  textOf,
  total,
  violations,
  world,
} from './support';

/** Every page with a selector that matches once it is complete. */
const PAGES: Record<string, [path: string, complete: string]> = {
  home: ['/', '.home-card .home-value'],
  explore: ['/portal/explore/files', '.result-table td'],
  charts: ['/portal/explore/files?view=charts', '.chart'],
  dictionary: ['/portal/dictionary/files', '.plain-table td'],
  compare: ['/portal/compare/files', 'h1'],
  sets: ['/portal/sets', 'section.card h2'],
  studies: ['/portal/manage/studies', '.manage-list li'],
  types: ['/portal/manage/types', '.plain-table td'],
  versions: ['/portal/manage/types/rnaExpression', '.diff td'],
  editor: ['/portal/manage/types/rnaExpression/edit', '.schema-row'],
  'type-dictionary': ['/portal/manage/types/rnaExpression/dictionary', '.plain-table td'],
  submit: ['/portal/manage/submit', '.drop'],
  form: ['/portal/manage/submit?type=alignedReads', '.form-grid'],
  indexing: ['/portal/manage/indexing', '#jobs'],
  keys: ['/portal/manage/keys', '.empty'],
  learn: ['/portal/learn', '.learn-card'],
  guide: ['/portal/learn/guide/researcher', '.guide h2'],
  document: ['/portal/learn/search', '.guide .plain-table'],
  missing: ['/portal/no/such/page', '.empty'],
};

for (const theme of ['light', 'dark'] as const) {
  for (const [name, [path, complete]] of Object.entries(PAGES)) {
    test(`${name} is accessible in ${theme} colours, on a desk, a tablet and a phone`, async () => {
      for (const [size, viewport] of Object.entries({ desk: DESKTOP, tablet: TABLET, phone: PHONE })) {
        const page = await open(path, { theme, viewport });
        await page.locator(complete).first().waitFor();
        await settled(page);
        await shoot(page, `${name}-${theme}-${size}`);
        assert.deepEqual(await violations(page), [], `${name}, ${size}`);
        assert.ok((await overflow(page)) <= 0, `${name} is too wide for a ${size}`);
        await close(page);
      }
    });
  }
}

test('a record and the sheets of the explorer are accessible', async () => {
  const page = await open('/portal/explore/files');
  await total(page);
  for (const [button, name] of [
    ['Download', 'download'],
    ['Code', 'code'],
    ['Save set', 'save-set'],
    ['Edit as text', 'sqon'],
  ]) {
    await page.getByRole('button', { name: button, exact: true }).click();
    await page.locator('dialog[open]').waitFor();
    assert.deepEqual(await violations(page), [], name);
    await page.keyboard.press('Escape');
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
  }
  await page.locator('.result-table td a').first().click();
  await page.getByRole('tab', { name: 'Fields' }).waitFor();
  assert.deepEqual(await violations(page), [], 'record');
  await close(page);
});

test('nothing comes from elsewhere, nothing breaks the policy, nothing complains', async () => {
  const page = await open('/');
  const foreign: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(world.base) && !/^(data|blob):/.test(request.url())) foreign.push(request.url());
  });
  for (const [path, complete] of Object.values(PAGES)) {
    await page.goto(world.base + path);
    await page.locator(complete).first().waitFor();
  }
  assert.deepEqual(foreign, []);
  assert.deepEqual(
    page.complaints.filter((text) => !/40[149]/.test(text)),
    [],
  );
  const response = await page.goto(`${world.base}/portal/explore/files`);
  const policy = response?.headers()['content-security-policy'] ?? '';
  assert.ok(policy.includes("script-src 'self'") && !policy.includes('unsafe'), policy);
  await close(page);
});

test('programs get what they always got at the root', async () => {
  const answer = await fetch(`${world.base}/`, { redirect: 'manual', headers: { accept: '*/*' } });
  assert.equal(answer.status, 307);
  assert.equal(answer.headers.get('location'), '/docs/index.html');
});

test('the first view needs at most 130 kB of compressed JavaScript', async () => {
  const page = await open('/');
  await page.locator('.home-card').first().waitFor();
  let bytes = 0;
  const client = await page.context().newCDPSession(page);
  await client.send('Network.enable');
  const scripts = new Set<string>();
  client.on('Network.responseReceived', ({ requestId, type }) => {
    if (type === 'Script') scripts.add(requestId);
  });
  client.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) bytes += encodedDataLength;
  });
  await client.send('Network.setCacheDisabled', { cacheDisabled: true });
  await page.goto(`${world.base}/portal/explore/files`);
  await total(page);
  assert.ok(bytes > 0 && bytes <= 130_000, `${bytes} bytes`);
  await close(page);
});

test('the main way goes by keyboard alone', async () => {
  const page = await open('/');
  await page.locator('.home-card').first().waitFor();
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Skip to content');
  await page.getByRole('link', { name: 'Start exploring' }).focus();
  await page.keyboard.press('Enter');
  const all = await total(page);
  const box = page.locator('.facet-value input').first();
  await box.focus();
  await page.keyboard.press('Space');
  await page.locator('.chip').waitFor();
  assert.ok((await total(page)) < all);
  await page.getByRole('button', { name: 'Change this condition' }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Change this condition');
  await close(page);
});

test('the theme that was chosen stays', async () => {
  const page = await open('/');
  await page.getByRole('button', { name: 'Use dark colours' }).click();
  await page.reload();
  await page.getByRole('button', { name: 'Use light colours' }).waitFor();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  await close(page);
});

test('a slow answer shows that it is still coming', async () => {
  const page = await open('/portal/learn');
  await page.locator('.learn-card').first().waitFor();
  await page.route('**/graphql', () => {});
  await page.getByRole('link', { name: 'Files' }).first().click();
  await page.locator('.skeleton').first().waitFor();
  await page.getByText('Still loading').waitFor();
  await shoot(page, 'slow');
  await close(page);
});

test('guides lead to each other, to places within them, and back', async () => {
  const page = await open('/portal/learn');
  await page.getByRole('link', { name: 'For researchers' }).click();
  await page.getByRole('heading', { level: 1, name: 'For researchers' }).waitFor();
  await page.waitForFunction(() => document.querySelector<HTMLImageElement>('.guide-image')?.complete);
  assert.ok(await page.evaluate(() => document.querySelector<HTMLImageElement>('.guide-image')!.naturalWidth > 100));
  await page.getByRole('link', { name: 'pivots' }).click();
  const heading = page.getByRole('heading', { name: 'Nested fields and pivots' });
  await heading.waitFor();
  await page.waitForFunction(() => window.scrollY > 500);
  assert.ok(page.url().endsWith('/portal/learn/search#nested-fields-and-pivots'), page.url());
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'For researchers' }).waitFor();
  await page.goto(`${world.base}/portal/learn/no-such-document`);
  await page.getByText('There is no such page').waitFor();
  await close(page);
});

test('GraphiQL opens with a query that works', async () => {
  const page = await open('/files/graphql');
  const editor = page.locator('.graphiql-query-editor');
  await editor.getByText('doc_count').first().waitFor();
  await page.getByRole('button', { name: /execute query/i }).click();
  await page.locator('.result-window').getByText('"total"').first().waitFor();
  assert.doesNotMatch(await textOf(page.locator('.result-window')), /"errors"/);
  await close(page);
});
