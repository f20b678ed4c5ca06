// The portal with a million documents behind it: `make portal-test-large`. Not for CI: filling the server takes minutes.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { measureClicks } from './clicks';
import { close, firstFacet, open, start, stop, total, valuesOf } from './support';

before(start, { timeout: 3_600_000 });
after(stop);

test('counts stay exact, far pages are reached, and a click is answered', async () => {
  const page = await open('/portal/explore/files');
  const all = await total(page);
  assert.ok(all >= 1_000_000, `only ${all} records`);
  const [first] = await valuesOf(firstFacet(page));
  await first.row.click();
  assert.equal(await total(page), first.count);
  await first.row.click();
  assert.equal(await total(page), all);
  await measureClicks(page);
  await close(page);
  const far = await open('/portal/explore/files?size=500&page=20');
  await total(far);
  for (const rows of ['10,001–10,500', '10,501–11,000']) {
    await far.getByRole('button', { name: 'Next' }).click();
    await far.locator('.pager', { hasText: rows }).waitFor();
    await total(far);
  }
  assert.deepEqual(far.complaints, []);
  await close(far);
});
