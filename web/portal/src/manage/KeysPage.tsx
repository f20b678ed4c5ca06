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
import { texts } from '../texts';
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
  const words = texts.manage.keys;
  const takesNone = error instanceof ApiError && error.id === 'keys.not.taken';
  return (
    <>
      <div className="row wrap spread">
        <div>
          <h1>{texts.manage.areas.keys}</h1>
          <p className="soft">{words.about}</p>
        </div>
        {data && (
          <button type="button" className="button primary" onClick={() => setMaking(true)}>
            <Icon name="plus" />
            {words.make}
          </button>
        )}
      </div>
      {takesNone && (
        <div className="card">
          <Empty icon="key" title={words.takesNone}>
            <p>{words.whyNone}</p>
          </Empty>
        </div>
      )}
      {error && !takesNone && <ErrorNotice error={error} retry={refetch} title={words.notFetched} />}
      {!data && !error && (
        <div className="card">
          <Skeleton lines={5} />
        </div>
      )}
      {data && <KeyTable keys={data} onRevoke={setEnding} />}
      {making && <NewKeyDialog path={path} onClose={() => setMaking(false)} onMade={() => void refetch()} />}
      {ending && (
        <ConfirmDialog
          title={words.revokeThis(ending.name)}
          action={words.revoke}
          onClose={() => setEnding(null)}
          onConfirm={() => revokeKey(path, ending.id)}
          onDone={() => {
            void refetch();
            announce(words.isRevoked);
          }}
        >
          <p>{words.revokedForGood}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

function KeyTable({ keys, onRevoke }: { keys: ApiKey[]; onRevoke: (key: ApiKey) => void }) {
  const { scopes } = useBranding();
  const words = texts.manage.keys;
  return (
    <div className="card">
      <DataTable
        label={texts.manage.areas.keys}
        headings={[
          words.name,
          words.may,
          words.state,
          words.made,
          words.ends,
          words.lastUsed,
          { hidden: words.actions },
        ]}
      >
        {keys.map((key) => (
          <tr key={key.id}>
            <td>
              <strong>{key.name}</strong>
              {key.owner && <span className="soft"> {words.of(key.owner)}</span>}
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
              <span className={`badge ${BADGES[key.state]}`}>{words.states[key.state]}</span>
            </td>
            <td className="soft">{day(key.created)}</td>
            <td className="soft">{key.expires ? moment(key.expires) : words.never}</td>
            <td className="soft">{key.lastUsed ? day(key.lastUsed) : words.never}</td>
            <td>
              {key.state === 'in force' && (
                <button type="button" className="button compact" onClick={() => onRevoke(key)}>
                  {words.revoke}
                  <span className="visually-hidden"> {key.name}</span>
                </button>
              )}
            </td>
          </tr>
        ))}
      </DataTable>
    </div>
  );
}
