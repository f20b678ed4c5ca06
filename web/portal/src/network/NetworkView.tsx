// The nodes of a network with their shares of the result, above charts of what they have together.

import ChartsView from '../charts/ChartsView';
import { DataTable } from '../design/DataTable';
import { count } from '../design/format';
import { Notice } from '../design/Notice';
import type { NetworkNode } from '../explore/answer';
import { useExplore } from '../explore/context';
import { nodeColour } from './shares';
import './network.css';

export default function NetworkView() {
  const { catalogue, view } = useExplore();
  const network = view.answer?.network;
  if (!network) return null;
  const total = view.answer?.total ?? 0;
  const label = (name: string) => catalogue.findField(name)?.label ?? name;
  return (
    <div className="stack">
      {!network.complete && (
        <Notice kind="warning">
          <strong>These counts are not complete</strong>
          <p>A node did not answer, or does not have a field. Its records may be missing from the counts below.</p>
        </Notice>
      )}
      {network.suppressedBelow !== null && (
        <p className="soft small">
          To protect people, counts are rounded down to multiples of {count(network.suppressedBelow)}, and numbers and
          dates have no charts.
        </p>
      )}
      <DataTable label="Nodes" headings={['Node', { number: 'Records' }, 'Share', 'State', { hidden: 'Portal' }]}>
        {network.nodes.map((node, index) => (
          <tr key={node.nodeId ?? node.name}>
            <td>
              <span className="node-mark" style={{ background: nodeColour(index) }} aria-hidden="true" />
              {node.name}
            </td>
            <td className="number">{node.contributed ? count(node.hits) : '–'}</td>
            <td>
              {node.contributed && (
                <progress max={Math.max(1, total)} value={node.hits} aria-label={`Share of ${node.name}`} />
              )}
            </td>
            <td>{stateOf(node, label)}</td>
            <td>
              {node.link && (
                <a href={node.link} target="_blank" rel="noreferrer">
                  Open<span className="visually-hidden"> the same filter at {node.name}</span>
                </a>
              )}
            </td>
          </tr>
        ))}
      </DataTable>
      <ChartsView />
    </div>
  );
}

function stateOf(node: NetworkNode, label: (name: string) => string): string {
  if (node.errors) return node.errors;
  if (node.missingFields.length > 0) return `Does not have ${node.missingFields.map(label).join(', ')}`;
  return 'Answered';
}
