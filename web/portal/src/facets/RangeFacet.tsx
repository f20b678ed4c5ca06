// A facet of numbers or dates: a histogram with two handles, and fields for exact bounds.

import { useId, useState } from 'react';

import type { Field } from '../api/catalogue';
import { count, day, numberText, quantity, readNumber } from '../design/format';
import { useExplore } from '../explore/context';
import { barOf, stepShares } from '../network/shares';
import { type Range, rangeOf, withRange } from '../query/edit';
import { texts } from '../texts';
import { type Bins, numberBelow, stepName } from './bins';
import { RangeHandle } from './RangeHandle';

const DAY = 86_400_000;

interface RangeFacetProps {
  field: Field;
  label: string;
  bins: Bins;
}

export function RangeFacet({ field, label, bins }: RangeFacetProps) {
  const { catalogue, state, setFilter, view } = useExplore();
  const { edges } = bins;
  const steps = view.answer?.steps.get(field.name) ?? [];
  const range = rangeOf(state.filter, field.name);
  const chosen = handlesOf(range, field, edges);
  // The filter changes when the handle is released.
  const [dragged, setDragged] = useState<[number, number] | null>(null);
  const [low, high] = dragged ?? chosen;
  const last = edges.length - 1;
  const apply = (next: Range) => setFilter(withRange(state.filter, field.name, next, catalogue.nesting));
  const settle = () => {
    if (dragged && (dragged[0] !== chosen[0] || dragged[1] !== chosen[1])) apply(rangeFrom(dragged, field, bins));
    setDragged(null);
  };
  const name = (edge: number) => (field.kind === 'date' ? day(edges[edge] ?? 0) : quantity(edges[edge] ?? 0, field));
  const most = Math.max(1, ...steps);
  return (
    <div className="facet-body">
      <div className="range-picture" aria-hidden="true">
        {steps.map((records, index) => (
          <span
            key={edges[index]}
            className={index >= low && index < high ? 'in' : ''}
            title={`${field.kind === 'date' ? stepName(edges[index] ?? 0, edges[index + 1] ?? 0) : `${name(index)} – ${name(index + 1)}`}: ${count(records)}`}
            style={{
              height: records ? `${Math.max(4, (records / most) * 100)}%` : 0,
              // Outside of the range the bar stays pale.
              background:
                index >= low && index < high
                  ? barOf(stepShares(view.answer?.network, field.name, index), 'top')
                  : undefined,
            }}
          />
        ))}
      </div>
      <div className="range-track">
        <span
          className="range-reach"
          style={{ left: `${(low / last) * 100}%`, right: `${100 - (high / last) * 100}%` }}
        />
        <RangeHandle
          label={texts.facets.from(label)}
          at={low}
          least={0}
          most={high - 1}
          last={last}
          text={name(low)}
          onMove={(at) => setDragged([at, high])}
          onSettle={settle}
        />
        <RangeHandle
          label={texts.facets.to(label)}
          at={high}
          least={low + 1}
          most={last}
          last={last}
          text={name(high)}
          onMove={(at) => setDragged([low, at])}
          onSettle={settle}
        />
      </div>
      <Bounds field={field} label={label} range={range} hint={[name(0), name(last)]} onApply={apply} />
    </div>
  );
}

/** Returns the bins that the handles are at. */
function handlesOf({ from, to }: Range, field: Field, edges: number[]): [number, number] {
  const last = edges.length - 1;
  const low =
    from === null
      ? 0
      : Math.max(
          0,
          edges.findLastIndex((edge) => edge <= asNumber(from, field)),
        );
  const at = to === null ? last : edges.findIndex((edge) => edge > asNumber(to, field));
  const high = at < 0 ? last : at;
  return [Math.min(low, last - 1), Math.max(high, Math.min(low, last - 1) + 1)];
}

function asNumber(value: number | string, field: Field): number {
  return field.kind === 'date' && typeof value === 'string' ? Date.parse(value) : Number(value);
}

/** Returns the range between two handles; a handle at the end of the track sets no bound. */
export function rangeFrom([low, high]: [number, number], field: Field, { edges, isWhole }: Bins): Range {
  const last = edges.length - 1;
  const begin = edges[low] ?? 0;
  const end = edges[high] ?? 0;
  if (field.kind === 'date') return { from: low === 0 ? null : day(begin), to: high === last ? null : day(end - DAY) };
  const to = isWhole ? end - 1 : numberBelow(end, field.type);
  return { from: low === 0 ? null : begin, to: high === last ? null : to };
}

interface BoundsProps {
  field: Field;
  label: string;
  range: Range;
  hint: [string, string];
  onApply: (range: Range) => void;
}

function boundsOf({ from, to }: Range): [string, string] {
  const text = (bound: number | string | null) => (typeof bound === 'number' ? numberText(bound) : (bound ?? ''));
  return [text(from), text(to)];
}

function Bounds({ field, label, range, hint, onApply }: BoundsProps) {
  const [typed, setTyped] = useState(() => boundsOf(range));
  const [shown, setShown] = useState(range);
  const id = useId();
  if (shown.from !== range.from || shown.to !== range.to) {
    setShown(range);
    setTyped(boundsOf(range));
  }
  const read = (text: string): number | string | null => {
    if (!text.trim()) return null;
    if (field.kind === 'date') return text.trim();
    const value = readNumber(text);
    return Number.isFinite(value) ? value : null;
  };
  const [from, to] = [read(typed[0]), read(typed[1])];
  const isReversed = from !== null && to !== null && asNumber(from, field) > asNumber(to, field);
  const apply = () => {
    if (!isReversed && (from !== range.from || to !== range.to)) onApply({ from, to });
  };
  const box = (which: 0 | 1, name: string) => (
    <>
      <label className="visually-hidden" htmlFor={`${id}${which}`}>
        {name}
        {field.unit && texts.facets.inUnit(field.unit)}
      </label>
      <input
        id={`${id}${which}`}
        type={field.kind === 'date' ? 'date' : 'text'}
        inputMode={field.kind === 'date' ? undefined : 'decimal'}
        className="number"
        placeholder={hint[which]}
        value={typed[which]}
        aria-invalid={isReversed || undefined}
        onBlur={apply}
        onChange={(event) => setTyped(which === 0 ? [event.target.value, typed[1]] : [typed[0], event.target.value])}
      />
    </>
  );
  return (
    <form
      className="range-bounds"
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      {box(0, texts.facets.atLeast(label))}
      <span className="faint" aria-hidden="true">
        {texts.facets.until}
      </span>
      {box(1, texts.facets.atMost(label))}
      <button type="submit" className="visually-hidden">
        {texts.facets.apply(label)}
      </button>
      {isReversed && (
        <p className="mistake range-mistake" role="alert">
          {texts.facets.reversed}
        </p>
      )}
    </form>
  );
}
