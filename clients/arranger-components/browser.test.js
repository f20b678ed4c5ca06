// Table, facets, quick search and charts of Arranger's published packages show the catalogues of this server.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';

import { countsOf, recordsOf, valuesOf } from './records.js';
import { catalogues, complaints, eventually, open, shoot, start, stop } from './support.js';

before(start);
after(stop);

const FACETS_IN_THE_PACKAGE = ['boolean', 'byte', 'date', 'float', 'half_float', 'integer', 'keyword', 'long', 'scaled_float', 'text', 'unsigned_long'];

test('every catalogue is shown, filtered, searched, sorted and downloaded', async (context) => {
  for (const catalogue of await catalogues()) await context.test(catalogue.name, (inner) => checkCatalogue(inner, catalogue));
});

async function checkCatalogue(context, catalogue) {
  const view = await viewOf(catalogue);
  const charts = catalogue.documentType === 'file' ? { bars: gqlName(view.plain), ranges: gqlName(view.number) } : {};
  const page = await open(catalogue, { row: view.row, search: view.search.join(','), ...charts });
  const total = view.records.length;
  const steps = {
    'rows and counts': async () => {
      await shows(page, total, `1 - ${Math.min(20, total)}`);
      await eventually('headers', () => headers(page), view.columns.filter(({ show }) => show).map(({ displayName }) => displayName));
      const known = new Set(view.records.flatMap((record) => valuesOf(record, view.nestedColumn.fieldName)));
      const isKnown = (cell) => known.has(cell.split(/\s*\.\.\./)[0]);
      await eventually('values of nested objects', async () => {
        const cells = (await column(page, view.nestedColumn.displayName)).filter(Boolean);
        return (cells.length > 0 && cells.every(isKnown)) || cells;
      }, true);
      await eventually('facets', () => page.locator('.aggregation-group:not(:has(.no-data))').count(), view.facets.length);
      for (const fieldName of [view.plain, view.other, view.nested]) await showsCounts(page, fieldName, view.records);
      await shoot(page, `${catalogue.name}-all`);
    },
    'a facet filters rows and the counts of other facets, not its own': async () => {
      const [value, count] = topOf(view.records, view.plain);
      const found = view.records.filter((record) => valuesOf(record, view.plain).includes(value));
      await facet(page, view.plain).locator('.bucket-item').first().click();
      await shows(page, count);
      await showsCounts(page, view.plain, view.records);
      await showsCounts(page, view.other, found);
      assert.match(await page.locator('.sqon-view').textContent(), new RegExp(`is.*${value}`));
      if (catalogue.documentType === 'file') {
        await eventually('bars', async () => (await bars(page)).map((name) => value.startsWith(name)), [true]);
      }
      await shoot(page, `${catalogue.name}-facet`);
      await clear(page, view);
    },
    'a facet of nested objects filters rows': async () => {
      const [, count] = topOf(view.records, view.nested);
      await facet(page, view.nested).locator('.bucket-item').first().click();
      await shows(page, count);
      await clear(page, view);
    },
    'a facet of numbers filters by a range': async () => {
      const least = Math.min(...view.records.flatMap((record) => valuesOf(record, view.number)));
      const bound = await slideUp(page, view.number);
      assert.ok(bound > least, `${bound} is above ${least}`);
      await shows(page, matching(view.records, view.number, (value) => value >= bound));
      await clear(page, view);
    },
    'a facet of dates filters by a day': async () => {
      const days = view.records.flatMap((record) => valuesOf(record, view.date)).map((value) => new Date(value).toISOString().slice(0, 10)).sort();
      const day = days[Math.floor(days.length / 2)];
      const input = facet(page, view.date).locator('input.start-date');
      await input.fill(day.replaceAll('-', '/'));
      await input.press('Enter');
      await shows(page, matching(view.records, view.date, (value) => Date.parse(value) >= Date.parse(day)));
      await shoot(page, `${catalogue.name}-date`);
      await clear(page, view);
    },
    'a facet of booleans filters by no': async () => {
      await facet(page, view.boolean).locator('.toggle-button-option').last().click();
      await shows(page, matching(view.records, view.boolean, (value) => value === false));
      await clear(page, view);
    },
    'quick search finds records by a part of their id': async () => {
      const id = valuesOf(view.records.at(-1), view.row)[0];
      await search(page, id.slice(2));
      await shoot(page, `${catalogue.name}-search`);
      await page.locator(`.quick-search-result[title="${id}"]`).first().dispatchEvent('mousedown');
      await shows(page, 1);
      await clear(page, view);
    },
    'quick search finds records by a value of nested objects': async () => {
      const fieldName = view.search.at(-1);
      const value = view.records.flatMap((record) => valuesOf(record, fieldName))[0];
      const ids = new Set(view.records.filter((record) => valuesOf(record, fieldName).includes(value)).map((record) => valuesOf(record, view.row)[0]));
      await search(page, value.toLowerCase());
      // What is found for the first letters may be shown before.
      await eventually(`records with ${value}`, async () => {
        const shown = await page.locator('.quick-search-result').evaluateAll((results) => results.map(({ title }) => title));
        return (shown.length > 0 && shown.every((id) => ids.has(id))) || shown;
      }, true);
      await page.getByPlaceholder('Quick Search').fill('');
    },
    'rows are sorted, both ways': async () => {
      const { displayName, fieldName } = view.sorted;
      const ascending = view.records.map((record) => valuesOf(record, fieldName)[0]).sort();
      for (const [direction, expected] of [['asc', ascending], ['desc', ascending.toReversed()]]) {
        await page.locator(`th.table_header[data-header="${displayName}"]`).click();
        await page.locator(`th.${direction}[data-header="${displayName}"]`).waitFor();
        await eventually(`rows sorted ${direction}`, () => column(page, displayName), expected.slice(0, 20));
      }
      await shoot(page, `${catalogue.name}-sorted`);
    },
    'pages are turned, and made longer': async () => {
      const first = await column(page, view.columns[0].displayName);
      await page.locator('.PageSelector .next').click();
      await shows(page, total, `21 - ${Math.min(40, total)}`);
      await eventually('the rows are the same', async () => isDeepStrictEqual(await column(page, view.columns[0].displayName), first), false);
      await page.locator('.PageSelector .last').click();
      await shows(page, total, `${Math.floor((total - 1) / 20) * 20 + 1} - ${total}`);
      await page.getByLabel('Select the maximum number of rows').selectOption('100');
      await shows(page, total, `1 - ${Math.min(100, total)}`);
      await eventually('rows', async () => (await column(page, view.columns[0].displayName)).length, Math.min(100, total));
    },
    'columns are chosen': async () => {
      const { displayName } = view.columns.find(({ canChangeShow, show }) => canChangeShow && !show);
      await page.getByLabel('Open column selection menu').click();
      await page.locator('.ColumnSelectButton').getByText(displayName, { exact: true }).click();
      await eventually('the column', async () => (await headers(page)).includes(displayName), true);
      await shoot(page, `${catalogue.name}-columns`);
      await page.keyboard.press('Escape');
    },
    'all rows of a filter are downloaded, with all columns': async () => {
      const [, count] = topOf(view.records, view.plain);
      await facet(page, view.plain).locator('.bucket-item').first().click();
      await shows(page, count);
      await page.getByLabel('Open downloads menu').click();
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByText('All columns').click()]);
      assert.equal(download.suggestedFilename(), 'all.tsv');
      const [header, ...lines] = readFileSync(await download.path(), 'utf8').trimEnd().split('\n');
      assert.deepEqual(header.split('\t'), view.columns.map(({ displayName }) => displayName));
      assert.ok(lines.length >= count, `${lines.length} lines of ${count} records`);
      await clear(page, view);
    },
  };
  let isBroken = false;
  const inTurn = (step) => async (inner) => {
    if (isBroken) return inner.skip('a step before it failed, and may have left a filter');
    isBroken = true;
    await step();
    isBroken = false;
  };
  for (const [name, step] of Object.entries(steps)) await context.test(name, inTurn(step));
  await context.test('nothing was complained about', async () => assert.deepEqual(await complaints(page), []));
  await page.context().close();
}

/** Chooses a field of each kind from the configs alone, and reads these fields of all records. */
async function viewOf(catalogue) {
  const { columns, defaultSorting, rowIdFieldName: row } = catalogue.table;
  const facets = catalogue.facets.aggregations
    .filter(({ show, displayType }) => show && FACETS_IN_THE_PACKAGE.includes(displayType))
    .map(({ fieldName, displayType }) => ({ fieldName: fieldName.replaceAll('__', '.'), displayType }));
  const isBelowNested = (fieldName) => catalogue.extended.some((field) => field.type === 'nested' && fieldName.startsWith(`${field.fieldName}.`));
  const facetOf = (displayType, isFit = () => true) =>
    facets.filter((found) => found.displayType === displayType && isFit(found.fieldName)).map(({ fieldName }) => fieldName);
  const inTable = (fieldName) => columns.some((shown) => shown.fieldName === fieldName);
  const searched = catalogue.extended.filter((field) => field.quickSearchEnabled && field.type === 'keyword' && inTable(field.fieldName));
  const [plain, other] = facetOf('keyword', (fieldName) => !isBelowNested(fieldName));
  const view = {
    columns,
    facets,
    row,
    plain,
    other,
    nested: facetOf('keyword', isBelowNested)[0],
    number: facetOf('long', isBelowNested)[0],
    date: facetOf('date')[0],
    boolean: facetOf('boolean')[0],
    search: [row, searched.map(({ fieldName }) => fieldName).find(isBelowNested)],
    sorted: columns.find(({ fieldName, displayType, show, sortable }) =>
      show && sortable && displayType === 'keyword' && !defaultSorting.some((key) => key.fieldName === fieldName)),
    nestedColumn: columns.find(({ fieldName, show }) => show && isBelowNested(fieldName)),
  };
  const fields = [row, plain, other, view.nested, view.number, view.date, view.boolean, ...view.search, view.sorted.fieldName, view.nestedColumn.fieldName];
  return { ...view, records: await recordsOf(catalogue, [...new Set(fields)]) };
}

function gqlName(fieldName) {
  return fieldName.replaceAll('.', '__');
}

function matching(records, fieldName, isWanted) {
  return records.filter((record) => valuesOf(record, fieldName).some(isWanted)).length;
}

/** The value that most records have in a field, and how many have it; the first by name where several are as frequent. */
function topOf(records, fieldName) {
  return [...countsOf(records, fieldName)].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))[0];
}

function facet(page, fieldName) {
  return page.locator(`.aggregation-group[data-fieldname="${fieldName}"]`);
}

/** Makes sure that a facet shows the most frequent values, with their counts. */
async function showsCounts(page, fieldName, records) {
  const counts = countsOf(records, fieldName);
  const best = [...counts.values()].sort((m, n) => n - m).slice(0, 5);
  const shown = async () => {
    const items = await facet(page, fieldName).locator('.bucket-item').allInnerTexts();
    return items.map((item) => item.split('\n').map((part) => part.trim())).filter(([value]) => value !== 'No Data');
  };
  const read = async () => (await shown()).map(([value, count]) => [count, counts.get(value)?.toLocaleString('en')]);
  await eventually(`counts of ${fieldName}`, read, best.map((count) => Array(2).fill(count.toLocaleString('en'))));
}

async function shows(page, total, rows) {
  const read = async () => (await page.locator('.currentlyDisplayed').innerText()).replace(/\s+/g, ' ');
  const expected = total === 0 ? /Showing 0/ : new RegExp(`Showing ${rows ?? '1 - [\\d,]+'} of ${total.toLocaleString('en')} `);
  await eventually(`the text matches ${expected}`, async () => expected.test(await read()) || read(), true);
}

/** Takes all filters away, and makes sure that everything is there again. */
async function clear(page, view) {
  await page.locator('.sqon-clear').click();
  await shows(page, view.records.length);
  await showsCounts(page, view.other, view.records);
}

/** Moves the lower end of a range, and returns where it is. An answer that comes in between puts it back: then once more. */
async function slideUp(page, fieldName) {
  const slider = facet(page, fieldName).locator('.input-range__slider').first();
  const chip = page.locator('.sqon-view .sqon-value');
  await eventually('the filter of a range', async () => {
    await slider.press('ArrowRight');
    await chip.waitFor({ timeout: 10_000 }).catch(() => {});
    return chip.count();
  }, 1);
  return Number(await chip.innerText());
}

async function search(page, text) {
  await page.getByPlaceholder('Quick Search').pressSequentially(text);
  await page.locator('.quick-search-result:not([title="Searching..."])').first().waitFor();
}

async function headers(page) {
  return (await page.locator('th.table_header[data-header]').allInnerTexts()).map((text) => text.trim()).filter(Boolean);
}

/** Returns the values that the first chart has bars for; of long ones the beginning. */
async function bars(page) {
  const texts = await page.locator('.chart').first().locator('svg text').allTextContents();
  return texts.filter((text) => !['Records', 'Value'].includes(text) && Number.isNaN(Number(text))).map((text) => text.replace('...', ''));
}

/** Returns the texts of a column. */
async function column(page, displayName) {
  const index = await page.locator(`th.table_header[data-header="${displayName}"]`).evaluate((header) => header.cellIndex);
  return page.locator('tbody.TableBody tr').evaluateAll((rows, cell) => rows.map((row) => row.cells[cell]?.innerText.trim() ?? ''), index);
}
