// Filled sheets: sent to the server, which returns every cell and what is wrong with it.

import { json, send } from '../api/client';
import { saveFile } from '../download/stream';
import { texts } from '../texts';

export interface SheetColumn {
  name: string;
  isRequired: boolean;
  kind: 'text' | 'integer' | 'number' | 'boolean' | 'list' | 'json';
  /** The values of the drop-down, if it has one. */
  allowed?: string[];
}

export interface SheetRow {
  /** The number that a spreadsheet shows. */
  row: number;
  cells: string[];
}

export interface Sheet {
  name: string;
  columns: SheetColumn[];
  rows: SheetRow[];
}

export interface SheetViolation {
  sheet?: string;
  row?: number;
  /** Absent where a violation concerns a whole row, or nothing in the sheet. */
  column?: string;
  cell?: string;
  message: string;
}

export interface SheetAnswer {
  analysisType: { name: string; version: number };
  status: 'INVALID' | 'VALID' | 'SUBMITTED' | 'PARTIAL';
  analyses: number;
  sheets: Sheet[];
  violationCount: number;
  violations: SheetViolation[];
  results: { row: number; name?: string; status: 'OK' | 'ERROR'; analysisId?: string; message?: string }[];
}

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

const MEDIA_TYPES: Record<string, string> = {
  xlsx: XLSX,
  tsv: 'text/tab-separated-values',
  txt: 'text/tab-separated-values',
  csv: 'text/csv',
};

function endingOf(name: string): string {
  return name.split('.').at(-1)?.toLowerCase() ?? '';
}

/** Says whether a file is a sheet, by the ending of its name. */
export function isSheet({ name }: File): boolean {
  return endingOf(name) in MEDIA_TYPES;
}

/** Sends a file, or sheets that were corrected, to be checked or to be stored. */
export function sendSheet(study: string, type: string, sheet: File | Sheet[], isCheck: boolean): Promise<SheetAnswer> {
  const query = new URLSearchParams({ type, ...(isCheck ? { validateOnly: 'true' } : {}) });
  const path = `/sheets/${encodeURIComponent(study)}?${query}`;
  return sheet instanceof File
    ? json(path, { method: 'POST', body: sheet, contentType: MEDIA_TYPES[endingOf(sheet.name)] ?? XLSX })
    : json(path, { method: 'POST', body: { sheets: sheet } });
}

/** Saves the empty sheet of a type. */
export async function saveTemplate(type: string, format: 'xlsx' | 'tsv'): Promise<void> {
  const response = await send(`/schemas/${encodeURIComponent(type)}/template?format=${format}`);
  saveFile(await response.blob(), `${type}.${format}`);
}

/** Returns sheets with another text in a cell. */
export function withCell(sheets: Sheet[], name: string, row: number, column: number, text: string): Sheet[] {
  return sheets.map((sheet) =>
    sheet.name !== name
      ? sheet
      : {
          ...sheet,
          rows: sheet.rows.map((each) => (each.row === row ? { row, cells: each.cells.with(column, text) } : each)),
        },
  );
}

/** Returns what is wrong with each cell; the key of what concerns a whole row has no column. */
export function messagesByCell(violations: SheetViolation[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { sheet, row, column, message } of violations) {
    if (sheet === undefined || row === undefined) continue;
    const key = cellKey(sheet, row, column);
    found.set(key, [...(found.get(key) ?? []), message]);
  }
  return found;
}

/** Returns the violations that concern no cell or row of the sheets, such as a column that is missing, with their place. */
export function elsewhere(violations: SheetViolation[], sheets: Sheet[]): string[] {
  const isShown = ({ sheet: name, row, column }: SheetViolation) => {
    const sheet = sheets.find((each) => each.name === name);
    if (!sheet?.rows.some((each) => each.row === row)) return false;
    return column === undefined || sheet.columns.some((each) => each.name === column);
  };
  const said = violations
    .filter((violation) => !isShown(violation))
    .map(({ sheet, row, column, message }) => {
      const place = [sheet, row !== undefined && texts.submit.inRow(row), column].filter(Boolean).join(', ');
      return place ? `${place}: ${message}` : message;
    });
  return [...new Set(said)];
}

export function cellKey(sheet: string, row: number, column?: string): string {
  return JSON.stringify([sheet, row, column ?? null]);
}
