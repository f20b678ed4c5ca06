// The portal in a real browser against a real server; one server for all, since filling it takes longer than the tests.

import { after, before } from 'node:test';

import { start, START_PATIENCE, stop } from './support';

before(start, { timeout: START_PATIENCE });
after(stop);

await import('./explore');
await import('./numbers');
await import('./unconfigured');
await import('./table');
await import('./charts');
await import('./many');
await import('./branding');
await import('./basePath');
await import('./csv');
await import('./network');
await import('./takeaway');
await import('./manage');
await import('./submit');
await import('./keys');
await import('./trial');
await import('./states');
await import('./pages');
await import('./language');
