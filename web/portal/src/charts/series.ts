// The numbers behind a chart, and the files that they are exported as.

import { toCsvText } from '../design/csv';

/** A chart as numbers: a count for each row and series. */
export interface ChartNumbers {
  title: string;
  /** What the rows are. */
  rowsAre: string;
  /** One series without a name, or several with one. */
  series: string[];
  rows: { label: string; counts: number[] }[];
}

/** The colours of series in exported pictures, the same as in tokens.css for light pages. */
const COLOURS = ['#2f7f88', '#c46a2d', '#6a5aa8', '#8a9a2b', '#b5476b', '#4a76b8', '#9a7b4f', '#5f6b73'];

const INK = '#16202a';
const WIDTH = 760;
const LABEL_WIDTH = 220;
const NUMBER_WIDTH = 70;
const ROW_HEIGHT = 26;
const BAR_HEIGHT = 16;
const TOP = 40;
const LEGEND_HEIGHT = 24;

/** Writes the numbers as CSV. */
export function toCsv({ rowsAre, series, rows }: ChartNumbers): string {
  const head = [rowsAre, ...series.map((name) => name || 'Records')];
  return toCsvText([head, ...rows.map(({ label, counts }) => [label, ...counts.map(String)])]);
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Draws the numbers as stacked bars, in a picture that needs no style sheet. */
export function toSvg({ title, series, rows }: ChartNumbers): string {
  const totals = rows.map(({ counts }) => counts.reduce((sum, count) => sum + count, 0));
  const most = Math.max(1, ...totals);
  const scale = (WIDTH - LABEL_WIDTH - NUMBER_WIDTH) / most;
  const hasLegend = series.length > 1;
  const top = TOP + (hasLegend ? LEGEND_HEIGHT : 0);
  const height = top + rows.length * ROW_HEIGHT + 10;
  const legend = hasLegend
    ? series.map((name, index) => {
        const x = 10 + (index * (WIDTH - 20)) / series.length;
        return `<rect x="${x}" y="${TOP - 4}" width="10" height="10" fill="${colourOf(index)}"/><text x="${x + 14}" y="${TOP + 5}">${escaped(cut(name, 14))}</text>`;
      })
    : [];
  const bars = rows.map(({ label, counts }, row) => {
    const y = top + row * ROW_HEIGHT;
    let x = LABEL_WIDTH;
    const parts = counts.map((count, index) => {
      const part = `<rect x="${x.toFixed(1)}" y="${y}" width="${(count * scale).toFixed(1)}" height="${BAR_HEIGHT}" fill="${colourOf(index)}"/>`;
      x += count * scale;
      return part;
    });
    const name = `<text x="${LABEL_WIDTH - 8}" y="${y + 12}" text-anchor="end">${escaped(cut(label, 32))}</text>`;
    return `${name}${parts.join('')}<text x="${(x + 6).toFixed(1)}" y="${y + 12}">${totals[row]}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12" fill="${INK}"><rect width="100%" height="100%" fill="#ffffff"/><text x="10" y="20" font-size="15" font-weight="600">${escaped(title)}</text>${legend.join('')}${bars.join('')}</svg>`;
}

function colourOf(series: number): string {
  return COLOURS[series % COLOURS.length] ?? INK;
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
