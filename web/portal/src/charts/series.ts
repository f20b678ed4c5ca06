// The numbers behind a chart, and the table and the drawing that they are exported as.

import { toCsvText } from '../design/csv';
import { texts } from '../texts';

/** A chart as numbers: a count for each row and series. */
export interface ChartNumbers {
  title: string;
  /** What the rows are. */
  rowsAre: string;
  /** One series without a name, or several with one. */
  series: string[];
  rows: { label: string; counts: number[] }[];
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
  fill: string;
}

interface Words {
  x: number;
  y: number;
  text: string;
  size: number;
  isAtEnd: boolean;
}

/** A picture of boxes and words, the same in every format. */
export interface Drawing {
  width: number;
  height: number;
  boxes: Box[];
  words: Words[];
}

/** The colours of series in pictures, the same as in tokens.css for light pages. */
const COLOURS = ['#2f7f88', '#c46a2d', '#6a5aa8', '#8a9a2b', '#b5476b', '#4a76b8', '#9a7b4f', '#5f6b73'];

const INK = '#16202a';
const PAPER = '#ffffff';
const FONT = 'sans-serif';
const WIDTH = 760;
const LABEL_WIDTH = 220;
const NUMBER_WIDTH = 70;
const ROW_HEIGHT = 26;
const BAR_HEIGHT = 16;
const TOP = 40;
const LEGEND_HEIGHT = 24;

/** Writes the numbers as CSV. */
export function toCsv({ rowsAre, series, rows }: ChartNumbers): string {
  const head = [rowsAre, ...series.map((name) => name || texts.charts.records)];
  return toCsvText([head, ...rows.map(({ label, counts }) => [label, ...counts.map(String)])]);
}

function colourOf(series: number): string {
  return COLOURS[series % COLOURS.length] ?? INK;
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

/** Draws the numbers as stacked bars. */
export function drawingOf({ title, series, rows }: ChartNumbers): Drawing {
  const totals = rows.map(({ counts }) => counts.reduce((sum, count) => sum + count, 0));
  const scale = (WIDTH - LABEL_WIDTH - NUMBER_WIDTH) / Math.max(1, ...totals);
  const hasLegend = series.length > 1;
  const top = TOP + (hasLegend ? LEGEND_HEIGHT : 0);
  const height = top + rows.length * ROW_HEIGHT + 10;
  const boxes: Box[] = [{ x: 0, y: 0, width: WIDTH, height, fill: PAPER }];
  const words: Words[] = [{ x: 10, y: 20, text: title, size: 15, isAtEnd: false }];
  if (hasLegend) {
    series.forEach((name, index) => {
      const x = 10 + (index * (WIDTH - 20)) / series.length;
      boxes.push({ x, y: TOP - 4, width: 10, height: 10, fill: colourOf(index) });
      words.push({ x: x + 14, y: TOP + 5, text: cut(name, 14), size: 12, isAtEnd: false });
    });
  }
  rows.forEach(({ label, counts }, row) => {
    const y = top + row * ROW_HEIGHT;
    words.push({ x: LABEL_WIDTH - 8, y: y + 12, text: cut(label, 32), size: 12, isAtEnd: true });
    let x = LABEL_WIDTH;
    counts.forEach((count, index) => {
      boxes.push({ x, y, width: count * scale, height: BAR_HEIGHT, fill: colourOf(index) });
      x += count * scale;
    });
    words.push({ x: x + 6, y: y + 12, text: String(totals[row] ?? 0), size: 12, isAtEnd: false });
  });
  return { width: WIDTH, height, boxes, words };
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Writes a drawing as SVG that needs no style sheet. */
export function toSvg({ width, height, boxes, words }: Drawing): string {
  const parts = [
    ...boxes.map(
      (box) =>
        `<rect x="${round(box.x)}" y="${round(box.y)}" width="${round(box.width)}" height="${round(box.height)}" fill="${box.fill}"/>`,
    ),
    ...words.map(
      ({ x, y, text, size, isAtEnd }) =>
        `<text x="${round(x)}" y="${round(y)}" font-size="${size}" text-anchor="${isAtEnd ? 'end' : 'start'}">${escaped(text)}</text>`,
    ),
  ];
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="${FONT}" fill="${INK}">${parts.join('')}</svg>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Paints a drawing on a canvas: the policy of the page allows no picture that is made from text. */
export function paint({ boxes, words }: Drawing, context: CanvasRenderingContext2D): void {
  for (const { x, y, width, height, fill } of boxes) {
    context.fillStyle = fill;
    context.fillRect(x, y, width, height);
  }
  context.fillStyle = INK;
  for (const { x, y, text, size, isAtEnd } of words) {
    context.font = `${size}px ${FONT}`;
    context.textAlign = isAtEnd ? 'right' : 'left';
    context.fillText(text, x, y);
  }
}
