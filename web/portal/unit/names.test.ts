import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { flatName } from '../src/api/catalogue';

// The server is tested with the same names, most of which are random.
const file = new URL('../../../crates/catalogue/tests/catalogue/golden/names.json', import.meta.url);
const names = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;

test('fields have the names of the schema', () => {
  expect(Object.keys(names).length).toBeGreaterThan(200);
  expect(Object.fromEntries(Object.keys(names).map((name) => [name, flatName(name)]))).toEqual(names);
});
