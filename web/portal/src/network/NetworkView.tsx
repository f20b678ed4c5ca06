// The nodes of a network with their shares of the result, above charts of what they have together.

import ChartsView from '../charts/ChartsView';
import { DataTable } from '../design/DataTable';
import { count } from '../design/format';
import { Notice } from '../design/Notice';
import type { NetworkNode } from '../explore/answer';
import { useExplore } from '../explore/context';
import { texts } from '../texts';
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
          <strong>{texts.network.incomplete}</strong>
          <p>{texts.network.incompleteWhy}</p>
        </Notice>
      )}
      {network.suppressedBelow !== null && (
        <p className="soft small">{texts.network.rounded(count(network.suppressedBelow))}</p>
      )}
      <DataTable
        label={texts.network.nodes}
        headings={[
          texts.network.node,
          { number: texts.network.records },
          texts.network.share,
          texts.network.state,
          { hidden: texts.network.portal },
        ]}
      >
        {network.nodes.map((node, index) => (
          <tr key={node.nodeId ?? node.name}>
            <td>
              <span className="node-mark" style={{ background: nodeColour(index) }} aria-hidden="true" />
              {node.name}
            </td>
            <td className="number">{node.contributed ? count(node.hits) : '–'}</td>
            <td>
              {node.contributed && (
                <progress max={Math.max(1, total)} value={node.hits} aria-label={texts.network.shareOf(node.name)} />
              )}
            </td>
            <td>{stateOf(node, label)}</td>
            <td>
              {node.link && (
                <a href={node.link} target="_blank" rel="noreferrer">
                  {texts.network.open}
                  <span className="visually-hidden"> {texts.network.openAt(node.name)}</span>
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
  if (node.missingFields.length > 0) return texts.network.lacks(node.missingFields.map(label).join(', '));
  return texts.network.answered;
}
