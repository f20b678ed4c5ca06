// The portal in a real browser against a real server; one server for all, since filling it takes longer than the tests.

import { after, before } from 'node:test';

import { start, stop } from './support.js';

before(start, { timeout: 240_000 });
after(stop);

await import('./explore.js');
await import('./takeaway.js');
await import('./manage.js');
await import('./keys.js');
await import('./trial.js');
await import('./pages.js');
