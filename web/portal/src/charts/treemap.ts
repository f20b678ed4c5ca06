// Rectangles whose areas are as large as their values, as square as they can be (squarified treemap).

export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Lays out values, largest first, in a rectangle. The result has their order. */
export function layout(values: number[], whole: Rectangle): Rectangle[] {
  const total = values.reduce((sum, value) => sum + value, 0);
  if (total <= 0) return values.map(() => ({ ...whole, width: 0, height: 0 }));
  const scale = (whole.width * whole.height) / total;
  const areas = values.map((value) => value * scale);
  const placed: Rectangle[] = [];
  let free = whole;
  let row: number[] = [];
  for (const area of areas) {
    const side = Math.min(free.width, free.height);
    if (row.length === 0 || worst([...row, area], side) <= worst(row, side)) {
      row.push(area);
    } else {
      free = place(row, free, placed);
      row = [area];
    }
  }
  if (row.length) place(row, free, placed);
  return placed;
}

/** Returns how far the least square rectangle of a row is from a square. */
function worst(row: number[], side: number): number {
  const sum = row.reduce((total, area) => total + area, 0);
  const thickness = sum / side;
  return Math.max(
    ...row.map((area) => {
      const length = area / thickness;
      return Math.max(length / thickness, thickness / length);
    }),
  );
}

/** Puts a row along the shorter side, and returns what stays free. */
function place(row: number[], free: Rectangle, placed: Rectangle[]): Rectangle {
  const sum = row.reduce((total, area) => total + area, 0);
  const isUpright = free.width >= free.height;
  const thickness = sum / (isUpright ? free.height : free.width) || 0;
  let along = isUpright ? free.y : free.x;
  for (const area of row) {
    const length = thickness ? area / thickness : 0;
    placed.push(
      isUpright
        ? { x: free.x, y: along, width: thickness, height: length }
        : { x: along, y: free.y, width: length, height: thickness },
    );
    along += length;
  }
  return isUpright
    ? { ...free, x: free.x + thickness, width: free.width - thickness }
    : { ...free, y: free.y + thickness, height: free.height - thickness };
}
