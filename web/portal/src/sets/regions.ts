// How many records two or three sets share, by region of a Venn diagram.
//
// A region is a number whose bits say which sets it lies in: 1 only in the first, 3 in the first and the second.

/** Returns the regions of some sets, each once. */
export function regionsOf(sets: number): number[] {
  return Array.from({ length: 2 ** sets - 1 }, (_, index) => index + 1);
}

function bits(region: number): number {
  return region === 0 ? 0 : (region & 1) + bits(region >> 1);
}

/** Returns how many records lie in exactly these sets, from how many lie at least in each combination. */
export function exactCounts(atLeast: ReadonlyMap<number, number>): Map<number, number> {
  const regions = [...atLeast.keys()];
  return new Map(
    regions.map((region): [number, number] => {
      const around = regions.filter((other) => (other & region) === region);
      const sign = (other: number) => ((bits(other) - bits(region)) % 2 ? -1 : 1);
      return [region, around.reduce((sum, other) => sum + sign(other) * (atLeast.get(other) ?? 0), 0)];
    }),
  );
}
