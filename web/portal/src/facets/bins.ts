// The bins of a histogram: few enough to be seen, with round bounds, independent of the filter.

export interface Bins {
  /** The bounds of the bins, one more than there are bins. */
  edges: number[];
  /** Whether the bins are logarithmic. */
  isLogarithmic: boolean;
  /** Bounds are integers: a bin ends one below the next. */
  isWhole: boolean;
}

const WANTED = 24;
const DAY = 86_400_000;

/** Returns the bins for numbers between two values. */
export function numberBins(min: number, max: number, isWhole: boolean): Bins {
  if (!(max > min))
    return { edges: [min, isWhole ? min + 1 : min + (Math.abs(min) || 1) * 0.01], isLogarithmic: false, isWhole };
  if (min > 0 && max / min >= 10_000) return { edges: powers(min, max), isLogarithmic: true, isWhole };
  const step = Math.max(niceStep((max - min) / WANTED), isWhole ? 1 : 0);
  const first = Math.floor(min / step);
  const last = Math.floor(max / step) + 1;
  const edges = Array.from({ length: last - first + 1 }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  );
  return { edges, isLogarithmic: false, isWhole };
}

/**
 * Returns the greatest number of a field that is less than another one. A bin ends before the next begins, and a filter
 * has no bound that is not part of it.
 */
export function numberBelow(value: number, type: string): number {
  const step = value > 0 ? -1 : 1;
  if (type === 'float' || type === 'half_float') {
    const single = new Float32Array([value]);
    const bits = new Int32Array(single.buffer);
    bits[0] = (bits[0] ?? 0) + step;
    return value === 0 ? -1e-45 : (single[0] ?? value);
  }
  const double = new Float64Array([value]);
  const bits = new BigInt64Array(double.buffer);
  bits[0] = (bits[0] ?? 0n) + BigInt(step);
  return value === 0 ? -Number.MIN_VALUE : (double[0] ?? value);
}

function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  return ([1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999) ?? 10) * power;
}

/** Returns 1, 2, 5, 10, 20, 50 … around two values; whole powers of ten where that would be too many. */
function powers(min: number, max: number): number[] {
  const decades = Math.log10(max / min);
  const factors = decades > 10 ? [1] : decades > 8 ? [1, 3] : [1, 2, 5];
  const all: number[] = [];
  for (let power = Math.floor(Math.log10(min)); power <= Math.ceil(Math.log10(max)) + 1; power += 1) {
    all.push(...factors.map((factor) => Number((factor * 10 ** power).toPrecision(12))));
  }
  const first = all.findLastIndex((edge) => edge <= min);
  const last = all.findIndex((edge) => edge > max);
  return all.slice(Math.max(0, first), last < 0 ? undefined : last + 1);
}

/** Returns the bins for times between two values: days, weeks, months, quarters, years. */
export function dateBins(min: number, max: number): Bins {
  const days = (max - min) / DAY;
  const edges =
    days <= 35
      ? everyDays(min, max, 1)
      : days <= 200
        ? everyDays(min, max, 7)
        : days <= 365 * 3.2
          ? everyMonths(min, max, 1)
          : days <= 365 * 10
            ? everyMonths(min, max, 3)
            : everyMonths(min, max, 12 * Math.max(1, Math.ceil(days / 365 / 40)));
  return { edges, isLogarithmic: false, isWhole: true };
}

function everyDays(min: number, max: number, step: number): number[] {
  const edges = [Math.floor(min / DAY) * DAY];
  while ((edges.at(-1) ?? max) <= max) edges.push((edges.at(-1) ?? 0) + step * DAY);
  return edges;
}

function everyMonths(min: number, max: number, step: number): number[] {
  const begin = new Date(min);
  const year = begin.getUTCFullYear();
  const month = step >= 12 ? 0 : Math.floor(begin.getUTCMonth() / step) * step;
  const edges = [Date.UTC(year, month)];
  while ((edges.at(-1) ?? max) <= max) edges.push(Date.UTC(year, month + edges.length * step));
  return edges;
}

/** Returns the label of the bin that begins at a time. */
export function stepName(from: number, to: number): string {
  const text = new Date(from).toISOString();
  const days = Math.round((to - from) / DAY);
  if (days >= 360)
    return days > 370 ? `${text.slice(0, 4)}–${new Date(to - 1).toISOString().slice(0, 4)}` : text.slice(0, 4);
  if (days >= 85) return `${text.slice(0, 4)} Q${Math.floor(new Date(from).getUTCMonth() / 3) + 1}`;
  return days >= 28 ? text.slice(0, 7) : text.slice(0, 10);
}
