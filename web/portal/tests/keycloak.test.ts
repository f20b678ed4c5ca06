// The path of a new user, in a real browser and at a real Keycloak: sign in, make a key, submit with it, publish, find, sign
// out, revoke the key. A proxy speaks TLS for the server, since browsers keep its cookies for https only.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import type { Page } from 'playwright-core';

import { FIRST_KEY, PROGRAM, startServer, type TestServer } from './server';
import { close, open, shoot, START_PATIENCE, startBrowser, stop, textOf, total, violations, world } from './support';

/** Where Keycloak sends people back to, as `identity/realm.json` says. */
const PUBLIC_HOST = 'cantata.example';
const STUDY = 'ABC';

const PAYLOAD = {
  studyId: STUDY,
  analysisType: { name: 'variantCall' },
  files: [
    {
      fileName: 'ada.vcf',
      fileSize: 100,
      fileType: 'vcf',
      fileMd5sum: '595f44fec1e92a71d3e9e77456ba80d1',
      fileAccess: 'open',
      dataType: 'text',
    },
  ],
  experiment: { matchedNormalSampleSubmitterId: 'sample-1', variantCallingTool: 'caller' },
};

const folder = mkdtempSync(join(tmpdir(), 'cantata-keycloak-'));
let server: TestServer | undefined;
let proxy: Server | undefined;
let base: string;

/** Writes a file for the server or a command; returns its path. */
function write(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(content));
  return path;
}

/** Starts a server with one study, at which people sign in. */
async function startWithKeycloak() {
  const issuer = process.env.CANTATA_TEST_KEYCLOAK;
  if (!issuer) throw new Error('CANTATA_TEST_KEYCLOAK is not set: run `make test-keycloak`');
  mkdirSync(join(folder, 'configs'));
  write('configs/base.json', { catalogId: 'files', documentType: 'file', esIndex: 'files' });
  write('configs/source.json', { source: { document: 'file-centric' } });
  server = await startServer(['serve'], {
    said: FIRST_KEY,
    env: {
      AUTH_MODE: 'api-key,oidc',
      PUBLIC_URL: world.base,
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: 'cantata',
      OIDC_CLIENT_SECRET: 'a-secret-of-tests-only',
      ROLE_MAPPING_FILE: write('roles.json', { scopes: { curators: [`STUDY.${STUDY}.WRITE`] } }),
      CONFIGS_PATH: join(folder, 'configs'),
    },
  });
  base = server.match[1];
  const headers = { authorization: `Bearer ${server.match[2]}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ studyId: STUDY });
  const made = await fetch(`${base}/studies/${STUDY}`, { method: 'POST', headers, body });
  assert.equal(made.status, 200);
}

/** Starts the proxy, with a certificate of its own; returns its port. */
async function startProxy(): Promise<number> {
  const [keyFile, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${PUBLIC_HOST}`];
  execFileSync('openssl', [...made, '-keyout', keyFile, '-out', certificate], { stdio: 'ignore' });
  const { hostname, port } = new URL(base);
  const options = { key: readFileSync(keyFile), cert: readFileSync(certificate) };
  const started = createServer(options, (incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const passed = request({ hostname, port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  proxy = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  return (started.address() as AddressInfo).port;
}

async function start() {
  world.base = `https://${PUBLIC_HOST}`;
  await startWithKeycloak();
  const port = await startProxy();
  await startBrowser('--no-proxy-server', `--host-resolver-rules=MAP ${PUBLIC_HOST} 127.0.0.1:${port}`);
}

before(start, { timeout: START_PATIENCE });
after(async () => {
  await stop();
  proxy?.close();
  proxy?.closeAllConnections();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Signs in from a page, to which the browser comes back; Keycloak asks for the password. */
async function signIn(page: Page) {
  const here = page.url();
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.locator('#username').fill('ada');
  await page.locator('#password').fill('analytical-engine');
  await page.locator('#kc-login').click();
  await page.waitForURL(here);
  await page.getByRole('button', { name: 'Ada Lovelace' }).waitFor();
}

/** Signs out, also at Keycloak, which asks whether that is meant. */
async function signOut(page: Page) {
  await page.getByRole('button', { name: 'Ada Lovelace' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.locator('#kc-logout').click();
  await page.waitForURL(`${world.base}/**`);
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
}

/** Makes a key for the study in the portal, where it is shown once. */
async function makeKey(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Make a key' }).click();
  const sheet = page.locator('dialog');
  await sheet.getByLabel('Name').fill('laptop');
  await sheet.getByLabel('Where').selectOption(STUDY);
  await sheet.getByRole('button', { name: 'Add' }).click();
  await sheet.getByText(`read, submit to and change ${STUDY}`).waitFor();
  await sheet.getByLabel('It ends').selectOption('30');
  await sheet.getByRole('button', { name: 'Make the key' }).click();
  await sheet.getByText('It is shown only now').waitFor();
  const key = (await textOf(sheet.locator('.made-key'))).trim();
  await sheet.getByRole('button', { name: 'I have kept it' }).click();
  await page
    .getByRole('row', { name: /laptop/ })
    .getByText('in force')
    .waitFor();
  return key;
}

/** Runs a command with a key; returns whether it succeeded, and its output, or else what went wrong. */
function cantata(key: string, ...args: string[]): [boolean, string] {
  const env = { ...process.env, CANTATA_URL: base, CANTATA_KEY: key };
  const { status, stdout, stderr } = spawnSync(PROGRAM, args, { encoding: 'utf8', env });
  return status === 0 ? [true, stdout.trim()] : [false, stderr];
}

/** Waits until the catalogue has a file. */
async function untilFound(key: string) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ query: '{ file { hits { total } } }' });
  for (;;) {
    const response = await fetch(`${base}/graphql`, { method: 'POST', headers, body });
    const answer = (await response.json()) as { data?: { file?: { hits?: { total: number } | null } } | null };
    if (answer.data?.file?.hits?.total) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

test('a new user signs in, makes a key, submits, publishes, finds, signs out, and revokes the key', async () => {
  const page = await open('/portal/manage/keys');
  await page.getByText('The keys could not be fetched').waitFor();
  await signIn(page);
  const key = await makeKey(page);
  assert.deepEqual(await violations(page), []);
  await shoot(page, 'keycloak-keys');

  const [isStored, id] = cantata(key, 'submit', '--quiet', write('payload.json', PAYLOAD));
  assert.ok(isStored, id);
  await page.goto(`${world.base}/portal/manage/studies/${STUDY}/${id}`);
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.locator('dialog').getByRole('button', { name: 'Publish', exact: true }).click();
  await page.locator('.badge', { hasText: 'Published' }).first().waitFor();

  await untilFound(key);
  await page.goto(`${world.base}/portal/explore/files`);
  assert.equal(await total(page), 1);

  await signOut(page);
  await page.goto(`${world.base}/portal/manage/keys`);
  await page.getByText('The keys could not be fetched').waitFor();
  const [isRead, analysis] = cantata(key, 'get', '--study', STUDY, '--json', id);
  assert.ok(isRead, `a key does not end with a session: ${analysis}`);
  assert.equal((JSON.parse(analysis) as { analysisState: string }).analysisState, 'PUBLISHED');

  await signIn(page);
  const row = page.getByRole('row', { name: /laptop/ });
  await row.getByRole('button', { name: 'Revoke' }).click();
  await page.locator('dialog').getByRole('button', { name: 'Revoke' }).click();
  await row.getByText('revoked').waitFor();
  const [isAccepted, refusal] = cantata(key, 'get', '--study', STUDY, id);
  assert.ok(!isAccepted, `the key is revoked: ${refusal}`);
  await signOut(page);
  await close(page);
});
