// A server with many catalogues, of which the first cannot be served.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { startServer, type TestServer } from './server';
import { close, DESKTOP, open, PHONE, settled, shoot, total, violations } from './support';

const configs = mkdtempSync(join(tmpdir(), 'cantata-configs-'));
let server: TestServer | undefined;
let base: string;

before(async () => {
  server = await startServer(['serve'], {
    env: { CONFIGS_PATH: configs },
    prepare: (run, folder) => {
      for (let number = 1; number <= 16; number += 1) {
        const id = `catalogue-${String(number).padStart(2, '0')}`;
        mkdirSync(join(configs, id));
        const esIndex = number === 1 ? 'nowhere' : 'plants';
        writeFileSync(join(configs, id, 'base.json'), JSON.stringify({ esIndex, documentType: `plant${number}` }));
      }
      const file = join(folder, 'plants.ndjson');
      writeFileSync(file, '{"name": "Daisy"}\n{"name": "Rose"}\n');
      run('import', '--index', 'plants', file);
    },
  });
  [, base] = server.match;
});
after(async () => {
  await server?.stop();
  rmSync(configs, { recursive: true, force: true });
});

test('sixteen catalogues have a menu, and exploring starts with the first that works', async () => {
  for (const viewport of [DESKTOP, PHONE]) {
    const page = await open('/', { base, viewport });
    await page.getByRole('link', { name: 'Start exploring' }).waitFor();
    await settled(page);
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    assert.ok(overflow <= 0, `the page is ${overflow} pixels too wide`);
    assert.deepEqual(await violations(page), []);
    await close(page);
  }
  const page = await open('/', { base });
  const failed = page.locator('.notice.error', { hasText: 'catalogue-01 cannot be searched' });
  await failed.getByText('Try again in a few minutes').waitFor();
  assert.ok(await failed.getByText(/index was not found/).isHidden(), 'visitors need no details');
  await failed.getByText('For managers').click();
  await failed.getByText(/index was not found/).waitFor();
  await page.getByRole('link', { name: 'Start exploring' }).click();
  assert.equal(await total(page), 2);
  assert.match(page.url(), /catalogue-02/);
  await page.getByRole('button', { name: 'All 16 catalogues' }).click();
  await shoot(page, 'many-catalogues');
  await page.getByRole('link', { name: 'Catalogue 16' }).click();
  await page.waitForURL(/catalogue-16/);
  assert.equal(await total(page), 2);
  await close(page);
});
