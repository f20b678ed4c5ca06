// Submitting without JSON, and with much of it: forms, many payloads, sheets.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import type { Page } from 'playwright-core';

import type { AnalysisPage } from '../src/api/types';
import { assertGoodEverywhere, close, fetchJson, open, PHONE, world } from './support';

const STUDY = 'FORM-TEST';
const ADDRESS = `/portal/manage/submit?study=${STUDY}`;

/** A checksum that no other file has. */
const md5 = (number: number) => number.toString(16).padStart(32, 'f0');

let study: Promise<void> | undefined;

/** Opens the page, with a study of its own for all tests here. */
async function openForm(query = '') {
  await ensureStudy();
  return open(ADDRESS + query);
}

async function ensureStudy() {
  study ??= createStudy();
  await study;
}

async function createStudy() {
  const body = JSON.stringify({ studyId: STUDY });
  const headers = { 'content-type': 'application/json' };
  const { ok } = await fetch(`${world.base}/studies/${STUDY}`, { method: 'POST', headers, body });
  assert.ok(ok);
}

async function stored(): Promise<number> {
  await ensureStudy();
  const query = 'analysisStates=UNPUBLISHED&limit=1&offset=0';
  const { totalAnalyses } = await fetchJson<AnalysisPage>(`/studies/${STUDY}/analysis/paginated?${query}`);
  return totalAnalyses;
}

async function choose(page: Page, name: string, text: string) {
  await page.locator('.drop input[type=file]').setInputFiles({ name, mimeType: '', buffer: Buffer.from(text) });
}

test('a form made from the schema shows each mistake at its field until it is corrected', async () => {
  const before = await stored();
  const page = await openForm();
  await page.getByLabel('Type of the analyses').selectOption('sequencingRead');
  const form = page.getByRole('form', { name: 'Form of sequencingRead' });
  await form.getByRole('button', { name: 'Check only' }).click();
  await form.getByText(/violations?\. Nothing was stored/).waitFor();
  const strategy = form.getByLabel('Library strategy');
  const strategyField = form.locator('.field', { has: page.getByLabel('Library strategy') });
  await strategyField.getByText('This is required.').waitFor();
  await assertGoodEverywhere(page, 'form-violations');
  await strategy.selectOption('WGS');
  await strategyField.getByText('This is required.').waitFor({ state: 'detached' });
  const size = form.getByLabel('File size');
  const sizeField = form.locator('.field', { has: page.getByLabel('File size') });
  await size.fill('large');
  await sizeField.getByText(/expected integer, found string/i).waitFor();
  await size.fill('123');
  await sizeField.locator('.mistake').waitFor({ state: 'detached' });
  await form.getByRole('button', { name: 'Add File' }).click();
  await form.getByRole('group', { name: 'File 2' }).waitFor();
  await form.getByRole('button', { name: 'Remove File 2' }).click();
  await form.getByRole('group', { name: 'File 2' }).waitFor({ state: 'detached' });
  await form.getByLabel('File name').fill('form.bam');
  await form.getByLabel('File type').fill('bam');
  await form.getByLabel('File access').selectOption('open');
  await form.getByLabel('Data type').fill('reads');
  await form.getByLabel('File md5sum').fill(md5(1));
  await form.getByLabel('Paired end').selectOption('no');
  await form.getByLabel('Info').fill('{"lane": ');
  await form.getByText('This is not JSON').waitFor();
  await form.getByLabel('Info').fill('{"lane": 3}');
  // What is correct now is said without asking again.
  await form.getByText('It was not stored yet').waitFor();
  assert.equal(await stored(), before);
  await page.reload();
  await form.getByRole('button', { name: `Submit to ${STUDY}` }).waitFor();
  assert.equal(await form.getByLabel('File name').inputValue(), 'form.bam', 'what was written is still there');
  await form.getByRole('button', { name: `Submit to ${STUDY}` }).click();
  await form.getByText('Submitted.').waitFor();
  assert.equal(await stored(), before + 1);
  await form.locator('.notice.good a').click();
  await page.getByText('"pairedEnd": false').waitFor();
  await close(page);
});

function payload(number: number, fileAccess = 'open') {
  return {
    studyId: STUDY,
    analysisType: { name: 'sequencingRead' },
    experiment: { libraryStrategy: 'WGS' },
    files: [
      {
        fileName: `many-${number}.bam`,
        fileSize: 10,
        fileType: 'bam',
        fileAccess,
        dataType: 'reads',
        fileMd5sum: md5(100 + number),
      },
    ],
  };
}

test('many payloads are checked together, corrected one by one, and submitted together', async () => {
  const before = await stored();
  const page = await openForm();
  const lines = [payload(1), payload(2, 'secret'), payload(3)].map((each) => JSON.stringify(each));
  await choose(page, 'payloads.ndjson', lines.join('\n'));
  await page.getByText('1 with mistakes').waitFor();
  const submit = page.getByRole('button', { name: `Submit all 3 to ${STUDY}` });
  assert.ok(await submit.isDisabled(), 'not while one of them is wrong');
  const wrong = page.getByRole('region', { name: 'Payload 2' });
  await wrong.getByText('secret is not valid: one of open, controlled').waitFor();
  await wrong.getByRole('button', { name: 'Correct it' }).click();
  await assertGoodEverywhere(page, 'many-payloads');
  const text = wrong.getByLabel('Text of payload 2');
  await text.fill((await text.inputValue()).replace('secret', 'controlled'));
  await page.getByText('Nothing is wrong with them').waitFor();
  await submit.click();
  await page.getByText('3 analyses are in').waitFor();
  assert.equal(await stored(), before + 3);
  await page.getByRole('button', { name: 'Submit others' }).click();
  await page.getByLabel('Payload', { exact: true }).fill(`[${lines[0]}, ${lines[2]}]`);
  await page.getByRole('button', { name: 'Check all 2' }).click();
  await page.getByText('2 with mistakes').waitFor();
  await close(page);
});

/** Takes the sheet to fill, and returns its heading and what writes a line of it. */
async function sheetToFill(page: Page) {
  await page.getByLabel('Type of the analyses').selectOption('sequencingRead');
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Sheet to fill (TSV)' }).click();
  const [head = ''] = readFileSync(await (await coming).path(), 'utf8').split(/\r?\n/);
  const columns = head.split('\t').map((name) => name.replace(/ \*$/, ''));
  const line = (number: number, fileAccess: string) => {
    const values: Record<string, string> = {
      'experiment.libraryStrategy': 'WGS',
      'files[].fileName': `sheet-${number}.bam`,
      'files[].fileSize': '10',
      'files[].fileType': 'bam',
      'files[].fileAccess': fileAccess,
      'files[].dataType': 'reads',
      'files[].fileMd5sum': md5(200 + number),
    };
    return columns.map((name) => values[name] ?? '').join('\t');
  };
  return { head, line };
}

test('a filled sheet has each violation at its cell, is corrected there and submitted as a whole', async () => {
  const before = await stored();
  const page = await openForm('&with=sheet');
  const { head, line } = await sheetToFill(page);
  await choose(page, 'sequencingRead.tsv', [head, line(1, 'open'), line(2, 'secret')].join('\n'));
  await page.getByText('secret is not valid: one of open, controlled').waitFor();
  const submit = page.getByRole('button', { name: `Submit all 2 to ${STUDY}` });
  assert.ok(await submit.isDisabled());
  const cell = page.getByLabel(/fileAccess, row 3$/);
  assert.equal(await cell.getAttribute('aria-invalid'), 'true');
  await page.getByLabel('Only rows with mistakes').check();
  assert.equal(await page.getByLabel(/fileAccess, row 2$/).count(), 0);
  await assertGoodEverywhere(page, 'sheet-violations');
  await cell.selectOption('controlled');
  await page.getByText('nothing is wrong').waitFor();
  assert.equal(await stored(), before, 'it was only checked');
  await submit.click();
  await page.getByText('2 analyses are in').waitFor();
  assert.equal(await stored(), before + 2);
  await close(page);
});

test('the first wrong cell of a long sheet is in sight after the check', async () => {
  const page = await openForm('&with=sheet');
  await page.setViewportSize(PHONE);
  const { head, line } = await sheetToFill(page);
  const lines = Array.from({ length: 70 }, (_, index) => line(index + 101, index < 59 ? 'open' : 'secret'));
  await choose(page, 'sequencingRead.tsv', [head, ...lines].join('\n'));
  const cell = page.getByLabel(/fileAccess, row 61$/);
  await cell.waitFor();
  const isInSight = await cell.evaluate((found) => {
    const { left, top, width, height } = found.getBoundingClientRect();
    return document.elementFromPoint(left + width / 2, top + height / 2) === found;
  });
  assert.ok(isInSight);
  await close(page);
});

test('a workbook is made for a type', async () => {
  const page = await openForm('&with=sheet&type=alignedReads');
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Sheet to fill (XLSX)' }).click();
  const download = await coming;
  assert.equal(download.suggestedFilename(), 'alignedReads.xlsx');
  const bytes = readFileSync(await download.path());
  assert.equal(bytes.subarray(0, 2).toString(), 'PK');
  await page
    .locator('.drop input[type=file]')
    .setInputFiles({ name: 'alignedReads.xlsx', mimeType: '', buffer: bytes });
  // Nothing is in it yet.
  await page.getByText('alignedReads.xlsx cannot be read').waitFor();
  await close(page);
});
