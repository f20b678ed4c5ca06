// Every word of the pages comes from the texts, and the texts are complete in every language.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import ts from 'typescript';
import { afterEach, expect, test } from 'vitest';

import { bytes, count, counted, numberText, plural, quantity, readNumber } from '../src/design/format';
import { loadTexts } from '../src/texts';
import { texts as de } from '../src/texts/de';
import { texts as en } from '../src/texts/en';

afterEach(() => loadTexts('en'));

/** Words that are the same in German and English. */
const SAME = new Set(['Code', 'Filter', 'Format', 'in', 'live', 'Live', 'Name', 'Portal', 'Text', 'Version']);

/** Names that are the same in every language. */
const NAMES = /\b(?:Arrow|CSV|GraphQL|JSON lines|JSON|OpenAPI|Parquet|REST|SQON|TSV|XLSX)\b/g;

/** A single letter is a unit, and what begins with a brace is JSON. */
function hasWords(text: string): boolean {
  return /\p{L}{2}/u.test(text.replace(NAMES, '')) && !text.startsWith('{');
}

type Text = string | ((...values: unknown[]) => unknown);

/** Returns the texts of all sections by their paths. */
function textsIn(value: unknown, path = ''): [string, Text][] {
  if (typeof value === 'string' || typeof value === 'function') return [[path, value as Text]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => textsIn(each, path ? `${path}.${name}` : name));
}

const SAMPLES = [1, 2, '1', '2', ['1', '2']];

/** Returns what a text can be; functions are called with samples, of which those of a wrong type are left out. */
function variants(text: Text): (string | null)[] {
  if (typeof text === 'string') return [text];
  return SAMPLES.map((sample) => {
    try {
      const made = text(...Array.from({ length: text.length }, () => sample));
      return typeof made === 'string' ? made : (JSON.stringify(made) ?? null);
    } catch {
      return null;
    }
  });
}

test('every text is there in German', () => {
  const german = new Map(textsIn(de));
  const english = textsIn(en);
  expect([...german.keys()].sort()).toEqual(english.map(([path]) => path).sort());
  const same = english.flatMap(([path, text]) => {
    const own = variants(german.get(path) ?? '');
    const others = variants(text);
    expect(
      own.some((each, index) => each !== null && others[index] !== null),
      `${path} takes no sample`,
    ).toBe(true);
    return own
      .filter((each, index): each is string => each !== null && each === others[index] && hasWords(each))
      .filter((each) => !SAME.has(each.replaceAll(/[^\p{L} ]/gu, '').trim()))
      .map((each) => `${path}: ${each}`);
  });
  expect(same).toEqual([]);
});

/** The attributes that people read or hear. */
const SHOWN = new Set([
  'action',
  'alt',
  'aria-description',
  'aria-label',
  'aria-valuetext',
  'errorTitle',
  'hint',
  'label',
  'note',
  'pendingAction',
  'placeholder',
  'title',
  'what',
]);

/** The functions that show or read out a text. */
const SHOWING = new Set(['announce', 'useTitle']);

const SOURCES = fileURLToPath(new URL('../src', import.meta.url));

function sources(ending: RegExp): ts.SourceFile[] {
  const names = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) => ending.test(name));
  return names.sort().map((name) => {
    const text = readFileSync(`${SOURCES}/${name}`, 'utf8');
    return ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  });
}

/** Returns the nodes that a function accepts, anywhere in a file. */
function nodesOf(file: ts.SourceFile, accepts: (node: ts.Node) => boolean): ts.Node[] {
  const found: ts.Node[] = [];
  const visit = (node: ts.Node) => {
    if (accepts(node)) found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function placeOf(node: ts.Node): string {
  const file = node.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(node.getStart());
  return `${file.fileName}:${line + 1}: ${node.getText().trim()}`;
}

/** Returns the literals that an expression can become or that are part of it, whatever the condition. */
function literals(node: ts.Node | undefined): ts.Node[] {
  if (!node) return [];
  if (ts.isStringLiteralLike(node)) return hasWords(node.text) ? [node] : [];
  if (ts.isTemplateExpression(node))
    return [node.head, ...node.templateSpans.map(({ literal }) => literal)].some(({ text }) => hasWords(text))
      ? [node]
      : [];
  if (ts.isJsxExpression(node) || ts.isParenthesizedExpression(node)) return literals(node.expression);
  if (ts.isConditionalExpression(node)) return [...literals(node.whenTrue), ...literals(node.whenFalse)];
  if (ts.isBinaryExpression(node)) {
    const isChoice = node.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken;
    return [...(isChoice ? [] : literals(node.left)), ...literals(node.right)];
  }
  return [];
}

/** Returns the words that a node of a page shows. */
function shownBy(node: ts.Node): ts.Node[] {
  if (ts.isJsxText(node)) return hasWords(node.text) && !isCode(node.parent) ? [node] : [];
  if (ts.isJsxExpression(node)) return ts.isJsxAttribute(node.parent) || isCode(node.parent) ? [] : literals(node);
  if (ts.isJsxAttribute(node)) return SHOWN.has(node.name.getText()) ? literals(node.initializer) : [];
  if (ts.isCallExpression(node)) return SHOWING.has(node.expression.getText()) ? node.arguments.flatMap(literals) : [];
  return [];
}

function isCode(node: ts.Node): boolean {
  return ts.isJsxElement(node) && node.openingElement.tagName.getText() === 'code';
}

test('no word of a page is outside of the texts', () => {
  const files = sources(/\.tsx$/);
  expect(files.length).toBeGreaterThan(50);
  const words = files.flatMap((file) => nodesOf(file, () => true).flatMap(shownBy));
  expect(words.map(placeOf)).toEqual([]);
});

test('no module reads the texts while it is loaded', () => {
  const isRead = (node: ts.Node) =>
    ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'texts';
  const isLate = (node: ts.Node): boolean =>
    ts.isFunctionLike(node) || (node.parent !== undefined && isLate(node.parent));
  const reads = sources(/\.tsx?$/).flatMap((file) => nodesOf(file, isRead));
  expect(reads.length).toBeGreaterThan(100);
  expect(reads.filter((node) => !isLate(node)).map(placeOf)).toEqual([]);
});

test('numbers are written and read as the language does', async () => {
  const field = { unit: 'day', displayType: 'long' };
  const written = () => [count(1234567), bytes(1_450_000_000), quantity(1234.5, field), numberText(0.25)];
  expect(written()).toEqual(['1,234,567', '1.45 GB', '1,234.5 days', '0.25']);
  expect(['1,234.5', '0.125', 'x'].map(readNumber)).toEqual([1234.5, 0.125, NaN]);
  await loadTexts('de');
  expect(written()).toEqual(['1.234.567', '1,45 GB', '1.234,5 Tage', '0,25']);
  expect(['1.234,5', '1.234', '0,125', '0.125', '-1.5', 'x'].map(readNumber)).toEqual([
    1234.5,
    1234,
    0.125,
    0.125,
    -1.5,
    NaN,
  ]);
});

test('nouns of catalogues have the plural of the language, where it is known', async () => {
  expect([counted(1, 'file'), counted(2, 'file'), plural('biopsy')]).toEqual(['1 file', '2 files', 'biopsies']);
  await loadTexts('de');
  expect([counted(1, 'file'), counted(2, 'file'), plural('biopsy')]).toEqual(['1 Datei', '2 Dateien', 'biopsies']);
});
