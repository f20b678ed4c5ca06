// Measures the time from a click on a facet, and from the answer to it, until the page shows the new result.
//
// Each second click reverts the one before. An answer has arrived with its last byte; it is shown when the frame after the
// change has been painted.

import type { Page } from 'playwright-core';

import { total } from './support';

const CLICKS = 30;

/** Clicks on values of one facet after the other on the page of a catalogue, and prints how long they took. */
export async function measureClicks(page: Page) {
  const records = await total(page);
  const facets = page.locator('.explore-side .facet:has(.facet-value)');
  const count = await facets.count();
  const times: ClickTimes[] = [];
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

interface ClickTimes {
  clicked: number;
  answered: number;
  painted: number;
}

/** Runs in the page: waits for a click, its answer and the frame that shows it, and returns when each of them was. */
function untilShown(): Promise<ClickTimes> {
  return new Promise((resolve) => {
    const counter = document.querySelector('.result-count')!;
    let clicked = 0;
    document.addEventListener('click', ({ timeStamp }) => (clicked ||= timeStamp), { capture: true, once: true });
    const observer = new MutationObserver(() => {
      if (!clicked || counter.getAttribute('aria-busy') === 'true') return;
      observer.disconnect();
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => {
          const requests = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
          const answers = requests.filter(({ name }) => name.includes('/graphql'));
          resolve({ clicked, answered: answers.at(-1)!.responseEnd, painted: performance.now() });
        };
        port2.postMessage(null);
      });
    });
    const watched = { attributes: true, attributeFilter: ['aria-busy'] };
    observer.observe(counter, watched);
  });
}

function report(what: string, times: number[]) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1]?.toFixed(0);
  console.log(`${what}: median ${at(0.5)}, p95 ${at(0.95)}, longest ${at(1)}`);
}
