// A table of a few rows, which scrolls sideways where it is too wide.

import type { ReactNode } from 'react';

import { ScrollX } from './ScrollX';

/** The heading of a column: visible, over numbers, or for screen readers only. */
export type Heading = string | { number: string } | { hidden: string };

interface DataTableProps {
  label: string;
  className?: string;
  headings: Heading[];
  /** The rows. */
  children: ReactNode;
}

export function DataTable({ label, className = '', headings, children }: DataTableProps) {
  return (
    <ScrollX label={label} className={className}>
      <table className="plain-table">
        <thead>
          <tr>{headings.map(headingCell)}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </ScrollX>
  );
}

function headingCell(heading: Heading) {
  if (typeof heading === 'string') return <th key={heading}>{heading}</th>;
  if ('number' in heading)
    return (
      <th key={heading.number} className="number">
        {heading.number}
      </th>
    );
  return (
    <th key={heading.hidden} className="narrow">
      <span className="visually-hidden">{heading.hidden}</span>
    </th>
  );
}
