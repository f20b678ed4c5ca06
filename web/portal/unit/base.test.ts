import { expect, test } from 'vitest';

import { basePathOf, serverPath } from '../src/api/base';

test('the path of the server is what precedes the scripts of the portal', () => {
  expect(basePathOf('https://h/assets/portal/index-a1.js')).toBe('');
  expect(basePathOf('https://h/data/catalogue/assets/portal/index-a1.js')).toBe('/data/catalogue');
  expect(basePathOf('http://127.0.0.1:5173/src/api/base.ts')).toBe('');
  expect(serverPath('/studies/all')).toBe('/studies/all');
});
