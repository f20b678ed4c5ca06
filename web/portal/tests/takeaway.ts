import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'node:test';

import type { Page } from 'playwright-core';

import type { AnalysisPage } from '../src/api/types';
import { type Group, leaf, type Sqon, stringify } from '../src/query/sqon';
import { PROGRAM, untilIndexed } from './server';
import { close, fetchJson, firstFacet, open, shoot, textOf, total, valuesOf, violations, world } from './support';

async function filtered() {
  const page = await open('/portal/explore/files');
  await total(page);
  const values = await valuesOf(firstFacet(page));
  await values.at(-1)!.row.click();
  await page.locator('.chip').waitFor();
  return page;
}

async function taken(page: Page, format: RegExp) {
  await page.getByRole('radio', { name: format }).check();
  const coming = page.waitForEvent('download');
  await page
    .locator('dialog')
    .getByRole('button', { name: /^Download/ })
    .click();
  const file = await coming;
  return readFileSync(await file.path(), 'utf8');
}

test('the whole filtered result comes as TSV, CSV, JSON lines and a manifest', async () => {
  const page = await filtered();
  const count = await total(page);
  const heads = await page.locator('.head-text').allTextContents();
  await page.getByRole('button', { name: 'Download', exact: true }).click();
  const tsv = await taken(page, /^TSV/);
  const lines = tsv.trimEnd().split('\n');
  assert.equal(lines.length, count + 1);
  assert.deepEqual(lines[0]?.split('\t'), heads);
  const csv = await taken(page, /^CSV/);
  assert.equal(csv.trimEnd().split('\r\n').length, count + 1);
  const records = (await taken(page, /^JSON lines/))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  assert.equal(records.length, count);
  const manifest = await taken(page, /^File manifest/);
  assert.match(manifest.split('\n')[0] ?? '', /^object_id\tfile_name/);
  await page.getByText('Saved:').waitFor();
  await shoot(page, 'download');
  await close(page);
});

test('a download that fails says so and keeps the choices', async () => {
  const page = await filtered();
  await page.route('**/download', (route) =>
    route.fulfill({ status: 403, contentType: 'application/json', body: '{"error":"Downloads are closed."}' }),
  );
  await page.getByRole('button', { name: 'Download', exact: true }).click();
  await page.getByRole('radio', { name: /^CSV/ }).check();
  await page
    .locator('dialog')
    .getByRole('button', { name: /^Download/ })
    .click();
  await page.getByText('Downloads are closed.').waitFor();
  assert.ok(await page.getByRole('radio', { name: /^CSV/ }).isChecked());
  await close(page);
});

test('a download can be stopped', async () => {
  const page = await filtered();
  await page.route('**/download', () => {});
  await page.getByRole('button', { name: 'Download', exact: true }).click();
  await page
    .locator('dialog')
    .getByRole('button', { name: /^Download/ })
    .click();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page
    .locator('dialog')
    .getByRole('button', { name: /^Download/ })
    .waitFor();
  await close(page);
});

/** Filters with everything that code is written for, beside those that are clicked. */
const WRITTEN: Sqon[] = [
  leaf('in', 'fileType', ['VCF', 'MAF']),
  leaf('in', 'studyId', ['*-AU']),
  leaf('not-in', 'fileAccess', ['open']),
  { op: 'not', content: [leaf('in', 'fileType', ['TSV']), leaf('in', 'analysis.tags', ["it's", '__missing__'])] },
  leaf('some-not-in', 'analysis.donors.gender', ['Female']),
  leaf('not-in', 'analysis.donors.gender', ['Female']),
  {
    op: 'and',
    pivot: 'analysis.donors',
    content: [leaf('in', 'analysis.donors.gender', ['Female']), leaf('gte', 'analysis.donors.ageAtDiagnosis', 70)],
  },
  {
    op: 'and',
    content: [leaf('in', 'analysis.donors.gender', ['Female']), leaf('gte', 'analysis.donors.ageAtDiagnosis', 70)],
  },
  {
    op: 'or',
    content: [
      leaf('between', 'analysis.donors.ageAtDiagnosis', [60, 69]),
      { op: 'wildcard', content: { fieldNames: ['fileName'], value: '*snv*' } },
    ],
  },
];

test('the code to copy gives every record in Python, R, curl and the command line', async (context) => {
  const hasR = spawnSync('Rscript', ['--version']).status === 0;
  if (!hasR) context.diagnostic('R is not installed: its code was not run');
  const env = { ...process.env, PATH: `${dirname(PROGRAM)}:${process.env.PATH}` };
  const run = (program: string, args: string[], input = '') =>
    execFileSync(program, args, { encoding: 'utf8', env, input, maxBuffer: 1 << 30 });
  const rows = (text: string) => text.trimEnd().split(/\r?\n/).length - 1;
  const searches = WRITTEN.map((part) => {
    const filter: Group = { op: 'and', content: [leaf('lt', 'fileSize', 5_000_000_000), part] };
    return `?${new URLSearchParams({ filter: stringify(filter) }).toString()}`;
  });
  for (const search of ['', ...searches]) {
    const page = await open(`/portal/explore/files${search}`);
    const count = await total(page);
    await page.getByRole('button', { name: 'Code' }).click();
    if (!search) await shoot(page, 'code');
    const code = async (name: string) => {
      await page.getByRole('tab', { name, exact: true }).click();
      return textOf(page.locator('dialog pre'));
    };
    assert.match(run('python3', ['-c', await code('Python')]), new RegExp(`^\\(${count}, \\d+\\)\n$`), search);
    assert.equal(rows(run('sh', ['-c', await code('curl')])), count, search);
    assert.equal(rows(run('sh', ['-c', await code('cantata')])), count, search);
    if (hasR) assert.equal(run('Rscript', ['--vanilla', '-'], await code('R')), `[1] ${count}\n`, search);
    const table = await (await fetch(await code('URL'))).text();
    assert.equal(rows(table), count, 'the address alone gives all rows');
    await close(page);
  }
});

test('a set is saved, listed, opened, renamed, combined and deleted', async () => {
  const page = await filtered();
  const count = await total(page);
  for (const name of ['First set', 'Second set']) {
    await page.getByRole('button', { name: 'Save set' }).click();
    await page.locator('dialog').getByLabel('Name').fill(name);
    await page.locator('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('is saved with').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    if (name === 'Second set') break;
    await page.locator('.explore-side .facet:has(.facet-value)').first().locator('.facet-value').first().click();
    await page.locator('.chip-value').nth(1).waitFor();
    await total(page);
  }
  await page.getByRole('link', { name: 'Sets' }).click();
  await page.getByRole('link', { name: 'Second set', exact: true }).waitFor();
  await shoot(page, 'sets');
  await page.getByRole('link', { name: 'First set', exact: true }).click();
  await page.locator('.chip', { hasText: 'set “First set”' }).waitFor();
  assert.equal(await total(page), count);
  const section = page.locator('section', { has: page.getByRole('heading', { name: 'Files' }) });
  const chooseBoth = async () => {
    await page.getByLabel('Choose Second set').check();
    await page.getByLabel('Choose First set').check();
  };
  await page.goBack();
  await chooseBoth();
  await section.getByRole('link', { name: 'Compare' }).click();
  const sides = page.locator('.compare-sides');
  await sides.getByText('set “First set”').waitFor();
  await sides.getByText('set “Second set”').waitFor();
  await page.locator('.plain-table td').first().waitFor();
  await page.getByLabel('Choose side A').selectOption('Everything in this catalogue');
  await sides.getByRole('link', { name: 'Everything in this catalogue' }).waitFor();
  await page.getByLabel('Choose side A').selectOption('Second set');
  await sides.getByRole('link', { name: 'Everything in this catalogue' }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Sets', exact: true }).click();
  await chooseBoth();
  await section.getByRole('button', { name: 'Combine' }).click();
  await page.getByRole('img', { name: /^Records in only/ }).waitFor();
  assert.deepEqual(await violations(page), []);
  await shoot(page, 'sets-combine');
  await page
    .locator('dialog')
    .getByRole('radio', { name: /but not in/ })
    .check();
  const name = await page.locator('dialog').getByLabel('Name').inputValue();
  await page.getByRole('button', { name: 'Save as a new set' }).click();
  await page.getByRole('link', { name, exact: true }).waitFor();
  await page.getByRole('button', { name: `More about ${name}` }).click();
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.locator('dialog').getByLabel('Name').fill('The rest');
  await page.locator('dialog').getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('link', { name: 'The rest', exact: true }).waitFor();
  await page.getByRole('button', { name: 'More about The rest' }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.locator('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('link', { name: 'The rest', exact: true }).waitFor({ state: 'detached' });
  await close(page);
});

test('a list of ids becomes a set, and what is not found is told', async () => {
  const explore = await open('/portal/explore/files');
  await total(explore);
  const href = await explore.locator('.result-table td a').first().getAttribute('href');
  const key = decodeURIComponent(href!.split('/').at(-1)!);
  await close(explore);
  const page = await open('/portal/sets');
  const section = page.locator('section', { has: page.getByRole('heading', { name: 'Files' }) });
  await section.getByRole('button', { name: 'From a list of ids' }).click();
  await page.getByLabel('Ids', { exact: true }).fill(`${key}\nNOT-THERE-1, NOT-THERE-2`);
  await page.getByRole('button', { name: 'Look up 3 ids' }).click();
  await page.getByText('NOT-THERE-1, NOT-THERE-2').last().waitFor();
  await shoot(page, 'sets-upload');
  await page.getByLabel('Name of the set').fill('From outside');
  await page.getByRole('button', { name: 'Save 1 as a set' }).click();
  await page.getByRole('link', { name: 'From outside', exact: true }).waitFor();
  await close(page);
});

test('a record shows its fields and its document, and has an address', async () => {
  const page = await open('/portal/explore/files');
  await total(page);
  const link = page.locator('.result-table td a').first();
  const text = (await textOf(link)).trim();
  await link.click();
  await page.getByRole('tab', { name: 'Fields' }).waitFor();
  await page.getByText(text).first().waitFor();
  await shoot(page, 'record');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const copy = page
    .locator('.fields')
    .getByRole('button', { name: /^Copy / })
    .first();
  const id = (await textOf(copy)).replace('Copy ', '');
  await copy.click();
  await page.waitForFunction(async (wanted) => (await navigator.clipboard.readText()) === wanted, id);
  await page.getByRole('tab', { name: 'History' }).click();
  await page.locator('.timeline').getByText('Submitted').waitFor();
  await page.getByRole('tab', { name: 'JSON' }).click();
  assert.ok(JSON.stringify(JSON.parse(await textOf(page.locator('pre')))).includes(text));
  await page.reload();
  await page.getByText(text).first().waitFor();
  await page.goBack();
  await total(page);
  const gone = await open('/portal/record/files/no-such-record');
  await gone.getByText('This record cannot be shown').waitFor();
  await close(gone);
  await close(page);
});

test('a record leads to others with the same values and identifiers, and can be downloaded', async () => {
  const page = await open('/portal/explore/files');
  await total(page);
  await page.locator('.result-table td a').first().click();
  const related = page.getByRole('list', { name: 'Related records' });
  const analysis = related.getByRole('link', { name: /analys[ei]s with Analysis ID/i }).first();
  await analysis.waitFor();
  await page.getByText(/ B\)$/).first().waitFor();
  assert.deepEqual(await violations(page), []);
  await shoot(page, 'record-related');
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download', exact: true }).click();
  const text = readFileSync(await (await coming).path(), 'utf8');
  assert.ok((JSON.parse(text) as { objectId: string }).objectId);
  const more = page.getByRole('link', { name: /^More with File type/i });
  await more.first().click();
  await page.locator('.chip', { hasText: 'File type' }).waitFor();
  assert.ok((await total(page)) > 0);
  await page.goBack();
  await analysis.click();
  await page.locator('.chip').waitFor();
  assert.equal(await total(page), 1);
  await close(page);
});

test('the data dictionary has every field with its values, and is a table to take away', async () => {
  const page = await open('/portal/explore/files');
  await total(page);
  await page.getByRole('link', { name: 'Data dictionary' }).click();
  const row = page.getByRole('row', { name: /analysis\.donors\.gender/ });
  await row.waitFor();
  assert.match(await textOf(row), /Female/);
  const age = page.getByRole('row', { name: /analysis\.donors\.ageAtDiagnosis/ });
  assert.match(await textOf(age), /Whole years at the first diagnosis/);
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV' }).click();
  const csv = readFileSync(await (await coming).path(), 'utf8');
  assert.equal(csv.trimEnd().split('\r\n').length, 1 + (await page.locator('.plain-table tbody tr').count()));
  assert.match(csv, /^Name,Label,Meaning,Type/);
  assert.match(csv, /Age at diagnosis,Whole years at the first diagnosis,/);
  await page.getByRole('searchbox', { name: 'Find a field' }).fill('file size');
  await row.waitFor({ state: 'detached' });
  await close(page);
});

test('a set stays as it was saved, and live it is what its filter finds now', async () => {
  const [study = ''] = await fetchJson<string[]>('/studies/all');
  const filter = { op: 'and', content: [{ op: 'in', content: { fieldName: 'studyId', value: [study] } }] };
  const page = await open(`/portal/explore/files?filter=${encodeURIComponent(JSON.stringify(filter))}`);
  const count = await total(page);
  await page.getByRole('button', { name: 'Save set' }).click();
  await page.locator('dialog').getByLabel('Name').fill('Fixed and live');
  await page.locator('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Done' }).click();
  const query = 'analysisStates=PUBLISHED&limit=1&offset=0';
  const { analyses } = await fetchJson<AnalysisPage>(`/studies/${study}/analysis/paginated?${query}`);
  const { analysisId = '', files = [] } = analyses[0] ?? {};
  await fetchJson(`/studies/${study}/analysis/unpublish/${analysisId}`, { method: 'PUT' });
  await untilIndexed(world.base);
  await page.goto(`${world.base}/portal/sets`);
  const row = page.getByRole('row', { name: /Fixed and live/ });
  const live = row.getByRole('link', { name: /Fixed and live live$/ });
  await live.getByText((count - files.length).toLocaleString('en')).waitFor();
  assert.ok((await textOf(row)).includes(count.toLocaleString('en')), 'it keeps its values');
  await live.click();
  assert.equal(await total(page), count - files.length);
  await fetchJson(`/studies/${study}/analysis/publish/${analysisId}`, { method: 'PUT' });
  await untilIndexed(world.base);
  await close(page);
});
