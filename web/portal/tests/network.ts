// The network of a catalogue: two servers with half of the sample data each, and one that asks them.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startServer, untilIndexed } from './server';
import { close, firstFacet, number, open, shoot, textOf, total, valuesOf } from './support';

interface Answer {
  data?: { network: { complete: boolean; nodes: { link: string | null }[] } };
}

/** Waits until both nodes answer and have got all of their data. */
async function untilFilled(base: string) {
  const body = JSON.stringify({ query: '{ network { complete nodes { link } } }' });
  const headers = { 'content-type': 'application/json' };
  for (;;) {
    const response = await fetch(`${base}/files/graphql`, { method: 'POST', headers, body });
    const network = ((await response.json()) as Answer).data?.network;
    if (network?.complete) {
      // A node that answers was given its data before, but may not have indexed all of it.
      await Promise.all(network.nodes.map(({ link }) => untilIndexed(new URL(link ?? '').origin)));
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

test('a network shows its nodes, the part of each in every bar, and the way to the same filter there', async () => {
  const server = await startServer(['demo', '--network', '2']);
  try {
    const base = server.match[1];
    await untilFilled(base);
    const page = await open('/portal/explore/files?view=network', { base });
    const all = await total(page);
    const rows = page.locator('.plain-table tbody tr');
    await rows.nth(1).waitFor();
    assert.equal(await rows.count(), 2);
    const records = await Promise.all((await rows.all()).map((row) => textOf(row.locator('td.number'))));
    assert.equal(
      records.reduce((sum, text) => sum + number(text), 0),
      all,
    );
    const [first] = await valuesOf(firstFacet(page));
    const bar = first.row.locator('.facet-bar > span');
    assert.match((await bar.getAttribute('style')) ?? '', /linear-gradient\(.*--series-\d/);
    await page.locator('.explore-side .range-picture span.in').first().waitFor();
    await shoot(page, 'network');
    await first.row.click();
    await page.waitForURL(/filter=/);
    assert.equal(await total(page), first.count);
    const link = page.getByRole('link', { name: 'Open the same filter at Node 1' });
    const node = new URL((await link.getAttribute('href')) ?? '');
    const there = await open(node.pathname + node.search, { base: node.origin });
    assert.equal(await total(there), number(await textOf(rows.first().locator('td.number'))));
    assert.deepEqual([...page.complaints, ...there.complaints], []);
    await close(there);
    await close(page);
  } finally {
    await server.stop();
  }
});
