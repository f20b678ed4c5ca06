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

type Theme = 'light' | 'dark';

const compare = `/portal/compare/files?a=${encodeURIComponent(JSON.stringify(FILTER))}`;

/** The pictures in light and in dark colours; those in dark have a name of their own. */
const IN_BOTH_THEMES: Record<string, (theme: Theme) => Promise<TestPage>> = {
  home: async (theme) => ready(await open('/', { viewport: SIZE, theme }), '.home-value'),
  explore: async (theme) => ready(await open(explore(), { viewport: SIZE, theme }), '.result-table td'),
  charts: async (theme) => ready(await open(explore('&view=charts'), { viewport: SIZE, theme }), '.chart'),
  comparison: async (theme) => ready(await open(compare, { viewport: SIZE, theme }), '.plain-table td'),
  record: async (theme) => {
    const page = await open(explore(), { viewport: SIZE, theme });
    await page.locator('.result-table td a').first().click();
    return ready(page, '.record-title');
  },
  sheet: async (theme) => {
    const page = await open(`/portal/manage/submit?study=${STUDY}&type=sequencingRead&with=sheet`, {
      viewport: SIZE,
      theme,
    });
    const buffer = Buffer.from(await filledSheet());
    await page.locator('.drop input[type=file]').setInputFiles({ name: 'sequencingRead.tsv', mimeType: '', buffer });
    await page.locator('.sheet-table .mistake').first().waitFor();
    await page.evaluate(() => document.querySelector('#submit-panel')?.scrollIntoView());
    return ready(page, '.sheet-table .mistake');
  },
};

/** A sheet in which the access of a file and the size of another are wrong. */
async function filledSheet(): Promise<string> {
  const template = await fetch(`${world.base}/schemas/sequencingRead/template?format=tsv`);
  const [head = ''] = (await template.text()).split(/\r?\n/);
  const lines = [
    ['tumour', 'WGS', 'tumour.bam', '81234567890', 'controlled'],
    ['normal', 'WGS', 'normal.bam', 'large', 'controlled'],
    ['relapse', 'WXS', 'relapse.bam', '7123456789', 'secret'],
  ].map(([row, strategy, name, size, access], index) => {
    const values: Record<string, string | undefined> = {
      '#row': row,
      'experiment.libraryStrategy': strategy,
      'files[].fileName': name,
      'files[].fileSize': size,
      'files[].fileType': 'bam',
      'files[].fileAccess': access,
      'files[].dataType': 'Aligned reads',
      'files[].fileMd5sum': String(index).repeat(32),
    };
    const columns = head.split('\t').map((column) => column.replace(/ \*$/, ''));
    return columns.map((column) => values[column] ?? '').join('\t');
  });
  return [head, ...lines].join('\n');
}

const PICTURES: Record<string, () => Promise<TestPage>> = {
  ...Object.fromEntries(
    Object.entries(IN_BOTH_THEMES).flatMap(([name, take]) => [
      [name, () => take('light')],
      [`${name}-dark`, () => take('dark')],
    ]),
  ),
  'explore-phone': async () => ready(await open(explore('&view=charts'), { viewport: PHONE }), '.chart'),
  submit: async () => {
    const page = await open(`/portal/manage/submit?study=${STUDY}&type=alignedReads`, { viewport: SIZE });
    await page.getByRole('textbox', { name: 'Title' }).fill('Biopsy of a never-smoker');
    await page.getByRole('textbox', { name: 'Reads', exact: true }).fill('many');
    await page.getByRole('button', { name: 'Check only' }).click();
    await page.getByText('This is required.').first().waitFor();
    await page.evaluate(() => document.querySelector('#submit-panel')?.scrollIntoView());
    return ready(page, '.mistake');
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
