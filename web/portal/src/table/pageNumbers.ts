// Which pages are offered by number.

/** How many pages are offered on either side of the current one. */
const BESIDE = 2;

/** Returns the first page, the last that can be reached by number, and those around the current one; null is a gap. */
export function numbers(page: number, last: number): (number | null)[] {
  const around = Array.from({ length: 2 * BESIDE + 1 }, (_, index) => page - BESIDE + index);
  const pages = [...new Set([1, ...around, last])].filter((each) => each >= 1 && each <= last);
  pages.sort((one, other) => one - other);
  return pages.flatMap((each, index) => {
    const before = pages[index - 1] ?? 0;
    if (each === before + 1) return [each];
    // A gap of one page is that page.
    return each === before + 2 ? [each - 1, each] : [null, each];
  });
}
