// A portal with a name, a logo and colours of its own.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { startServer, type TestServer } from './server';
import { close, open, settled, shoot, violations } from './support';

const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="40"><rect width="80" height="40" fill="#7a1f3d"/></svg>';
const COLOURS = { light: '#7a1f3d', dark: '#f2a7bd' };

const folder = mkdtempSync(join(tmpdir(), 'cantata-branding-'));
let server: TestServer | undefined;
let base: string;

before(async () => {
  writeFileSync(join(folder, 'logo.svg'), LOGO);
  writeFileSync(
    join(folder, 'portal.json'),
    JSON.stringify({
      name: 'Northern Atlas',
      headline: 'Genomes of the north',
      footer: 'Northern Lakes Institute',
      logo: 'logo.svg',
      colours: COLOURS,
    }),
  );
  server = await startServer(['serve'], { env: { PORTAL_TEXTS: join(folder, 'portal.json') } });
  [, base] = server.match;
});
after(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

for (const theme of ['light', 'dark'] as const) {
  test(`name, logo and colours are those of the operator in the ${theme} theme`, async () => {
    const page = await open('/', { base, theme });
    await page.getByRole('heading', { name: 'Genomes of the north' }).waitFor();
    await page.getByText('Northern Lakes Institute').waitFor();
    await page.waitForFunction(() => document.querySelector<HTMLImageElement>('.brand-logo')?.naturalWidth === 80);
    await settled(page);
    const accent = await page.evaluate(() =>
      getComputedStyle(document.documentElement).getPropertyValue('--accent').trim(),
    );
    assert.equal(accent, COLOURS[theme]);
    assert.deepEqual(await violations(page), []);
    await shoot(page, `branding-${theme}`);
    await close(page);
  });
}
