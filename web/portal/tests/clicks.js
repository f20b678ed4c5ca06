// How long after the answer the page shows what a click on a facet led to.
//
// Each second click takes back the one before. An answer has arrived when its last byte has; it is shown once the frame
// after the change is on the screen.

import { total } from './support.js';

const CLICKS = 30;

/** Clicks on values of one facet after the other on the page of a catalogue, and prints how long they took. */
export async function measureClicks(page) {
  const records = await total(page);
  const facets = page.locator('.explore-side .facet:has(.facet-value)');
  const count = await facets.count();
  const times = [];
  for (let click = 0; click < CLICKS; click += 1) {
    const values = facets.nth(Math.floor(click / 2) % count).locator('.facet-value');
    const chosen = values.filter({ has: page.locator(':checked') });
    const shown = page.evaluate(untilShown);
    await ((await chosen.count()) ? chosen : values).first().click();
    times.push(await shown);
  }
  console.log(`${CLICKS} clicks over ${records} records, in milliseconds:`);
  report(
    'from the answer to the screen',
    times.map(({ answered, painted }) => painted - answered),
  );
  report(
    'from the click to the screen',
    times.map(({ clicked, painted }) => painted - clicked),
  );
}

/** Runs in the page: waits for a click, its answer and the frame that shows it, and returns when each of them was. */
function untilShown() {
  return new Promise((resolve) => {
    let clicked = 0;
    document.addEventListener('click', ({ timeStamp }) => (clicked ||= timeStamp), { capture: true, once: true });
    const observer = new MutationObserver(() => {
      if (!clicked || document.querySelector('.result-count').getAttribute('aria-busy') === 'true') return;
      observer.disconnect();
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => {
          const answers = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/graphql'));
          resolve({ clicked, answered: answers.at(-1).responseEnd, painted: performance.now() });
        };
        port2.postMessage(null);
      });
    });
    const watched = { attributes: true, attributeFilter: ['aria-busy'] };
    observer.observe(document.querySelector('.result-count'), watched);
  });
}

function report(what, times) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.ceil(share * sorted.length) - 1].toFixed(0);
  console.log(`${what}: median ${at(0.5)}, p95 ${at(0.95)}, longest ${at(1)}`);
}
