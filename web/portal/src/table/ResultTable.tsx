// A page of records. Rows are virtualized: only visible ones are in the document.

import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useRef } from 'react';

import { count } from '../design/format';
import type { Row } from '../explore/answer';
import { useExplore } from '../explore/context';
import { fromStart } from '../explore/urlState';
import { isByRelevance, sortOf } from '../explore/viewQuery';
import { Link } from '../shell/router';
import { Cell } from './Cell';
import { choices, type ShownColumn } from './columns';
import { HeaderCell, type SortChange } from './HeaderCell';
import './table.css';

const ROW_HEIGHT = 38;

export function ResultTable({ columns }: { columns: ShownColumn[] }) {
  const { catalogue, state, view, change } = useExplore();
  const scroller = useRef<HTMLDivElement>(null);
  const rows = view.answer?.rows ?? [];
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
  });
  const sort = isByRelevance(state) ? [] : sortOf(state, catalogue);
  const first = (state.page - 1) * state.size;
  const setColumns = (next: ShownColumn[]) => change({ ...state, columns: choices(next) });
  const setSort: SortChange = (fieldName, desc, isAdded) => {
    const others = isAdded ? sort.filter((key) => key.fieldName !== fieldName) : [];
    change(fromStart(state, { sort: desc === null ? others : [...others, { fieldName, desc }] }));
  };
  const template = columns.map(({ width }) => `${width}px`).join(' ');
  const items = virtual.getVirtualItems();
  const above = items[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <div
      className="result-scroll"
      ref={scroller}
      tabIndex={0}
      role="region"
      aria-label="Records"
      onKeyDown={scrollSideways}
    >
      <table
        className="result-table"
        role="table"
        aria-rowcount={view.answer ? view.answer.total + 1 : -1}
        aria-busy={view.loading}
      >
        <caption className="visually-hidden">
          {catalogue.label}, {count(first + 1)} to {count(first + rows.length)} of {count(view.answer?.total ?? 0)}
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
              />
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {above > 0 && <tr aria-hidden="true" style={{ height: above }} />}
          {items.map((item) => {
            const row = rows[item.index];
            return (
              row && (
                <tr
                  key={row.id}
                  role="row"
                  aria-rowindex={first + item.index + 2}
                  style={{ gridTemplateColumns: template, height: ROW_HEIGHT }}
                >
                  {columns.map((column, index) => (
                    <td key={column.field.name} role="cell" className={column.field.kind === 'number' ? 'number' : ''}>
                      {index === 0 ? (
                        <RecordLink row={row}>
                          <Cell row={row} column={column} />
                        </RecordLink>
                      ) : (
                        <Cell row={row} column={column} />
                      )}
                    </td>
                  ))}
                </tr>
              )
            );
          })}
          {below > 0 && <tr aria-hidden="true" style={{ height: below }} />}
        </tbody>
      </table>
    </div>
  );
}

function RecordLink({ row, children }: { row: Row; children: React.ReactNode }) {
  const { catalogue } = useExplore();
  // A field that is a list somewhere is a list in every record.
  const [key, ...others] = catalogue.keyField ? [row.values[catalogue.keyField.graphqlName]].flat() : [];
  if (typeof key !== 'string' || others.length) return children;
  return <Link to={`/record/${encodeURIComponent(catalogue.id)}/${encodeURIComponent(key)}`}>{children}</Link>;
}

function scrollSideways(event: KeyboardEvent<HTMLDivElement>) {
  if (event.target !== event.currentTarget) return;
  if (event.key === 'ArrowRight') event.currentTarget.scrollBy({ left: 80 });
  if (event.key === 'ArrowLeft') event.currentTarget.scrollBy({ left: -80 });
}
