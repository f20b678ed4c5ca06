// Two texts side by side, with what was removed and added.

export interface DiffRow {
  left: string | null;
  right: string | null;
}

/** Compares lines. Rows with both sides have the same line; a changed line is one of each beside the other. */
export function diff(before: string, after: string): DiffRow[] {
  const left = before.split('\n');
  const right = after.split('\n');
  const common = commonLengths(left, right);
  const rows: DiffRow[] = [];
  let [i, j] = [0, 0];
  let removed: string[] = [];
  let added: string[] = [];
  const flush = () => {
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1) {
      rows.push({ left: removed[index] ?? null, right: added[index] ?? null });
    }
    removed = [];
    added = [];
  };
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && left[i] === right[j]) {
      flush();
      rows.push({ left: left[i] ?? '', right: right[j] ?? '' });
      i += 1;
      j += 1;
    } else if (j >= right.length || (i < left.length && (common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0))) {
      removed.push(left[i] ?? '');
      i += 1;
    } else {
      added.push(right[j] ?? '');
      j += 1;
    }
  }
  flush();
  return rows;
}

/** Returns for each pair of places how many lines the rests have in common, in their order. */
function commonLengths(left: string[], right: string[]): number[][] {
  const lengths = Array.from({ length: left.length + 1 }, () => new Array<number>(right.length + 1).fill(0));
  for (let i = left.length - 1; i >= 0; i -= 1) {
    for (let j = right.length - 1; j >= 0; j -= 1) {
      const row = lengths[i];
      if (!row) continue;
      row[j] =
        left[i] === right[j] ? (lengths[i + 1]?.[j + 1] ?? 0) + 1 : Math.max(lengths[i + 1]?.[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return lengths;
}
