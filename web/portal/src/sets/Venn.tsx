// A Venn diagram of two or three sets with the number of records in each region.

import { count } from '../design/format';
import { texts } from '../texts';

const CIRCLES: Record<number, [x: number, y: number][]> = {
  2: [
    [110, 90],
    [190, 90],
  ],
  3: [
    [110, 85],
    [190, 85],
    [150, 150],
  ],
};

/** Where the numbers of the regions stand. */
const PLACES: Record<number, Record<number, [x: number, y: number]>> = {
  2: { 1: [75, 95], 2: [225, 95], 3: [150, 95] },
  3: { 1: [75, 75], 2: [225, 75], 3: [150, 70], 4: [150, 190], 5: [108, 130], 6: [192, 130], 7: [150, 112] },
};

interface VennProps {
  names: string[];
  counts: ReadonlyMap<number, number>;
}

export function Venn({ names, counts }: VennProps) {
  const circles = CIRCLES[names.length];
  const places = PLACES[names.length];
  if (!circles || !places) return null;
  const said = [...counts].map(([region, records]) => {
    const within = names.filter((_, index) => region & (1 << index));
    return `${within.length === names.length ? texts.sets.all : texts.sets.only(within)}: ${count(records)}`;
  });
  return (
    <svg
      className="venn"
      viewBox={`0 0 300 ${names.length === 2 ? 180 : 235}`}
      role="img"
      aria-label={texts.sets.recordsIn(said)}
    >
      {circles.map(([x, y], index) => (
        <circle key={names[index]} cx={x} cy={y} r={72} className={`venn-${index}`}>
          <title>{names[index]}</title>
        </circle>
      ))}
      {[...counts].map(([region, records]) => {
        const place = places[region];
        return (
          place && (
            <text key={region} x={place[0]} y={place[1]} textAnchor="middle">
              {count(records)}
            </text>
          )
        );
      })}
    </svg>
  );
}
