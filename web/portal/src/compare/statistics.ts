// Whether two shares, or two distributions, differ by more than chance.

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

/**
 * Tests whether two groups are distributed alike over the same steps (two-sample Kolmogorov-Smirnov test); null where that
 * cannot be told. Values within a step count as equal, so the test rather overlooks a difference than claims one.
 */
export function distributionTest(first: number[], second: number[]): number | null {
  const sum = (counts: number[]) => counts.reduce((all, count) => all + count, 0);
  const [ofFirst, ofSecond] = [sum(first), sum(second)];
  if (ofFirst === 0 || ofSecond === 0) return null;
  let [below, other, distance] = [0, 0, 0];
  first.forEach((count, step) => {
    below += count / ofFirst;
    other += (second[step] ?? 0) / ofSecond;
    distance = Math.max(distance, Math.abs(below - other));
  });
  const root = Math.sqrt((ofFirst * ofSecond) / (ofFirst + ofSecond));
  return farther((root + 0.12 + 0.11 / root) * distance);
}

/** Returns how likely a value of the Kolmogorov distribution is greater. */
function farther(x: number): number {
  // The series does not converge near zero, where the probability is 1 to many digits.
  if (x < 0.2) return 1;
  let p = 0;
  for (let term = 1; term <= 100; term += 1) p += 2 * (-1) ** (term - 1) * Math.exp(-2 * (term * x) ** 2);
  return Math.min(1, Math.max(0, p));
}

/** Writes a probability as papers do. */
export function probability(p: number): string {
  return p < 0.001 ? '< 0.001' : p.toFixed(3);
}
