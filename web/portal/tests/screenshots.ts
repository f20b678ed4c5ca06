// The pictures of the documentation: `make screenshots` writes them into docs/images.

import { statSync } from 'node:fs';
import { join } from 'node:path';

import {
  close,
  open,
  painted,
  PHONE,
  settled,
  shoot,
  SHOTS,
  start,
  stop,
  type TestPage,
  total,
  world,
} from './support';

/** Pictures are part of the repository, so they are small. */
const MAX_BYTES = 150_000;
const SIZE = { width: 1120, height: 690 };
const STUDY = 'LUNG-PL';

const isAnyOf = (fieldName: string, ...value: string[]) => ({ op: 'in', content: { fieldName, value } });

const FILTER = {
  op: 'and',
  content: [
    isAnyOf('fileAccess', 'controlled'),
    {
      op: 'and',
      pivot: 'analysis.donors',
      content: [
        isAnyOf('analysis.donors.primarySite', 'Breast', 'Lung'),
        { op: '>=', content: { fieldName: 'analysis.donors.ageAtDiagnosis', value: 50 } },
      ],
    },
  ],
};

/** What the table shows is the same with every run; dates of submission would not be. */
const COLUMNS = 'fileName~330,dataType~190,fileSize,analysis.donors.primarySite,analysis.experiment.strategy';

const explore = (more = '') =>
  `/portal/explore/files?filter=${encodeURIComponent(JSON.stringify(FILTER))}&columns=${encodeURIComponent(COLUMNS)}` +
  `&sort=${encodeURIComponent('fileName')}${more}`;

const PICTURES: Record<string, () => Promise<TestPage>> = {
  home: async () => ready(await open('/', { viewport: SIZE }), '.home-value'),
  explore: async () => ready(await open(explore(), { viewport: SIZE }), '.result-table td'),
  'explore-dark': async () => ready(await open(explore(), { viewport: SIZE, theme: 'dark' }), '.result-table td'),
  charts: async () => ready(await open(explore('&view=charts'), { viewport: SIZE }), '.chart'),
  'explore-phone': async () => ready(await open(explore('&view=charts'), { viewport: PHONE }), '.chart'),
  record: async () => {
    const page = await open(explore(), { viewport: SIZE });
    await page.locator('.result-table td a').first().click();
    return ready(page, '.record-title');
  },
  submit: async () => {
    const page = await open(`/portal/manage/submit?study=${STUDY}`, { viewport: SIZE });
    await page.getByLabel('Begin with an example of').selectOption('alignedReads');
    await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('alignedReads'));
    const area = page.getByLabel('Payload', { exact: true });
    const payload = JSON.parse(await area.inputValue()) as {
      alignment: { aligner?: string };
      files: [{ fileSize: number | string }];
    };
    delete payload.alignment.aligner;
    payload.files[0].fileSize = 'large';
    await area.fill(JSON.stringify(payload, null, 2));
    await page.getByRole('button', { name: 'Check only' }).click();
    await page.getByRole('region', { name: 'Violations', exact: true }).waitFor();
    await page.evaluate(() => document.querySelector('.notice')?.scrollIntoView({ block: 'center' }));
    return ready(page, '.payload-line.wrong');
  },
  sets: async () => {
    const page = await open(explore(), { viewport: SIZE });
    for (const name of ['Controlled files, 50 and older', 'For the pilot']) {
      await total(page);
      await page.getByRole('button', { name: 'Save set' }).click();
      await page.locator('dialog').getByLabel('Name').fill(name);
      await page.locator('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: 'Done' }).click();
      await page.locator('.facet-value', { hasText: 'Female' }).first().click();
    }
    await page.goto(`${world.base}/portal/sets`);
    return ready(page, '.set-actions');
  },
};

/** Returns a page once it is as people see it. */
async function ready(page: TestPage, complete: string) {
  await page.locator(complete).first().waitFor();
  await settled(page);
  await painted(page);
  return page;
}

await start();
try {
  for (const [name, take] of Object.entries(PICTURES)) {
    const page = await take();
    await shoot(page, name);
    await close(page);
    const { size } = statSync(join(SHOTS, `${name}.png`));
    console.log(`${name}: ${size} bytes`);
    if (size > MAX_BYTES) throw new Error(`${name} has more than ${MAX_BYTES} bytes`);
  }
} finally {
  await stop();
}
