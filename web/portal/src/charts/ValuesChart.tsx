// The values of a field as bars or as areas; each filters on click.

import type { Facet } from '../api/catalogue';
import { count, valueText } from '../design/format';
import type { Bucket } from '../explore/answer';
import { useExplore } from '../explore/context';
import { barOf, type Share, textOf, valueShares } from '../network/shares';
import { filterOf, toggled, withFilter } from '../query/edit';
import { texts } from '../texts';
import { layout } from './treemap';

const BARS = 10;
const AREAS = 18;
/** The shortest side of an area in pixels, large enough to be tapped on a phone. */
const MIN_SIDE = 40;
const WIDTH = 480;
const HEIGHT = 268;

export function ValuesChart({ facet, form }: { facet: Facet; form: string }) {
  const { catalogue, state, setFilter, view } = useExplore();
  const { field } = facet;
  const counts = view.answer?.terms.get(field.name);
  const filter = filterOf(state.filter, field.name);
  if (!counts || counts.buckets.length === 0) return <p className="chart-none">{texts.charts.noValues}</p>;
  const toggle = (bucket: Bucket) =>
    setFilter(
      withFilter(state.filter, field.name, toggled({ ...filter, mode: 'include' }, bucket.value), catalogue.nesting),
    );
  const props = {
    buckets: counts.buckets,
    name: (bucket: Bucket) => valueText(bucket.value, field),
    shares: (bucket: Bucket) => valueShares(view.answer?.network, field.name, bucket.value),
    isChosen: (bucket: Bucket) => filter.values.includes(bucket.value),
    isPlain: filter.values.length === 0,
    onToggle: toggle,
  };
  const shown = form === 'treemap' ? largeEnough(counts.buckets) : Math.min(BARS, counts.buckets.length);
  const hidden = counts.distinct - shown;
  return (
    <>
      {form === 'treemap' ? <Areas {...props} /> : <Bars {...props} />}
      {hidden > 0 && <p className="faint small">{texts.charts.andMore(count(hidden))}</p>}
    </>
  );
}

function areasOf(buckets: Bucket[], number: number) {
  return layout(
    buckets.slice(0, number).map((bucket) => bucket.count),
    { x: 0, y: 0, width: WIDTH, height: HEIGHT },
  );
}

/** Returns how many values can be areas of a good size. */
function largeEnough(buckets: Bucket[]): number {
  let number = Math.min(AREAS, buckets.length);
  while (number > 1 && areasOf(buckets, number).some(({ width, height }) => Math.min(width, height) < MIN_SIDE))
    number -= 1;
  return number;
}

interface PictureProps {
  buckets: Bucket[];
  name: (bucket: Bucket) => string;
  /** The parts of the nodes; none outside of a network. */
  shares: (bucket: Bucket) => Share[];
  isChosen: (bucket: Bucket) => boolean;
  isPlain: boolean;
  onToggle: (bucket: Bucket) => void;
}

function Bars({ buckets, name, shares, isChosen, isPlain, onToggle }: PictureProps) {
  const shown = buckets.slice(0, BARS);
  const most = Math.max(1, ...shown.map((bucket) => bucket.count));
  return (
    <ul className="bars">
      {shown.map((bucket) => (
        <li key={String(bucket.value)}>
          <button
            type="button"
            aria-pressed={isChosen(bucket)}
            className={isPlain || isChosen(bucket) ? '' : 'pale'}
            title={textOf(shares(bucket))}
            onClick={() => onToggle(bucket)}
          >
            <span className="bar-name">{name(bucket)}</span>
            <span className="bar-track" aria-hidden="true">
              <span style={{ width: `${(bucket.count / most) * 100}%`, background: barOf(shares(bucket), 'right') }} />
            </span>
            <span className="number small">{count(bucket.count)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function Areas({ buckets, name, shares, isChosen, isPlain, onToggle }: PictureProps) {
  const shown = buckets.slice(0, largeEnough(buckets));
  const places = areasOf(buckets, shown.length);
  return (
    <div className="areas" style={{ aspectRatio: `${WIDTH} / ${HEIGHT}` }}>
      {shown.map((bucket, index) => {
        const place = places[index];
        if (!place) return null;
        const hasRoom = place.width > 52 && place.height > 24;
        return (
          <button
            key={String(bucket.value)}
            type="button"
            aria-pressed={isChosen(bucket)}
            title={[`${name(bucket)}: ${count(bucket.count)}`, textOf(shares(bucket))].filter(Boolean).join('; ')}
            className={isPlain || isChosen(bucket) ? '' : 'pale'}
            style={{
              left: `${(place.x / WIDTH) * 100}%`,
              top: `${(place.y / HEIGHT) * 100}%`,
              width: `${(place.width / WIDTH) * 100}%`,
              height: `${(place.height / HEIGHT) * 100}%`,
            }}
            onClick={() => onToggle(bucket)}
          >
            <span className={hasRoom ? 'area-name' : 'visually-hidden'}>{name(bucket)} </span>
            <span className={hasRoom && place.height > 42 ? 'number small' : 'visually-hidden'}>
              {count(bucket.count)}
            </span>
          </button>
        );
      })}
    </div>
  );
}
