// The head of a column: sorts, opens its menu, and is dragged wider or narrower.

import { type PointerEvent, type ReactNode, useState } from 'react';

import type { SortKey } from '../api/catalogue';
import { Icon } from '../design/Icon';
import { MenuItem, Popover } from '../design/Popover';
import { texts } from '../texts';
import { moved, type ShownColumn } from './columns';

/** Sorts by a field, by itself or after the others; null stops sorting by it. */
export type SortChange = (fieldName: string, desc: boolean | null, isAdded: boolean) => void;

interface HeaderCellProps {
  column: ShownColumn;
  index: number;
  columns: ShownColumn[];
  sort: SortKey[];
  onSort: SortChange;
  onColumns: (columns: ShownColumn[]) => void;
  /** What stands before the label. */
  children?: ReactNode;
}

const STEP = 16;

export function HeaderCell({ column, index, columns, sort, onSort, onColumns, children }: HeaderCellProps) {
  const { field, label, sortable } = column;
  const rank = sort.findIndex(({ fieldName }) => fieldName === field.name);
  const key = sort[rank];
  const next = !key ? false : key.desc ? null : true;
  const setWidth = (width: number) => {
    const next = { ...column, width: Math.max(64, Math.min(900, width)), isFixed: true };
    onColumns(columns.map((each) => (each === column ? next : each)));
  };
  // Of a list the smallest counts in one direction, the largest in the other.
  const [upward, downward] = field.nestedIn
    ? [texts.table.sortBySmallest, texts.table.sortByLargest]
    : [texts.table.sortAscending, texts.table.sortDescending];
  return (
    <th
      role="columnheader"
      scope="col"
      aria-sort={key && rank === 0 ? (key.desc ? 'descending' : 'ascending') : undefined}
      className={field.kind === 'number' ? 'number' : ''}
    >
      {children}
      {sortable ? (
        <button
          type="button"
          className="head-label"
          title={texts.table.clickToSort(label)}
          onClick={(event) => onSort(field.name, next, event.shiftKey)}
        >
          <span className="head-text">{label}</span>
          {key && <Icon name={key.desc ? 'down' : 'up'} size={13} />}
          {key && sort.length > 1 && <span className="head-rank">{rank + 1}</span>}
          {key && (
            <span className="visually-hidden">
              {key.desc ? texts.table.sortedDescending : texts.table.sortedAscending}
            </span>
          )}
        </button>
      ) : (
        <span className="head-label">
          <span className="head-text" title={label}>
            {label}
          </span>
        </span>
      )}
      <Popover
        label={texts.table.column(label)}
        face={<Icon name="more" size={14} />}
        className="head-menu"
        align={index < 2 ? 'start' : 'end'}
      >
        {(close) => {
          const pick = (act: () => void) => () => {
            close();
            act();
          };
          return (
            <>
              {sortable && (
                <MenuItem icon="up" onSelect={pick(() => onSort(field.name, false, false))}>
                  {upward}
                </MenuItem>
              )}
              {sortable && (
                <MenuItem icon="down" onSelect={pick(() => onSort(field.name, true, false))}>
                  {downward}
                </MenuItem>
              )}
              {sortable && sort.length > 0 && !key && (
                <MenuItem icon="plus" onSelect={pick(() => onSort(field.name, false, true))}>
                  {texts.table.sortAsWell}
                </MenuItem>
              )}
              {key && (
                <MenuItem icon="close" onSelect={pick(() => onSort(field.name, null, true))}>
                  {texts.table.doNotSort}
                </MenuItem>
              )}
              {sortable && <div className="menu-rule" />}
              <MenuItem icon="left" disabled={index === 0} onSelect={pick(() => onColumns(moved(columns, index, -1)))}>
                {texts.table.moveLeft}
              </MenuItem>
              <MenuItem
                icon="right"
                disabled={index === columns.length - 1}
                onSelect={pick(() => onColumns(moved(columns, index, 1)))}
              >
                {texts.table.moveRight}
              </MenuItem>
              <MenuItem icon="plus" onSelect={() => setWidth(column.width + STEP * 3)}>
                {texts.table.wider}
              </MenuItem>
              <MenuItem icon="minus" onSelect={() => setWidth(column.width - STEP * 3)}>
                {texts.table.narrower}
              </MenuItem>
              {column.canChangeShow && columns.length > 1 && (
                <MenuItem icon="eye" onSelect={pick(() => onColumns(columns.filter((each) => each !== column)))}>
                  {texts.table.hide}
                </MenuItem>
              )}
            </>
          );
        }}
      </Popover>
      <Divider label={label} width={column.width} onWidth={setWidth} />
    </th>
  );
}

interface DividerProps {
  label: string;
  width: number;
  onWidth: (width: number) => void;
}

function Divider({ label, width, onWidth }: DividerProps) {
  const [begin, setBegin] = useState<{ x: number; width: number } | null>(null);
  const [over, setOver] = useState(0);
  const end = (event: PointerEvent) => {
    if (begin) onWidth(begin.width + event.clientX - begin.x);
    setBegin(null);
    setOver(0);
  };
  return (
    <span
      className="head-divider"
      role="separator"
      aria-orientation="vertical"
      aria-label={texts.table.widthOf(label)}
      tabIndex={0}
      aria-valuenow={width}
      aria-valuemin={64}
      aria-valuemax={900}
      style={{ transform: `translateX(${over}px)` }}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        // A column that shares free width is wider than it asks for.
        const shown = event.currentTarget.parentElement?.getBoundingClientRect().width ?? width;
        setBegin({ x: event.clientX, width: Math.round(shown) });
      }}
      onPointerMove={(event) => {
        if (begin) setOver(event.clientX - begin.x);
      }}
      onPointerUp={end}
      onKeyDown={(event) => {
        if (event.key === 'ArrowRight') onWidth(width + STEP);
        if (event.key === 'ArrowLeft') onWidth(width - STEP);
      }}
    />
  );
}
