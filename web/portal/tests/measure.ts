// Measures clicks on facets with sample data: `make portal-measure`.

import { measureClicks } from './clicks';
import { open, start, stop } from './support';

await start();
try {
  await measureClicks(await open('/portal/explore/files'));
} finally {
  await stop();
}
