// Two fields against each other, as a table, as stacked bars or side by side. A number filters by both values.

import { skipToken, useQuery } from '@tanstack/react-query';

import type { Facet } from '../api/catalogue';
import { graphql } from '../api/client';
import { SelectField } from '../design/Field';
import { count, valueText } from '../design/format';
import { ErrorNotice, Skeleton } from '../design/Notice';
import { ScrollX } from '../design/ScrollX';
import { useExplore } from '../explore/context';
import { CROSS_FORMS, type CrossChoice, type CrossForm } from '../explore/urlState';
import { countable } from '../facets/chosenFacets';
import { texts } from '../texts';
import { chooseColumn, type CrossFields, type CrossRow, crossRequest, MAX_COLUMNS, readCross } from './crossTable';
import { ExportMenu } from './ExportMenu';

export default function CrossChart() {
  const { catalogue, state, change } = useExplore();
  const facets = countable(catalogue);
  const grouping = facets.filter(({ field }) => field.kind === 'terms' || field.kind === 'boolean');
  const { cross } = state;
  const set = (next: CrossChoice | null) => change({ ...state, cross: next });
  const first = facets.find(({ field }) => field.name === cross?.first);
  const second = grouping.find(({ field }) => field.name === cross?.second);
  const choose = (part: Partial<CrossChoice>) =>
    set({ first: cross?.first ?? '', second: cross?.second ?? '', form: cross?.form ?? 'table', ...part });
  const options = (list: Facet[]) => [
    <option key="" value="">
      {texts.charts.chooseField}
    </option>,
    ...list.map(({ field, label }) => (
      <option key={field.name} value={field.name}>
        {label}
      </option>
    )),
  ];
  return (
    <section className="card stack" aria-label={texts.charts.twoFields}>
      <div className="row wrap cross-head">
        <SelectField
          label={texts.charts.compare}
          value={first?.field.name ?? ''}
          onChange={(name) => choose({ first: name })}
        >
          {options(facets)}
        </SelectField>
        <SelectField
          label={texts.charts.compareBy}
          value={second?.field.name ?? ''}
          onChange={(name) => choose({ second: name })}
        >
          {options(grouping)}
        </SelectField>
        {cross && (
          <button type="button" className="button plain compact" onClick={() => set(null)}>
            {texts.charts.clearComparison}
          </button>
        )}
      </div>
      {first && second && cross && first !== second && (
        <CrossResult first={first} second={second} form={cross.form} onForm={(form) => choose({ form })} />
      )}
    </section>
  );
}

interface CrossResultProps {
  first: Facet;
  second: Facet;
  form: CrossForm;
  onForm: (form: CrossForm) => void;
}

function CrossResult({ first, second, form, onForm }: CrossResultProps) {
  const { catalogue, state, view, extent } = useExplore();
  const buckets = view.answer?.terms.get(second.field.name)?.buckets;
  const cross: CrossFields | null = buckets
    ? {
        first: first.field,
        bins: extent?.bins.get(first.field.name),
        second: second.field,
        values: buckets.slice(0, MAX_COLUMNS).map(({ value }) => value),
      }
    : null;
  const request = cross && cross.values.length > 0 ? crossRequest(catalogue, state.filter, cross) : null;
  const { data, error, refetch } = useQuery({
    queryKey: ['cross', catalogue.graphqlPath, request],
    queryFn:
      request && cross
        ? async ({ signal }) =>
            readCross(catalogue, cross, await graphql(catalogue.graphqlPath, request.query, request.variables, signal))
        : skipToken,
    structuralSharing: false,
  });
  if (error) return <ErrorNotice error={error} retry={refetch} title={texts.charts.notFetched} />;
  if (buckets && buckets.length === 0) return <p className="chart-none">{texts.charts.noValues}</p>;
  if (!data || !cross) return <Skeleton lines={6} />;
  const series = cross.values.map((value) => valueText(value, second.field));
  const title = texts.charts.oneByOther(first.label, second.label);
  return (
    <>
      <div className="row wrap">
        <h3 className="grow">{title}</h3>
        <div className="segments" role="group" aria-label={texts.charts.formOfComparison}>
          {CROSS_FORMS.map((each) => (
            <button key={each} type="button" aria-pressed={each === form} onClick={() => onForm(each)}>
              {texts.charts.crossForms[each]}
            </button>
          ))}
        </div>
        <ExportMenu numbers={{ title, rowsAre: first.label, series, rows: data }} />
      </div>
      {form === 'table' ? (
        <CrossTable first={first.label} cross={cross} series={series} rows={data} />
      ) : (
        <CrossBars title={title} series={series} rows={data} isStacked={form === 'stacked'} />
      )}
    </>
  );
}

interface CrossTableProps {
  first: string;
  cross: CrossFields;
  series: string[];
  rows: CrossRow[];
}

function CrossTable({ first, cross, series, rows }: CrossTableProps) {
  const { catalogue, state, setFilter } = useExplore();
  const most = Math.max(1, ...rows.flatMap(({ counts }) => counts));
  const pick = (row: CrossRow, column: number) => {
    const value = cross.values[column];
    if (value !== undefined) setFilter(row.choose(chooseColumn(catalogue, state.filter, cross.second, value)));
  };
  return (
    <ScrollX label={texts.charts.comparison}>
      <table className="plain-table cross-table">
        <thead>
          <tr>
            <th scope="col">{first}</th>
            {series.map((name) => (
              <th key={name} scope="col" className="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.label}>
              <th scope="row">{row.label}</th>
              {row.counts.map((records, column) => (
                <td key={series[column]} className="number">
                  <button
                    type="button"
                    disabled={records === 0}
                    aria-label={`${row.label}, ${series[column]}: ${count(records)}`}
                    style={{
                      background: `color-mix(in srgb, var(--bar) ${Math.round((records / most) * 60)}%, transparent)`,
                    }}
                    onClick={() => pick(row, column)}
                  >
                    {count(records)}
                  </button>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}

interface CrossBarsProps {
  title: string;
  series: string[];
  rows: CrossRow[];
  isStacked: boolean;
}

function CrossBars({ title, series, rows, isStacked }: CrossBarsProps) {
  const sums = rows.map(({ counts }) => counts.reduce((sum, records) => sum + records, 0));
  const most = Math.max(1, ...(isStacked ? sums : rows.flatMap(({ counts }) => counts)));
  return (
    <div className="stack" role="img" aria-label={texts.charts.numbersInTable(title)}>
      <ul className="row wrap cross-legend">
        {series.map((name, index) => (
          <li key={name} className="row small">
            <span className={`series series-${index}`} />
            {name}
          </li>
        ))}
      </ul>
      <ul className="cross-bars">
        {rows.map(({ label, counts }) => (
          <li key={label}>
            <span className="bar-name" title={label}>
              {label}
            </span>
            <span className={isStacked ? 'cross-stack' : 'cross-beside'}>
              {counts.map((records, index) => (
                <span
                  key={series[index]}
                  className={`series-${index}`}
                  title={`${label}, ${series[index]}: ${count(records)}`}
                  style={{ width: `${(records / most) * 100}%` }}
                />
              ))}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
