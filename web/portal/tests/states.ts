// What pages become when they are used, at every size and in both themes. Pages as they open are in pages.ts.

import { test } from 'node:test';

import { assertGoodEverywhere, close, open, settled, total } from './support';

const isAnyOf = (fieldName: string, ...value: string[]) => ({ op: 'in', content: { fieldName, value } });

const FILTER = {
  op: 'and',
  content: [
    isAnyOf('fileAccess', 'controlled'),
    {
      op: 'and',
      pivot: 'analysis.donors',
      content: [isAnyOf('analysis.donors.primarySite', 'Lung'), isAnyOf('analysis.donors.gender', 'Female')],
    },
  ],
};
const filter = encodeURIComponent(JSON.stringify(FILTER));
const cross = (form: string) => `cross=analysis.donors.gender~analysis.donors.primarySite~${form}`;

/** Addresses with a selector that matches once they are complete. */
const STATES: Record<string, [path: string, complete: string]> = {
  filtered: [`/portal/explore/files?filter=${filter}`, '.chip-value'],
  'cross-table': [`/portal/explore/files?view=charts&${cross('table')}`, '.cross-table td button'],
  stacked: [`/portal/explore/files?view=charts&${cross('stacked')}`, '.cross-bars'],
  beside: [`/portal/explore/files?view=charts&${cross('beside')}`, '.cross-bars'],
  comparison: [`/portal/compare/files?a=${filter}`, '.plain-table td'],
  nothing: ['/portal/explore/files?filter=' + encodeURIComponent(JSON.stringify(isAnyOf('fileName', 'x'))), '.empty'],
};

for (const [name, [path, complete]] of Object.entries(STATES)) {
  test(`${name} is good at every size and in both themes`, async () => {
    const page = await open(path);
    await page.locator(complete).first().waitFor();
    await settled(page);
    await assertGoodEverywhere(page, name);
    await close(page);
  });
}

test('what a word finds on the home page is good at every size and in both themes', async () => {
  const page = await open('/');
  await page.getByLabel('Search all catalogues').fill('lung');
  await page.locator('.home-findings .home-value').first().waitFor();
  await settled(page);
  await assertGoodEverywhere(page, 'findings');
  await close(page);
});

test('selected records and a record are good at every size and in both themes', async () => {
  const page = await open('/portal/explore/files');
  await total(page);
  await page.locator('.result-table tbody .select-box').first().check();
  await page.getByRole('region', { name: 'Selected records' }).waitFor();
  await assertGoodEverywhere(page, 'selected');
  await page.locator('.result-table td a').first().click();
  await page.getByRole('list', { name: 'Related records' }).getByRole('link').first().waitFor();
  await settled(page);
  await assertGoodEverywhere(page, 'record');
  await close(page);
});
