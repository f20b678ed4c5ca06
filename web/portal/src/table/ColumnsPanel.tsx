// Chooses the columns of the table and their order.

import { useId, useState } from 'react';

import { Icon } from '../design/Icon';
import { useExplore } from '../explore/context';
import { texts } from '../texts';
import { choices, moved, selectable, type ShownColumn, shownColumns } from './columns';
import { type Density, useDensity } from './density';

const DENSITIES: Density[] = ['comfortable', 'compact'];

export function ColumnsPanel({ columns }: { columns: ShownColumn[] }) {
  const { catalogue, state, change } = useExplore();
  const [search, setSearch] = useState('');
  const [density, setDensity] = useDensity();
  const id = useId();
  const shownNames = new Set(columns.map(({ field }) => field.name));
  const text = search.trim().toLowerCase();
  const others = selectable(catalogue).filter(
    ({ field, label }) => !shownNames.has(field.name) && `${label} ${field.name}`.toLowerCase().includes(text),
  );
  const set = (next: ShownColumn[]) => change({ ...state, columns: choices(next) });
  const add = (name: string) => set(shownColumns(catalogue, [...choices(columns), { name, width: null }]));
  return (
    <div className="columns-panel stack">
      <div className="row spread">
        <strong>{texts.table.columns}</strong>
        <button
          type="button"
          className="button plain compact"
          disabled={!state.columns}
          onClick={() => change({ ...state, columns: null })}
        >
          {texts.table.reset}
        </button>
      </div>
      <div className="segments" role="group" aria-label={texts.table.rows}>
        {DENSITIES.map((each) => (
          <button key={each} type="button" aria-pressed={density === each} onClick={() => setDensity(each)}>
            {texts.table[each]}
          </button>
        ))}
      </div>
      <ol>
        {columns.map((column, index) => (
          <li key={column.field.name} className="row columns-row">
            <label className="row grow">
              <input
                type="checkbox"
                checked
                disabled={!column.canChangeShow || columns.length === 1}
                onChange={() => set(columns.filter((each) => each !== column))}
              />
              <span className="columns-name">{column.label}</span>
            </label>
            <button
              type="button"
              className="button plain compact icon-only"
              disabled={index === 0}
              aria-label={texts.table.moveUp(column.label)}
              onClick={() => set(moved(columns, index, -1))}
            >
              <Icon name="up" size={14} />
            </button>
            <button
              type="button"
              className="button plain compact icon-only"
              disabled={index === columns.length - 1}
              aria-label={texts.table.moveDown(column.label)}
              onClick={() => set(moved(columns, index, 1))}
            >
              <Icon name="down" size={14} />
            </button>
          </li>
        ))}
      </ol>
      <div className="field">
        <label htmlFor={id}>{texts.table.addColumns}</label>
        <input
          id={id}
          type="search"
          placeholder={texts.table.findField}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      </div>
      <ul>
        {others.slice(0, 60).map(({ field, label }) => (
          <li key={field.name} className="columns-row">
            <label className="row" title={field.name}>
              <input type="checkbox" checked={false} onChange={() => add(field.name)} />
              <span className="columns-name">{label}</span>
            </label>
          </li>
        ))}
        {others.length === 0 && (
          <li className="faint small">{text ? texts.table.noSuchField : texts.table.everyFieldShown}</li>
        )}
      </ul>
    </div>
  );
}
