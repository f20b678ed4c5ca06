// A document of the documentation, as elements of the page.

import { Fragment, type ReactNode } from 'react';

import { serverPath } from '../api/base';
import { CopyButton } from '../design/CopyButton';
import { DataTable } from '../design/DataTable';
import { Link } from '../shell/router';
import { texts } from '../texts';
import { type Block, type Inline, plain, resolve, targetOf } from './markdown';

/** Where the server has the files of the documentation. */
export const DOCUMENTS = '/portal/documents';

/** `path` is that of the document, such as `guide/researcher`. */
export function DocumentView({ blocks, path }: { blocks: Block[]; path: string }) {
  return blocks.map((block, index) => (
    // The blocks of a document never change.
    <Fragment key={index}>{element(block, path)}</Fragment>
  ));
}

function element(block: Block, path: string): ReactNode {
  switch (block.kind) {
    case 'heading': {
      const Heading = HEADINGS[block.level - 1] ?? 'h4';
      return <Heading id={block.id}>{inline(block.children, path)}</Heading>;
    }
    case 'paragraph':
      return <p>{inline(block.children, path)}</p>;
    case 'code':
      return (
        <div className="guide-code">
          <pre className="code-block" role="region" aria-label={block.language || texts.learn.text} tabIndex={0}>
            {block.text}
          </pre>
          <CopyButton text={() => block.text} isIconOnly />
        </div>
      );
    case 'list': {
      const items = block.items.map((item, index) => <li key={index}>{inline(item, path)}</li>);
      return block.isOrdered ? <ol>{items}</ol> : <ul>{items}</ul>;
    }
    case 'table':
      return (
        <DataTable label={block.head.map(plain).join(', ') || texts.learn.table} headings={block.head.map(headingOf)}>
          {block.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column}>{inline(cell, path)}</td>
              ))}
            </tr>
          ))}
        </DataTable>
      );
  }
}

const HEADINGS = ['h1', 'h2', 'h3', 'h4'] as const;

/** A column without a heading still has one for screen readers, and headings of a table differ. */
function headingOf(cell: Inline[], column: number) {
  return plain(cell) || { hidden: texts.learn.column(column + 1) };
}

function inline(children: Inline[], path: string): ReactNode {
  return children.map((child, index) => <Fragment key={index}>{inlineElement(child, path)}</Fragment>);
}

function inlineElement(child: Inline, path: string): ReactNode {
  switch (child.kind) {
    case 'text':
      return child.text;
    case 'code':
      return <code>{child.text}</code>;
    case 'strong':
      return <strong>{inline(child.children, path)}</strong>;
    case 'emphasis':
      return <em>{inline(child.children, path)}</em>;
    case 'image': {
      const file = resolve(child.url, path);
      return (
        file && <img className="guide-image" src={serverPath(`${DOCUMENTS}/${file}`)} alt={child.alt} loading="lazy" />
      );
    }
    case 'link': {
      const target = targetOf(child.url, path);
      const content = inline(child.children, path);
      if (!target) return content;
      if (target.kind === 'address') return <a href={target.url}>{content}</a>;
      const hash = target.anchor && `#${target.anchor}`;
      if (target.path === path) return <a href={hash || '#content'}>{content}</a>;
      return <Link to={`/learn/${target.path}${hash}`}>{content}</Link>;
    }
  }
}
