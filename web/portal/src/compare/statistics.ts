// Whether two shares differ by more than chance.

/** Returns how likely a value of the standard normal distribution is farther from zero (Abramowitz, 7.1.26). */
export function twoSided(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return series * Math.exp(-x * x);
}

/** Tests whether two groups have a value equally often (two-proportion z-test); null where that cannot be told. */
export function shareTest(first: number, ofFirst: number, second: number, ofSecond: number): number | null {
  if (ofFirst === 0 || ofSecond === 0) return null;
  const pooled = (first + second) / (ofFirst + ofSecond);
  const deviation = Math.sqrt(pooled * (1 - pooled) * (1 / ofFirst + 1 / ofSecond));
  // All or none of both have it: there is nothing to compare.
  if (deviation === 0) return null;
  return twoSided((first / ofFirst - second / ofSecond) / deviation);
}

/** Writes a probability as papers do. */
export function probability(p: number): string {
  return p < 0.001 ? '< 0.001' : p.toFixed(3);
}
