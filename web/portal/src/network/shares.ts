// How much of a count each node of a network has, and the colours that tell the nodes apart.

import { count as countText } from '../design/format';
import type { NetworkAnswer, NetworkNode } from '../explore/answer';
import type { Value } from '../query/sqon';

/** How many colours there are (`tokens.css`); further nodes have those of the first ones again. */
const COLOURS = 8;

/** The part of a node in a count, and where it lies when the parts are put one after the other. */
export interface Share {
  node: number;
  name: string;
  from: number;
  to: number;
}

export function nodeColour(node: number): string {
  return `var(--series-${node % COLOURS})`;
}

/** Returns the parts in the count of a value; none outside of a network. */
export function valueShares(network: NetworkAnswer | null | undefined, field: string, value: Value): Share[] {
  return sharesOf(network, (node) => node.terms.get(field)?.get(value) ?? 0);
}

/** Returns the parts in the count of a bin of a histogram; none outside of a network. */
export function stepShares(network: NetworkAnswer | null | undefined, field: string, step: number): Share[] {
  return sharesOf(network, (node) => node.steps.get(field)?.[step] ?? 0);
}

function sharesOf(network: NetworkAnswer | null | undefined, countOf: (node: NetworkNode) => number): Share[] {
  const shares: Share[] = [];
  let from = 0;
  for (const [node, state] of (network?.nodes ?? []).entries()) {
    const to = from + countOf(state);
    if (to > from) shares.push({ node, name: state.name, from, to });
    from = to;
  }
  return shares;
}

/** Returns the background of a bar with the colours of the nodes; undefined outside of a network. */
export function barOf(shares: Share[], direction: 'right' | 'top'): string | undefined {
  const total = shares.at(-1)?.to;
  if (!total) return undefined;
  const at = (count: number) => `${((count / total) * 100).toFixed(2)}%`;
  const parts = shares.map(({ node, from, to }) => `${nodeColour(node)} ${at(from)} ${at(to)}`);
  return `linear-gradient(to ${direction}, ${parts.join(', ')})`;
}

/** Returns the parts as a text; undefined outside of a network. */
export function textOf(shares: Share[]): string | undefined {
  if (shares.length === 0) return undefined;
  return shares.map(({ name, from, to }) => `${name}: ${countText(to - from)}`).join(', ');
}
