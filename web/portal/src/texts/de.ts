// The words of the pages in German; see en.ts.

import type { Texts } from './en';

export const texts: Texts = {
  shell: {
    language: 'Sprache',
  },
};
