// The cells of a sheet, each with what is wrong with it, to be corrected where they are. It opens at the page of the first
// mistake.

import { useId, useState } from 'react';

import { count } from '../design/format';
import { ScrollX } from '../design/ScrollX';
import { texts } from '../texts';
import { cellKey, type Sheet, type SheetColumn, type SheetRow } from './sheets';

/** How many rows of a sheet are shown at once. */
const MAX_ROWS = 50;

interface SheetTableProps {
  sheet: Sheet;
  messages: Map<string, string[]>;
  isOnlyWrong: boolean;
  onChange: (row: number, column: number, text: string) => void;
}

export function SheetTable({ sheet, messages, isOnlyWrong, onChange }: SheetTableProps) {
  const { name, columns, rows } = sheet;
  const [edited, setEdited] = useState<number[]>([]);
  const isWrong = ({ row }: SheetRow) =>
    messages.has(cellKey(name, row)) || columns.some((column) => messages.has(cellKey(name, row, column.name)));
  // A row that is being corrected stays where it is.
  const listed = isOnlyWrong ? rows.filter((row) => isWrong(row) || edited.includes(row.row)) : rows;
  const [page, setPage] = useState(() => Math.max(0, Math.floor(listed.findIndex(isWrong) / MAX_ROWS)));
  const last = Math.max(0, Math.ceil(listed.length / MAX_ROWS) - 1);
  const at = Math.min(page, last);
  const words = texts.submit;
  if (listed.length === 0) return null;
  return (
    <section className="stack tight" aria-label={words.sheet(name)}>
      <div className="row wrap spread">
        <h3>{name}</h3>
        {last > 0 && (
          <nav className="row" aria-label={words.rowsOf(name)}>
            <span className="soft small number">
              {words.ofTotal(
                count(at * MAX_ROWS + 1),
                count(Math.min(listed.length, (at + 1) * MAX_ROWS)),
                count(listed.length),
              )}
            </span>
            <button type="button" className="button compact" disabled={at === 0} onClick={() => setPage(at - 1)}>
              {words.previous}
            </button>
            <button type="button" className="button compact" disabled={at === last} onClick={() => setPage(at + 1)}>
              {words.next}
            </button>
          </nav>
        )}
      </div>
      <ScrollX label={words.cellsOf(name)}>
        <table className="plain-table sheet-table">
          <thead>
            <tr>
              <th scope="col">{words.row}</th>
              {columns.map((column) => (
                <th key={column.name} scope="col">
                  {column.name}
                  {column.isRequired && (
                    <span className="required-mark" title={words.requiredColumn}>
                      {' '}
                      *
                    </span>
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {listed.slice(at * MAX_ROWS, (at + 1) * MAX_ROWS).map(({ row, cells }) => (
              <tr key={row}>
                <th scope="row" className="number">
                  {row}
                  {messages.get(cellKey(name, row))?.map((message) => (
                    <p key={message} className="mistake">
                      {message}
                    </p>
                  ))}
                </th>
                {columns.map((column, index) => (
                  <td key={column.name}>
                    <CellField
                      label={`${column.name}, ${words.inRow(row)}`}
                      column={column}
                      text={cells[index] ?? ''}
                      messages={messages.get(cellKey(name, row, column.name)) ?? []}
                      onChange={(text) => {
                        if (!edited.includes(row)) setEdited([...edited, row]);
                        onChange(row, index, text);
                      }}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollX>
    </section>
  );
}

interface CellFieldProps {
  label: string;
  column: SheetColumn;
  text: string;
  messages: string[];
  onChange: (text: string) => void;
}

function CellField({ label, column, text, messages, onChange }: CellFieldProps) {
  const id = useId();
  const shared = {
    'aria-label': label,
    'aria-invalid': messages.length > 0,
    'aria-describedby': messages.length > 0 ? id : undefined,
    value: text,
  };
  return (
    <>
      {column.allowed && column.kind !== 'list' ? (
        <select {...shared} onChange={(event) => onChange(event.target.value)}>
          {!column.allowed.includes(text) && <option value={text}>{text}</option>}
          {text !== '' && <option value="" />}
          {column.allowed.map((value) => (
            <option key={value} value={value}>
              {value}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...shared}
          type="text"
          spellCheck={false}
          size={Math.min(40, Math.max(8, text.length))}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
      {messages.length > 0 && (
        <div id={id}>
          {messages.map((message) => (
            <p key={message} className="mistake">
              {message}
            </p>
          ))}
        </div>
      )}
    </>
  );
}
