// The part of Markdown that the documentation is written in, as a tree. What is unknown stays text.

export type Inline =
  | { kind: 'text' | 'code'; text: string }
  | { kind: 'strong' | 'emphasis'; children: Inline[] }
  | { kind: 'link'; children: Inline[]; url: string }
  | { kind: 'image'; alt: string; url: string };

export type Block =
  | { kind: 'heading'; level: number; id: string; children: Inline[] }
  | { kind: 'paragraph'; children: Inline[] }
  | { kind: 'code'; language: string; text: string }
  | { kind: 'list'; isOrdered: boolean; items: Inline[][] }
  | { kind: 'table'; head: Inline[][]; rows: Inline[][][] };

const ITEM = /^(?:[-*]|\d+\.) /;
const RULE = /^\|(?:\s*:?-+:?\s*\|)+\s*$/;

/** Returns the blocks of a document. */
export function parseMarkdown(text: string): Block[] {
  const lines = text.split(/\r?\n/);
  const blocks: Block[] = [];
  let at = 0;
  const line = () => lines[at] ?? '';
  while (at < lines.length) {
    const fence = /^```(\S*)/.exec(line());
    const heading = /^(#{1,6}) (.*)/.exec(line());
    if (!line().trim() || line().startsWith('<!--')) {
      at += 1;
    } else if (fence) {
      const start = at + 1;
      at = start;
      while (at < lines.length && line() !== '```') at += 1;
      blocks.push({ kind: 'code', language: fence[1] ?? '', text: lines.slice(start, at).join('\n') });
      at += 1;
    } else if (heading) {
      const children = parseInline(heading[2] ?? '');
      blocks.push({ kind: 'heading', level: heading[1]?.length ?? 1, id: anchor(plain(children)), children });
      at += 1;
    } else if (line().startsWith('|') && RULE.test(lines[at + 1] ?? '')) {
      const head = cells(line());
      at += 2;
      const rows: Inline[][][] = [];
      for (; line().startsWith('|'); at += 1) rows.push(cells(line()));
      blocks.push({ kind: 'table', head, rows });
    } else if (ITEM.test(line())) {
      const isOrdered = /^\d/.test(line());
      const items: string[] = [];
      while (line().trim() && !line().startsWith('```')) {
        if (ITEM.test(line())) items.push(line().replace(ITEM, ''));
        else items.push(`${items.pop() ?? ''}\n${line().trim()}`);
        at += 1;
      }
      blocks.push({ kind: 'list', isOrdered, items: items.map(parseInline) });
    } else {
      const start = at;
      while (line().trim() && !/^(?:```|#{1,6} |\|)/.test(line()) && (at === start || !ITEM.test(line()))) at += 1;
      // A line that begins like another block, but is none.
      if (at === start) at += 1;
      blocks.push({ kind: 'paragraph', children: parseInline(lines.slice(start, at).join('\n')) });
    }
  }
  return blocks;
}

/** Splits a row of a table; a bar within code or behind a backslash is no border. */
function cells(row: string): Inline[][] {
  const texts: string[] = [''];
  let isCode = false;
  for (const part of row.trim().match(/\\.|[^]/gu) ?? []) {
    if (part === '`') isCode = !isCode;
    if (part === '|' && !isCode) texts.push('');
    else texts.push(`${texts.pop() ?? ''}${part}`);
  }
  // Nothing stands before the first bar and behind the last one.
  return texts.slice(1, -1).map((text) => parseInline(text.trim()));
}

const address = (url: string): Inline => ({ kind: 'link', url, children: [{ kind: 'text', text: url }] });

/** What can stand within a line, in the order in which it is looked for. */
const INLINE: [RegExp, (match: string[]) => Inline][] = [
  [/^(`+)([\s\S]*?[^`])\1(?!`)/, ([, , text = '']) => ({ kind: 'code', text })],
  [/^!\[([^\]]*)\]\(([^)\s]+)\)/, ([, alt = '', url = '']) => ({ kind: 'image', alt, url })],
  [
    /^\[((?:`[^`]*`|[^\]])*)\]\(([^)\s]+)\)/,
    ([, text = '', url = '']) => ({ kind: 'link', url, children: parseInline(text) }),
  ],
  [/^<(https?:[^>\s]+)>/, ([, url = '']) => address(url)],
  [/^https?:\/\/[^\s)|,]*[^\s)|,.:;]/, ([url = '']) => address(url)],
  [/^\*\*([\s\S]+?)\*\*/, ([, text = '']) => ({ kind: 'strong', children: parseInline(text) })],
  [/^\*([^*\s](?:[^*]*[^*\s])?)\*/, ([, text = '']) => ({ kind: 'emphasis', children: parseInline(text) })],
  [/^\\([\\|`*_[\]])/, ([, text = '']) => ({ kind: 'text', text })],
];

/** Returns what a text consists of. */
export function parseInline(text: string): Inline[] {
  const found: Inline[] = [];
  let pending = '';
  let rest = text;
  while (rest) {
    let match: Inline | undefined;
    for (const [expression, make] of INLINE) {
      const result = expression.exec(rest);
      if (!result) continue;
      match = make([...result]);
      rest = rest.slice(result[0].length);
      break;
    }
    if (match) {
      if (pending) found.push({ kind: 'text', text: pending });
      pending = '';
      found.push(match);
    } else {
      // Nothing begins with a letter but an address.
      const length = /^(?!https?:\/\/)[A-Za-z0-9 ]+?(?=https?:\/\/|[^A-Za-z0-9 ]|$)/.exec(rest)?.[0].length ?? 1;
      pending += rest.slice(0, length);
      rest = rest.slice(length);
    }
  }
  if (pending) found.push({ kind: 'text', text: pending });
  return found;
}

/** Returns the text of a heading without its marks. */
export function plain(children: Inline[]): string {
  return children
    .map((child) => {
      if ('children' in child) return plain(child.children);
      return child.kind === 'image' ? child.alt : child.text;
    })
    .join('');
}

/** Returns what leads to a heading, as pages of repositories have it. */
export function anchor(heading: string): string {
  return heading
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .toLowerCase()
    .replaceAll(' ', '-');
}

/** Where a link of a document leads: to another document, elsewhere, or nowhere that is served. */
export type Target = { kind: 'document'; path: string; anchor: string } | { kind: 'address'; url: string } | null;

/** Returns where a link leads. `document` is the path of the document it stands in, such as `guide/researcher`. */
export function targetOf(url: string, document: string): Target {
  if (/^https?:/.test(url)) return { kind: 'address', url };
  if (url.startsWith('#')) return { kind: 'document', path: document, anchor: url.slice(1) };
  const [file = '', hash = ''] = url.split('#');
  const path = resolve(file, document);
  if (!path?.endsWith('.md')) return null;
  return { kind: 'document', path: path.slice(0, -'.md'.length), anchor: hash };
}

/** Returns the path of a file that a document names, or null for one that is not part of the documentation. */
export function resolve(file: string, document: string): string | null {
  const parts = document.split('/').slice(0, -1);
  for (const part of file.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return null;
    } else if (part !== '.') {
      parts.push(part);
    }
  }
  return parts.join('/');
}
