// The number beside a value is the total after a click on it, whatever was chosen before.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Locator, Page } from 'playwright-core';

import { close, open, shoot, textOf, total, valuesOf, world } from './support';

const CLICKS = 60;
/** The same clicks each time, unless others are asked for. */
const SEED = Number(process.env.PORTAL_TEST_SEED || 26);

/** Returns pseudo-random whole numbers below a bound (mulberry32). */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) % below;
  };
}

/** Clicks and waits for the result of it. */
async function clicked(page: Page, element: Locator): Promise<number> {
  const before = page.url();
  await element.click();
  await page.waitForURL((url) => url.href !== before);
  return total(page);
}

test(`the number beside a value is the total after clicking it (seed ${SEED})`, async () => {
  const below = randomNumbers(SEED);
  const page = await open('/portal/explore/files');
  await total(page);
  const facets = page.locator('.explore-side .facet:has(.facet-value)');
  const free = page.locator('.explore-side .facet:has(.facet-value):not(:has(:checked))');
  const says = () => textOf(page.locator('.query-sentence > .visually-hidden'));
  let checked = 0;
  for (let click = 0; click < CLICKS; click += 1) {
    const isNarrow = (await total(page)) < 3;
    const elements = page.locator('.query-element');
    const kind = below(8);
    if (isNarrow) {
      await clicked(page, page.getByRole('button', { name: 'Clear all' }));
    } else if (kind === 0 && (await page.locator('.explore-side .facet-value :checked').count())) {
      const chosen = facets.locator('.facet-value:has(:checked)');
      await clicked(page, chosen.nth(below(await chosen.count())));
    } else if (kind === 1 && (await elements.count())) {
      await clicked(page, elements.nth(below(await elements.count())));
    } else {
      const facet = free.nth(below(await free.count()));
      const values = (await valuesOf(facet)).filter(({ count }) => count > 0);
      const value = values[below(Math.max(1, values.length))];
      if (!value) continue;
      const sentence = (await page.locator('.chip').count()) ? await says() : 'everything';
      const name = await textOf(facet.locator('h3'));
      assert.equal(await clicked(page, value.row), value.count, `${value.text} of ${name} beside: ${sentence}`);
      checked += 1;
    }
  }
  assert.ok(checked > CLICKS / 3, `only ${checked} numbers were compared`);
  assert.deepEqual(page.complaints, []);
  await close(page);
});

test('conditions on one donor are bound, taken apart and bound again, and read differently', async () => {
  const page = await open('/portal/explore/files');
  await total(page);
  const choose = async (facet: string) => {
    const section = page.getByRole('region', { name: new RegExp(`^${facet}`) });
    const [value] = await valuesOf(section);
    return { count: value.count, found: await clicked(page, value.row) };
  };
  await choose('Gender');
  assert.equal(await page.locator('.query-element').count(), 0, 'one condition needs no words about its donor');
  const site = await choose('Primary site');
  assert.equal(site.found, site.count);
  const bound = page.getByRole('button', { name: /^a donor with; take apart/ });
  await bound.waitFor();
  await shoot(page, 'explore-bound');
  const together = await textOf(page.locator('.query-sentence > .visually-hidden'));
  assert.match(together, /a donor with \(.+ and .+\)/);
  const apart = page.getByRole('button', { name: /^any donor with; bind/ });
  assert.ok((await clicked(page, bound)) >= site.found);
  await apart.first().waitFor();
  assert.notEqual(await textOf(page.locator('.query-sentence > .visually-hidden')), together);
  await shoot(page, 'explore-apart');
  const address = page.url().slice(world.base.length);
  assert.doesNotMatch(address, /pivot/);
  assert.equal(await clicked(page, apart.first()), site.found);
  assert.match(page.url(), /pivot/);
  assert.equal(await textOf(page.locator('.query-sentence > .visually-hidden')), together);
  const other = await open(address);
  await total(other);
  const same = other.getByRole('button', { name: /^any donor with; bind/ });
  await same.first().waitFor();
  await close(other);
  await close(page);
});

test('nobody is taken past the navigation, and bounds the wrong way round are refused', async () => {
  const page = await open('/portal/explore/files');
  await total(page);
  assert.equal(await page.evaluate(() => document.activeElement === document.body), true);
  await page.getByLabel(/^Age at diagnosis at least/i).fill('60');
  await page.keyboard.press('Enter');
  await page.locator('.chip', { hasText: 'is at least' }).waitFor();
  const found = await total(page);
  const most = page.getByLabel(/^Age at diagnosis at most/i);
  await most.fill('10');
  await page.keyboard.press('Enter');
  await page.getByText('The first bound is above the second').waitFor();
  assert.equal(await total(page), found);
  await most.fill('70');
  await page.keyboard.press('Enter');
  await page.locator('.chip', { hasText: 'is between' }).waitFor();
  await close(page);
});
