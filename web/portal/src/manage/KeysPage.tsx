// The API keys of this server: which there are, making one, ending one.

import { useState } from 'react';

import { ApiError } from '../api/client';
import { day, moment } from '../design/format';
import { Icon } from '../design/Icon';
import { Empty, Failure, Skeleton } from '../design/Notice';
import { ScrollX } from '../design/ScrollX';
import { ConfirmDialog } from '../sets/SetDialogs';
import { announce } from '../shell/announce';
import { useBranding } from '../shell/branding';
import { useLoaded } from '../shell/useLoaded';
import { type ApiKey, listKeys, meaning, revokeKey } from './keys';
import { NewKeyDialog } from './NewKeyDialog';

const LOOKS: Record<ApiKey['state'], string> = { 'in force': 'good', expired: 'warning', revoked: 'danger' };

export default function KeysPage() {
  const { data, failure, reload } = useLoaded('keys', listKeys);
  const [making, setMaking] = useState(false);
  const [ending, setEnding] = useState<ApiKey | null>(null);
  const takesNone = failure instanceof ApiError && failure.id === 'keys.not.taken';
  return (
    <>
      <div className="row wrap spread">
        <div>
          <h1>API keys</h1>
          <p className="soft">
            Programs and people show a key to read what is not open to all, to submit and to manage.
          </p>
        </div>
        {data && (
          <button type="button" className="button primary" onClick={() => setMaking(true)}>
            <Icon name="plus" />
            Make a key
          </button>
        )}
      </div>
      {takesNone && (
        <div className="card">
          <Empty icon="key" title="This server takes no keys of its own">
            <p>Nobody is asked for a key here, or keys come from elsewhere. The setting AUTH_MODE decides it.</p>
          </Empty>
        </div>
      )}
      {failure && !takesNone ? (
        <Failure failure={failure} retry={reload} title="The keys could not be fetched" />
      ) : null}
      {!data && !failure && (
        <div className="card">
          <Skeleton lines={5} />
        </div>
      )}
      {data && <KeyTable keys={data} onRevoke={setEnding} />}
      {making && <NewKeyDialog onClose={() => setMaking(false)} onMade={reload} />}
      {ending && (
        <ConfirmDialog
          title={`Revoke “${ending.name}”?`}
          action="Revoke"
          onClose={() => setEnding(null)}
          onConfirm={() => revokeKey(ending.id)}
          onDone={() => {
            reload();
            announce('The key is revoked');
          }}
        >
          <p>Whoever uses it is refused from the next request on. A revoked key cannot be brought back.</p>
        </ConfirmDialog>
      )}
    </>
  );
}

function KeyTable({ keys, onRevoke }: { keys: ApiKey[]; onRevoke: (key: ApiKey) => void }) {
  const { scopes } = useBranding();
  return (
    <div className="card">
      <ScrollX label="API keys">
        <table className="plain-table">
          <thead>
            <tr>
              <th>Name</th>
              <th>May</th>
              <th>State</th>
              <th>Made</th>
              <th>Ends</th>
              <th>Last used</th>
              <th className="narrow">
                <span className="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {keys.map((key) => (
              <tr key={key.id}>
                <td>
                  <strong>{key.name}</strong>
                </td>
                <td>
                  <ul>
                    {key.scopes.map((scope) => (
                      <li key={scope} title={scope}>
                        {meaning(scope, scopes)}
                      </li>
                    ))}
                  </ul>
                </td>
                <td>
                  <span className={`badge ${LOOKS[key.state]}`}>{key.state}</span>
                </td>
                <td className="soft">{day(key.created)}</td>
                <td className="soft">{key.expires ? moment(key.expires) : 'never'}</td>
                <td className="soft">{key.lastUsed ? day(key.lastUsed) : 'never'}</td>
                <td>
                  {key.state === 'in force' && (
                    <button type="button" className="button compact" onClick={() => onRevoke(key)}>
                      Revoke<span className="visually-hidden"> {key.name}</span>
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollX>
    </div>
  );
}
