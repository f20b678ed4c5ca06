// A histogram of numbers or dates; a bin filters on click.

import type { Facet } from '../api/catalogue';
import { compactNumber, count, day, quantity } from '../design/format';
import { useExplore } from '../explore/context';
import { stepName } from '../facets/bins';
import { rangeFrom } from '../facets/RangeFacet';
import { nodeColour, stepShares, textOf } from '../network/shares';
import { rangeOf, withRange } from '../query/edit';
import { texts } from '../texts';

const WIDTH = 480;
const HEIGHT = 240;
const LEFT = 44;
const BOTTOM = 24;
const TOP = 8;

export function HistogramChart({ facet }: { facet: Facet }) {
  const { catalogue, state, setFilter, view, extent } = useExplore();
  const { field } = facet;
  const bins = extent?.bins.get(field.name);
  const steps = view.answer?.steps.get(field.name);
  if (!bins || !steps || steps.every((records) => records === 0))
    return <p className="chart-none">{texts.charts.noValues}</p>;
  const { edges } = bins;
  const range = rangeOf(state.filter, field.name);
  const isFiltered = range.from !== null || range.to !== null;
  const asNumber = (value: number | string | null) => (typeof value === 'string' ? Date.parse(value) : value);
  const isIn = (index: number) =>
    (asNumber(range.from) ?? -Infinity) < (edges[index + 1] ?? 0) &&
    (asNumber(range.to) ?? Infinity) >= (edges[index] ?? 0);
  const most = niceTop(Math.max(...steps));
  const width = (WIDTH - LEFT) / steps.length;
  const y = (records: number) => TOP + (HEIGHT - BOTTOM - TOP) * (1 - records / most);
  const edgeName = (index: number) =>
    field.kind === 'date'
      ? stepName(edges[index] ?? 0, edges[index + 1] ?? (edges[index] ?? 0) + 1)
      : quantity(edges[index] ?? 0, field);
  const name = (index: number) =>
    field.kind === 'date'
      ? edgeName(index)
      : texts.charts.fromTo(edgeName(index), quantity(edges[index + 1] ?? 0, field));
  const pick = (index: number) => {
    const only = rangeFrom([index, index + 1], field, bins);
    // A step at either end is bounded on both sides too: one step was clicked, not everything up to it.
    const from = only.from ?? (field.kind === 'date' ? day(edges[0] ?? 0) : (edges[0] ?? 0));
    const isSame = range.from === from && range.to === only.to;
    const next = isSame ? { from: null, to: null } : { from, to: only.to };
    setFilter(withRange(state.filter, field.name, next, catalogue.nesting));
  };
  const title = (index: number, records: number) => {
    const parts = textOf(stepShares(view.answer?.network, field.name, index));
    return `${name(index)}: ${count(records)}${parts ? ` (${parts})` : ''}`;
  };
  const every = Math.ceil(steps.length / 6);
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      className="steps"
      role="group"
      aria-label={field.kind === 'date' ? texts.charts.timeLine(facet.label) : texts.charts.histogram(facet.label)}
    >
      {[0, 0.5, 1].map((part) => (
        <g key={part} aria-hidden="true">
          <line x1={LEFT} x2={WIDTH} y1={y(most * part)} y2={y(most * part)} className="grid" />
          <text x={LEFT - 6} y={y(most * part) + 4} textAnchor="end">
            {compactNumber(most * part)}
          </text>
        </g>
      ))}
      {steps.map((records, index) => (
        <g
          key={edges[index]}
          role="button"
          tabIndex={0}
          aria-label={`${name(index)}: ${count(records)}`}
          aria-pressed={isFiltered && isIn(index)}
          className={!isFiltered || isIn(index) ? 'step' : 'step pale'}
          onClick={() => pick(index)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' && event.key !== ' ') return;
            event.preventDefault();
            pick(index);
          }}
        >
          <title>{title(index, records)}</title>
          <rect x={LEFT + index * width} y={TOP} width={width} height={HEIGHT - BOTTOM - TOP} className="reach" />
          <rect
            x={LEFT + index * width + 1}
            y={Math.min(y(records), records ? HEIGHT - BOTTOM - 2 : HEIGHT - BOTTOM)}
            width={Math.max(1, width - 2)}
            height={Math.max(records ? 2 : 0, HEIGHT - BOTTOM - y(records))}
            rx={2}
            className="bar"
          />
          {stepShares(view.answer?.network, field.name, index).map(({ node, from, to }) => (
            <rect
              key={node}
              x={LEFT + index * width + 1}
              y={y(to)}
              width={Math.max(1, width - 2)}
              height={y(from) - y(to)}
              className="part"
              style={{ fill: nodeColour(node) }}
            />
          ))}
        </g>
      ))}
      {steps.map(
        (_, index) =>
          index % every === 0 && (
            <text key={edges[index]} x={LEFT + index * width} y={HEIGHT - 6} aria-hidden="true">
              {edgeName(index)}
            </text>
          ),
      )}
    </svg>
  );
}

function niceTop(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return ([1, 2, 4, 5, 6, 8, 10].find((factor) => factor * power >= value) ?? 10) * power;
}
