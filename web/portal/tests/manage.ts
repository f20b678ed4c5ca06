import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import type { Page } from 'playwright-core';

import type { AnalysisPage } from '../src/api/types';
import { close, fetchJson, open, shoot, textOf, violations, world } from './support';

const STUDY = 'BROWSER-TEST';

test('a study is registered, and its mistakes are told without losing what was typed', async () => {
  const page = await open('/portal/manage/studies');
  await page.getByRole('heading', { name: 'Studies' }).waitFor();
  await page.getByRole('button', { name: 'Register a study' }).click();
  await page.getByLabel('Id').fill('an id that is much longer than thirty-six characters');
  await page.getByLabel('Name').fill('Made by a browser');
  await page.locator('dialog').getByRole('button', { name: 'Register' }).click();
  await page.getByText('The study was not registered').waitFor();
  assert.equal(await page.getByLabel('Name').inputValue(), 'Made by a browser');
  await page.getByLabel('Id').fill(STUDY);
  await page.locator('dialog').getByRole('button', { name: 'Register' }).click();
  await page.getByRole('link', { name: 'Made by a browser' }).waitFor();
  await shoot(page, 'studies');
  await close(page);
});

test('a submission shows each mistake at its place, is stored once it is correct, and is published', async () => {
  const page = await open(`/portal/manage/submit?study=${STUDY}&with=json`);
  await page.getByLabel('Begin with an example of').selectOption('sequencingRead');
  const area = page.getByLabel('Payload', { exact: true });
  await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('sequencingRead'));
  const payload = JSON.parse(await area.inputValue()) as { studyId: string };
  assert.equal(payload.studyId, STUDY);
  const file = { fileName: 'a.bam', fileSize: 'large', fileType: 'bam', fileAccess: 'open', dataType: 'reads' };
  await area.fill(JSON.stringify({ ...payload, files: [file] }, null, 2));
  await page.getByRole('button', { name: `Submit to ${STUDY}` }).click();
  await page.getByText(/violations?\. Nothing was stored/).waitFor();
  const wrong = page.locator('.payload-line.wrong');
  assert.ok((await wrong.allTextContents()).some((line) => line.includes('fileSize')));
  assert.ok(await page.getByText('“fileMd5sum” is missing').first().isVisible());
  await shoot(page, 'submit-violations');
  await page.reload();
  // What was typed is still there.
  await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('large'));
  await page.getByLabel('Study').selectOption(STUDY);
  const good = { ...file, fileSize: 123, fileMd5sum: '595f44fec1e92a71d3e9e77456ba80d1' };
  await area.fill(JSON.stringify({ ...payload, experiment: { libraryStrategy: 'WGS' }, files: [good] }, null, 2));
  await page.getByRole('button', { name: 'Check only' }).click();
  await page.getByText('It was not stored yet').waitFor();
  await page.getByRole('button', { name: `Submit to ${STUDY}` }).click();
  await page.getByText('Submitted.').waitFor();
  await page.locator('.notice.good a').click();
  await page.getByText('Unpublished').first().waitFor();
  await changesFile(page);
  for (const [action, state] of [
    ['Publish', 'Published'],
    ['Unpublish', 'Unpublished'],
    ['Suppress', 'Suppressed'],
  ]) {
    await page.getByRole('button', { name: action, exact: true }).click();
    await page.locator('dialog').getByRole('button', { name: action, exact: true }).click();
    await page.locator('.badge', { hasText: state }).first().waitFor();
    if (action === 'Publish') await keepsContent(page);
  }
  assert.equal(
    await page.getByRole('button', { name: 'Edit a.bam' }).count(),
    0,
    'a suppressed analysis stays as it is',
  );
  assert.equal(await page.locator('.timeline li').count(), 4);
  await shoot(page, 'analysis');
  await page.getByRole('link', { name: STUDY }).click();
  await page.getByRole('cell', { name: 'Suppressed' }).waitFor();
  await close(page);
});

/** Changes the size and the further information of a file, after a mistake in each. */
async function changesFile(page: Page) {
  await page.getByRole('button', { name: 'Edit a.bam' }).click();
  const sheet = page.locator('dialog');
  const save = sheet.getByRole('button', { name: 'Save the changes' });
  assert.ok(await save.isDisabled(), 'nothing was changed yet');
  await sheet.getByLabel('Size in bytes').fill('many');
  await sheet.getByText('The size is a whole number above 0.').waitFor();
  await sheet.getByLabel('Size in bytes').fill('4000');
  await sheet.getByLabel('MD5 checksum').fill('short');
  await save.click();
  await sheet.getByText('The file was not changed').waitFor();
  await sheet.getByLabel('MD5 checksum').fill('695f44fec1e92a71d3e9e77456ba80d1');
  await sheet.getByLabel('Further information (JSON)').fill('{"lane": 3}');
  await shoot(page, 'file-edit');
  assert.deepEqual(await violations(page), []);
  await save.click();
  await page.getByRole('cell', { name: '4 kB' }).waitFor();
}

/** Of a file of a published analysis the access can be changed, not the content. */
async function keepsContent(page: Page) {
  await page.getByRole('button', { name: 'Unpublish', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Edit a.bam' }).click();
  const sheet = page.locator('dialog');
  assert.ok(await sheet.getByLabel('Size in bytes').isDisabled());
  await sheet.getByLabel('Access').selectOption('controlled');
  await sheet.getByRole('button', { name: 'Save the changes' }).click();
  await page.getByRole('cell', { name: 'controlled' }).waitFor();
}

test('a payload is dropped as a file', async () => {
  const page = await open('/portal/manage/submit');
  const transfer = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    data.items.add(new File(['{"studyId":"dropped"}'], 'payload.json', { type: 'application/json' }));
    return data;
  });
  await page.dispatchEvent('.drop', 'drop', { dataTransfer: transfer });
  await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('dropped'));
  await close(page);
});

test('a type is made with the form, changed as text, and its versions stand side by side', async () => {
  const page = await open('/portal/manage/types/new');
  await page.getByLabel('Name', { exact: true }).first().fill('browserType');
  await page.getByRole('button', { name: 'Add to experiment' }).click();
  await page.locator('.schema-inner input.code').first().fill('tool');
  await page.getByRole('button', { name: 'Make a new one' }).click();
  await page.getByText('This payload would be accepted').waitFor();
  await page.getByLabel('Type of tool').selectOption('integer');
  await page.getByLabel('Payload', { exact: true }).fill('{"experiment": {"tool": "x"}}');
  await page.getByText('expected integer, found string').waitFor();
  await shoot(page, 'type-editor');
  await page.getByRole('tab', { name: 'Text' }).click();
  const text = page.getByLabel('JSON Schema');
  const good = await text.inputValue();
  await text.fill(good.replace('"required": [\n    "experiment"\n  ]', '"required": []'));
  await page.getByText('“experiment” must be required.').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Register' }).isDisabled());
  await text.fill(good);
  const external = page.getByLabel('External validations');
  await external.fill('[{"url": "https://{value}/", "jsonPath": "experiment.tool"}]');
  await page.getByText("is part of the server's name").waitFor();
  assert.ok(await page.getByRole('button', { name: 'Register' }).isDisabled());
  await external.fill('');
  await text.fill(good.replace('"integer"', '"integerr"'));
  await page.getByRole('button', { name: 'Register' }).click();
  await page.getByText('The server refused this type').waitFor();
  assert.ok((await text.inputValue()).includes('integerr'), 'what was typed is still there');
  await text.fill(good);
  await page.getByRole('button', { name: 'Register' }).click();
  await page.getByRole('heading', { name: 'browserType' }).waitFor();
  await page.getByRole('link', { name: 'Make the next version' }).click();
  await page.getByRole('button', { name: 'Add to experiment' }).click();
  await page.getByRole('button', { name: 'Register' }).click();
  await page.locator('.diff .added').first().waitFor();
  await shoot(page, 'type-versions');
  await page.getByRole('link', { name: 'Analysis types' }).first().click();
  await page.getByRole('row', { name: /browserType 2/ }).waitFor();
  await close(page);
});

test('indexes are shown with their jobs, or it is said that there are none', async () => {
  const page = await open('/portal/manage/indexing');
  await page.getByRole('heading', { name: 'Indexing' }).waitFor();
  const reindex = page.getByRole('button', { name: 'Reindex' }).first();
  await reindex
    .or(page.getByText(/Nothing (is indexed here|to follow)/))
    .first()
    .waitFor();
  if (await reindex.isVisible()) {
    await reindex.click();
    await page.locator('#jobs ~ ul li').first().waitFor();
    await page.locator('.badge', { hasText: 'succeeded' }).first().waitFor();
  }
  await shoot(page, 'indexing');
  await close(page);
});

test('a refused credential is told, with a way to enter another', async () => {
  const page = await open('/portal/manage/studies');
  await page.route('**/studies/**', (route) =>
    route.fulfill({
      status: 401,
      contentType: 'application/json',
      body: '{"errorId":"unauthorized.token","message":"[X::unauthorized.token] - A credential is needed"}',
    }),
  );
  await page.getByRole('button', { name: 'Register a study' }).click();
  await page.getByLabel('Id').fill('X');
  await page.locator('dialog').getByRole('button', { name: 'Register' }).click();
  await page.locator('dialog').getByText('A credential is needed').waitFor();
  await page.locator('dialog').getByRole('button', { name: 'Enter a key' }).click();
  await page.getByLabel('API key or token').fill('cantata_test');
  const sent = page.waitForRequest(
    (request) => request.url().startsWith(world.base) && request.headers().authorization === 'Bearer cantata_test',
  );
  await page.getByRole('button', { name: 'Use this key' }).click();
  await sent;
  await close(page);
});

test('analyses of a study are published together, and the study leads to its records', async () => {
  const studies = await fetchJson<string[]>('/studies/all');
  const study = encodeURIComponent(studies.find((id) => id !== STUDY) ?? '');
  const query = 'analysisStates=PUBLISHED&limit=1&offset=0';
  const { analyses } = await fetchJson<AnalysisPage>(`/studies/${study}/analysis/paginated?${query}`);
  const id = analyses[0]?.analysisId;
  await fetchJson(`/studies/${study}/analysis/unpublish/${id}`, { method: 'PUT' });
  const page = await open(`/portal/manage/studies/${study}`);
  await page.getByLabel('Published', { exact: true }).uncheck();
  await page.getByRole('link', { name: id }).waitFor();
  await page.getByRole('link', { name: 'Files', exact: true }).last().waitFor();
  await page.getByRole('button', { name: 'Choose all unpublished on this page' }).click();
  await page.getByRole('button', { name: /^Publish [1-9]/ }).click();
  assert.deepEqual(await violations(page), []);
  await page.locator('dialog').getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('link', { name: id }).waitFor({ state: 'detached' });
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  assert.match((await coming).suggestedFilename(), /\.json$/);
  await close(page);
});

test('a type has a dictionary, and its versions are compared in words', async () => {
  const page = await open('/portal/manage/types/rnaExpression');
  await page.getByRole('heading', { name: 'What is different in version 2 from version 1' }).waitFor();
  const said = await page.getByRole('list', { name: 'Differences' }).getByRole('listitem').allTextContents();
  assert.ok(said.length > 0 && said.every((each) => /^“.+”.+\.$|^Files|^The checks/.test(each)), said.join(' '));
  await page.getByLabel('with', { exact: true }).selectOption('1');
  await page.getByRole('heading', { name: /^What is different/ }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Data dictionary' }).click();
  await page.getByText('Version 1,').waitFor();
  await page.getByText('files[].fileName', { exact: true }).waitFor();
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV' }).click();
  const csv = readFileSync(await (await coming).path(), 'utf8');
  assert.match(csv, /^Name,Label,Meaning,Type,Required,Allowed,Example\r\n/);
  assert.match(csv, /\r\nfiles\[\]\.fileAccess,[^\r]*"one of open, controlled",open\r\n/);
  await page.getByLabel('Find a field').fill('fileAccess');
  assert.equal(await page.locator('.plain-table tbody tr').count(), 1);
  await close(page);
});

test('studies and their analyses are found by words', async () => {
  const page = await open('/portal/manage/studies');
  await page.locator('.manage-list li').first().waitFor();
  const all = await page.locator('.manage-list li').count();
  await page.getByLabel('Find a study').fill('lung');
  await page.waitForFunction((before) => document.querySelectorAll('.manage-list li').length < before, all);
  await page.locator('.manage-list li').first().getByRole('link').click();
  const first = page.getByRole('table').getByRole('link').first();
  await first.waitFor();
  const id = await textOf(first);
  await page.getByLabel('Find analyses').fill(id.toUpperCase());
  await page.waitForFunction(() => document.querySelectorAll('.plain-table tbody tr').length === 1);
  assert.equal(await textOf(first), id);
  await page.getByLabel('Find analyses').fill('nothing has this');
  await page.getByText('No analyses').waitFor();
  assert.deepEqual(await violations(page), []);
  await close(page);
});
