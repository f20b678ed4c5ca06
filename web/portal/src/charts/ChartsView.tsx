// The result as charts, drawn from the counts of the facets without further requests.

import { lazy, Suspense } from 'react';

import type { Facet } from '../api/catalogue';
import { Icon } from '../design/Icon';
import { Popover } from '../design/Popover';
import { useExplore } from '../explore/context';
import type { ChartChoice } from '../explore/urlState';
import { countable } from '../facets/chosenFacets';
import { FieldPicker } from '../facets/FieldPicker';
import { texts } from '../texts';
import { ExportMenu } from './ExportMenu';
import { HistogramChart } from './HistogramChart';
import { numbersOf } from './numbers';
import { ValuesChart } from './ValuesChart';
import './charts.css';

const CrossChart = lazy(() => import('./CrossChart'));

const AT_FIRST = 6;
export const FORMS = ['bars', 'treemap'] as const;

/** Returns the charts to show: those chosen, else a few of each kind in the order of the facets. */
function chartsOf(facets: Facet[], chosen: ChartChoice[] | null): ChartChoice[] {
  if (chosen) return chosen;
  const picked: ChartChoice[] = [];
  let values = 0;
  for (const { field, show } of facets) {
    if (!show || picked.length >= AT_FIRST || field.kind === 'boolean') continue;
    const isStepped = field.kind === 'number' || field.kind === 'date';
    const ofKind = picked.filter(({ form }) => form === (isStepped ? 'steps' : 'values')).length;
    if (isStepped ? ofKind >= 3 : values >= 4) continue;
    if (!isStepped) values += 1;
    picked.push({ field: field.name, form: isStepped ? 'steps' : values === 2 ? 'treemap' : 'bars' });
  }
  return picked;
}

export default function ChartsView() {
  const { catalogue, state, change, view, extent } = useExplore();
  const charts = chartsOf(catalogue.facets, state.charts);
  const set = (next: ChartChoice[]) => change({ ...state, charts: next });
  const shown = new Set(charts.map(({ field }) => field));
  const toggle = ({ field }: Facet) => {
    const isStepped = field.kind === 'number' || field.kind === 'date';
    set(
      shown.has(field.name)
        ? charts.filter((chart) => chart.field !== field.name)
        : [...charts, { field: field.name, form: isStepped ? 'steps' : 'bars' }],
    );
  };
  return (
    <div className="stack">
      <div className="row spread wrap">
        <p className="soft small">{texts.charts.hint}</p>
        <Popover label={texts.charts.choose} icon="chart" className="button">
          {() => (
            <FieldPicker
              title={texts.charts.charts}
              chosen={catalogue.facets.filter(({ field }) => shown.has(field.name))}
              all={countable(catalogue)}
              onToggle={toggle}
              onReset={state.charts ? () => change({ ...state, charts: null }) : null}
            />
          )}
        </Popover>
      </div>
      <div className="charts">
        {charts.map((chart) => {
          const facet = catalogue.facets.find(({ field }) => field.name === chart.field);
          if (!facet) return null;
          const others = charts.filter((each) => each !== chart);
          return (
            <figure key={chart.field} className="card chart">
              <figcaption className="row">
                <h3 className="grow">{facet.label}</h3>
                {facet.field.kind !== 'number' && facet.field.kind !== 'date' && (
                  <div className="segments" role="group" aria-label={texts.charts.formOf(facet.label)}>
                    {FORMS.map((form) => (
                      <button
                        key={form}
                        type="button"
                        aria-pressed={form === chart.form}
                        onClick={() => set(charts.map((each) => (each === chart ? { ...chart, form } : each)))}
                      >
                        {form === 'bars' ? texts.charts.bars : texts.charts.areas}
                      </button>
                    ))}
                  </div>
                )}
                <ExportMenu numbers={numbersOf(facet, view.answer, extent?.bins.get(facet.field.name))} />
                <button
                  type="button"
                  className="button plain compact icon-only"
                  aria-label={texts.charts.remove(facet.label)}
                  onClick={() => set(others)}
                >
                  <Icon name="close" size={14} />
                </button>
              </figcaption>
              {facet.field.kind === 'number' || facet.field.kind === 'date' ? (
                <HistogramChart facet={facet} />
              ) : (
                <ValuesChart facet={facet} form={chart.form} />
              )}
            </figure>
          );
        })}
      </div>
      {/* It counts in the catalogue alone. */}
      {!view.answer?.network && (
        <Suspense fallback={null}>
          <CrossChart />
        </Suspense>
      )}
    </div>
  );
}
