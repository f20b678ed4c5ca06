import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { type Block, type Inline, parseInline, parseMarkdown, plain, resolve, targetOf } from '../src/learn/markdown';

const text = (text: string): Inline => ({ kind: 'text', text });

test('blocks are told apart', () => {
  const blocks = parseMarkdown(
    '# One & `two`\n\nA line\nand another.\n- first\n  goes on\n- second\n\n1. one\n2. two\n\n```sh\nls | wc\n\n# no heading\n```\n<!-- gone -->\n',
  );
  expect(blocks).toEqual([
    { kind: 'heading', level: 1, id: 'one--two', children: [text('One & '), { kind: 'code', text: 'two' }] },
    { kind: 'paragraph', children: [text('A line\nand another.')] },
    { kind: 'list', isOrdered: false, items: [[text('first\ngoes on')], [text('second')]] },
    { kind: 'list', isOrdered: true, items: [[text('one')], [text('two')]] },
    { kind: 'code', language: 'sh', text: 'ls | wc\n\n# no heading' },
  ]);
});

test('a bar within code or behind a backslash does not end a cell', () => {
  const [table] = parseMarkdown('| a | b |\n|---|:-:|\n| `x|y` | p \\| q |\n| | last |\n');
  expect(table).toEqual({
    kind: 'table',
    head: [[text('a')], [text('b')]],
    rows: [
      [[{ kind: 'code', text: 'x|y' }], [text('p '), text('|'), text(' q')]],
      [[], [text('last')]],
    ],
  });
});

test('what stands within a line', () => {
  expect(parseInline('**bold `c`** and *soft*, 2 * 3 * 4')).toEqual([
    { kind: 'strong', children: [text('bold '), { kind: 'code', text: 'c' }] },
    text(' and '),
    { kind: 'emphasis', children: [text('soft')] },
    text(', 2 * 3 * 4'),
  ]);
  expect(parseInline('[`a]b`](x.md#y) ![p](i.png) <http://h:1> http://h/p.')).toEqual([
    { kind: 'link', url: 'x.md#y', children: [{ kind: 'code', text: 'a]b' }] },
    text(' '),
    { kind: 'image', alt: 'p', url: 'i.png' },
    text(' '),
    { kind: 'link', url: 'http://h:1', children: [text('http://h:1')] },
    text(' '),
    { kind: 'link', url: 'http://h/p', children: [text('http://h/p')] },
    text('.'),
  ]);
  // Marks that nothing closes, and addresses that run something, stay text.
  expect(parseInline('a ` b ** c [d](javascript:alert(1)')).not.toContainEqual(
    expect.objectContaining({ kind: 'code' }),
  );
  expect(targetOf('javascript:alert(1)', 'README')).toBeNull();
});

test('links lead to documents, elsewhere, or nowhere', () => {
  expect(targetOf('../search.md#filters', 'guide/researcher')).toEqual({
    kind: 'document',
    path: 'search',
    anchor: 'filters',
  });
  expect(targetOf('#here', 'guide/researcher')).toEqual({ kind: 'document', path: 'guide/researcher', anchor: 'here' });
  expect(targetOf('https://example.org', 'search')).toEqual({ kind: 'address', url: 'https://example.org' });
  expect(targetOf('../ARCHITECTURE.md', 'README')).toBeNull();
  expect(resolve('../images/home.png', 'guide/researcher')).toBe('images/home.png');
});

/** The documentation, where the tests run in the repository. */
const DOCS = process.env.PORTAL_DOCS ?? fileURLToPath(new URL('../../../docs', import.meta.url));

test('every document has one title, and no mark of Markdown is left in it', () => {
  const names = readdirSync(DOCS, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  expect(names.length).toBeGreaterThan(20);
  for (const name of names) {
    const blocks = parseMarkdown(readFileSync(`${DOCS}/${name}`, 'utf8'));
    expect(blocks[0], name).toMatchObject({ kind: 'heading', level: 1 });
    for (const block of blocks) {
      const left = textsOf(block).filter((part) => /\*\*|\]\(|^\||```/.test(part));
      expect(left, name).toEqual([]);
    }
  }
});

/** Returns the texts of a block that are no code. */
function textsOf(block: Block): string[] {
  const ofInline = (children: Inline[]): string[] =>
    children.flatMap((child) => {
      if ('children' in child) return ofInline(child.children);
      return child.kind === 'text' ? [plain([child])] : [];
    });
  if (block.kind === 'list') return block.items.flatMap(ofInline);
  if (block.kind === 'table') return [block.head, ...block.rows].flat().flatMap(ofInline);
  return block.kind === 'code' ? [] : ofInline(block.children);
}
