// A page of records. Only rows in sight are in the document.

import { type KeyboardEvent, useRef } from 'react';

import { count } from '../design/format';
import { useExplore } from '../explore/context';
import { fromStart } from '../explore/urlState';
import { isByRelevance, sortOf } from '../explore/viewQuery';
import { Link } from '../shell/router';
import { texts } from '../texts';
import { keyOfRow, useBasket } from './basket';
import { Cell } from './Cell';
import { choices, type ShownColumn, tracks } from './columns';
import { type Density, ROW_HEIGHTS } from './density';
import { HeaderCell, type SortChange } from './HeaderCell';
import { useRowWindow } from './useRowWindow';
import './table.css';

export function ResultTable({ columns, density }: { columns: ShownColumn[]; density: Density }) {
  const { catalogue, state, view, change } = useExplore();
  const basket = useBasket(catalogue.id);
  const scroller = useRef<HTMLDivElement>(null);
  const rows = view.answer?.rows ?? [];
  const height = ROW_HEIGHTS[density];
  const { begin, end } = useRowWindow(scroller, rows.length, height);
  const sort = isByRelevance(state) ? [] : sortOf(state, catalogue);
  const first = (state.page - 1) * state.size;
  const setColumns = (next: ShownColumn[]) => change({ ...state, columns: choices(next) });
  const setSort: SortChange = (fieldName, desc, isAdded) => {
    const others = isAdded ? sort.filter((key) => key.fieldName !== fieldName) : [];
    change(fromStart(state, { sort: desc === null ? others : [...others, { fieldName, desc }] }));
  };
  const template = tracks(columns);
  const width = columns.reduce((sum, column) => sum + column.width, 0);
  const keysOfPage = rows.flatMap((row) => keyOfRow(row, catalogue) ?? []);
  const selected = keysOfPage.filter((key) => basket.keys.has(key)).length;
  const select = (keys: string[], isSelected: boolean) => (isSelected ? basket.add(keys) : basket.remove(keys));
  const above = begin * height;
  const below = (rows.length - end) * height;
  return (
    <div
      className="result-scroll"
      ref={scroller}
      tabIndex={0}
      role="region"
      aria-label={texts.table.records}
      onKeyDown={scrollSideways}
    >
      <table
        className={`result-table ${density}`}
        role="table"
        style={{ width: `max(100%, ${width}px)` }}
        aria-rowcount={view.answer ? view.answer.total + 1 : -1}
        aria-busy={view.loading}
      >
        <caption className="visually-hidden">
          {texts.table.caption(
            catalogue.label,
            count(first + 1),
            count(first + rows.length),
            count(view.answer?.total ?? 0),
          )}
        </caption>
        <thead role="rowgroup">
          <tr role="row" aria-rowindex={1} style={{ gridTemplateColumns: template }}>
            {columns.map((column, index) => (
              <HeaderCell
                key={column.field.name}
                column={column}
                index={index}
                columns={columns}
                sort={sort}
                onSort={setSort}
                onColumns={setColumns}
              >
                {index === 0 && keysOfPage.length > 0 && (
                  <SelectBox
                    label={texts.table.selectPage}
                    state={selected === 0 ? 'none' : selected === keysOfPage.length ? 'all' : 'some'}
                    onChange={(isSelected) => select(keysOfPage, isSelected)}
                  />
                )}
              </HeaderCell>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {above > 0 && <tr aria-hidden="true" style={{ height: above }} />}
          {rows.slice(begin, end).map((row, index) => {
            const key = keyOfRow(row, catalogue);
            const isSelected = key !== null && basket.keys.has(key);
            return (
              <tr
                key={row.id}
                role="row"
                aria-rowindex={first + begin + index + 2}
                className={isSelected ? 'selected' : ''}
                style={{ gridTemplateColumns: template, height }}
              >
                {columns.map((column, place) => (
                  <td key={column.field.name} role="cell" className={column.field.kind === 'number' ? 'number' : ''}>
                    {place === 0 && key !== null && (
                      <SelectBox
                        label={texts.table.select(key)}
                        state={isSelected ? 'all' : 'none'}
                        onChange={(next) => select([key], next)}
                      />
                    )}
                    {place === 0 && key !== null ? (
                      <Link to={`/record/${encodeURIComponent(catalogue.id)}/${encodeURIComponent(key)}`}>
                        <Cell row={row} column={column} />
                      </Link>
                    ) : (
                      <Cell row={row} column={column} />
                    )}
                  </td>
                ))}
              </tr>
            );
          })}
          {below > 0 && <tr aria-hidden="true" style={{ height: below }} />}
        </tbody>
      </table>
    </div>
  );
}

interface SelectBoxProps {
  label: string;
  state: 'none' | 'some' | 'all';
  onChange: (isSelected: boolean) => void;
}

function SelectBox({ label, state, onChange }: SelectBoxProps) {
  return (
    <input
      type="checkbox"
      className="select-box"
      aria-label={label}
      checked={state === 'all'}
      ref={(box) => {
        if (box) box.indeterminate = state === 'some';
      }}
      onChange={(event) => onChange(event.target.checked)}
    />
  );
}

function scrollSideways(event: KeyboardEvent<HTMLDivElement>) {
  if (event.target !== event.currentTarget) return;
  if (event.key === 'ArrowRight') event.currentTarget.scrollBy({ left: 80 });
  if (event.key === 'ArrowLeft') event.currentTarget.scrollBy({ left: -80 });
}
