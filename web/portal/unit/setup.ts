// Tests expect English texts.

import { loadTexts } from '../src/texts';

await loadTexts('en');
