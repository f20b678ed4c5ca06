// The API keys of this server: list, create, revoke.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { ApiError } from '../api/client';
import { useSession } from '../api/session';
import type { ApiKey } from '../api/types';
import { DataTable } from '../design/DataTable';
import { day, moment } from '../design/format';
import { ConfirmDialog } from '../design/FormDialog';
import { Icon } from '../design/Icon';
import { Empty, ErrorNotice, Skeleton } from '../design/Notice';
import { announce } from '../shell/announce';
import { useBranding } from '../shell/branding';
import { type KeysPath, listKeys, meaning, revokeKey } from './keys';
import { NewKeyDialog } from './NewKeyDialog';

const BADGES: Record<ApiKey['state'], string> = { 'in force': 'good', expired: 'warning', revoked: 'danger' };

export default function KeysPage() {
  const { scopes } = useBranding();
  const person = useSession()?.person;
  const path: KeysPath = person && !person.scopes.includes(scopes.system) ? '/auth/keys' : '/admin/keys';
  const { data, error, refetch } = useQuery({
    queryKey: ['keys', path],
    queryFn: ({ signal }) => listKeys(path, signal),
  });
  const [making, setMaking] = useState(false);
  const [ending, setEnding] = useState<ApiKey | null>(null);
  const takesNone = error instanceof ApiError && error.id === 'keys.not.taken';
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
      {error && !takesNone && <ErrorNotice error={error} retry={refetch} title="The keys could not be fetched" />}
      {!data && !error && (
        <div className="card">
          <Skeleton lines={5} />
        </div>
      )}
      {data && <KeyTable keys={data} onRevoke={setEnding} />}
      {making && <NewKeyDialog path={path} onClose={() => setMaking(false)} onMade={() => void refetch()} />}
      {ending && (
        <ConfirmDialog
          title={`Revoke “${ending.name}”?`}
          action="Revoke"
          onClose={() => setEnding(null)}
          onConfirm={() => revokeKey(path, ending.id)}
          onDone={() => {
            void refetch();
            announce('The key is revoked');
          }}
        >
          <p>Requests with it are refused from now on. A revoked key cannot be brought back.</p>
        </ConfirmDialog>
      )}
    </>
  );
}

function KeyTable({ keys, onRevoke }: { keys: ApiKey[]; onRevoke: (key: ApiKey) => void }) {
  const { scopes } = useBranding();
  return (
    <div className="card">
      <DataTable
        label="API keys"
        headings={['Name', 'May', 'State', 'Made', 'Ends', 'Last used', { hidden: 'Actions' }]}
      >
        {keys.map((key) => (
          <tr key={key.id}>
            <td>
              <strong>{key.name}</strong>
              {key.owner && <span className="soft"> of {key.owner}</span>}
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
              <span className={`badge ${BADGES[key.state]}`}>{key.state}</span>
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
      </DataTable>
    </div>
  );
}
