// A server that requires keys: entering one, creating another, using it, revoking it.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import type { Page } from 'playwright-core';

import { FIRST_KEY, startServer, type TestServer } from './server';
import { close, open, shoot, textOf, violations } from './support';

let server: TestServer | undefined;
let base: string;
let first: string;

before(async () => {
  server = await startServer(['serve'], {
    said: FIRST_KEY,
    env: { AUTH_MODE: 'api-key', REQUIRE_AUTH_FOR_READS: 'false' },
  });
  [, base, first] = server.match;
});
after(() => server?.stop());

async function enter(page: Page, key: string) {
  await page.getByRole('button', { name: 'Enter a key' }).first().click();
  await page.getByLabel('API key or token').fill(key);
  await page.getByRole('button', { name: 'Use this key' }).click();
}

async function statusWith(key: string) {
  return (await fetch(`${base}/studies/KEYS`, { headers: { authorization: `Bearer ${key}` } })).status;
}

test('a key is made, shown once, used and revoked', async () => {
  const headers = { authorization: `Bearer ${first}`, 'content-type': 'application/json' };
  await fetch(`${base}/studies/KEYS`, { method: 'POST', headers, body: '{"studyId": "KEYS"}' });
  const page = await open('/portal/manage/keys', { base });
  await enter(page, first);
  await page.getByRole('row', { name: /administrator/ }).waitFor();
  await page.getByRole('button', { name: 'Make a key' }).click();
  const sheet = page.locator('dialog');
  await sheet.getByLabel('Name').fill('administrator');
  await sheet.getByLabel('Where').selectOption('KEYS');
  await sheet.getByLabel('What', { exact: true }).selectOption('read');
  await sheet.getByRole('button', { name: 'Add' }).click();
  await sheet.getByText('read KEYS').waitFor();
  await sheet.getByLabel('It ends').selectOption('30');
  assert.deepEqual(await violations(page), []);
  await shoot(page, 'keys-new');
  await sheet.getByRole('button', { name: 'Make the key' }).click();
  await sheet.getByText('The key was not made').waitFor();
  await sheet.getByLabel('Name').fill('reader');
  await sheet.getByRole('button', { name: 'Make the key' }).click();
  await sheet.getByText('It is shown only now').waitFor();
  const key = (await textOf(sheet.locator('.made-key'))).trim();
  assert.equal(await statusWith(key), 200);
  await shoot(page, 'keys-made');
  await sheet.getByRole('button', { name: 'I have kept it' }).click();
  const row = page.getByRole('row', { name: /reader/ });
  await row.getByText('read KEYS').waitFor();
  assert.ok(!(await page.content()).includes(key), 'it is not shown again');
  assert.deepEqual(await violations(page), []);
  await shoot(page, 'keys');
  await row.getByRole('button', { name: 'Revoke' }).click();
  await sheet.getByRole('button', { name: 'Revoke' }).click();
  await row.getByText('revoked').waitFor();
  assert.equal(await statusWith(key), 401);
  await close(page);
});

test('without a key there are no keys to see, and one that does not work is refused when it is entered', async () => {
  const page = await open('/portal/manage/keys', { base });
  await page.getByText('The keys could not be fetched').waitFor();
  await enter(page, 'cantata_made_up');
  await page.getByText('This key does not work').waitFor();
  assert.equal(await page.evaluate(() => sessionStorage.getItem('cantata-credential')), null);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Enter a key' }).first().waitFor();
  await close(page);
});
