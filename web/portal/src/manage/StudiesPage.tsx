// All studies, and registering a new one.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import type { Study } from '../api/types';
import { TextField } from '../design/Field';
import { FormDialog } from '../design/FormDialog';
import { Icon } from '../design/Icon';
import { Empty, ErrorNotice, Skeleton } from '../design/Notice';
import { Link } from '../shell/router';
import { texts } from '../texts';
import { createStudy, study, studyIds } from './api';

/** How many studies are shown with their details, which takes a request each; of the others the id is shown. */
const MAX_DETAILED = 100;

async function fetchStudies(signal: AbortSignal): Promise<Study[]> {
  const ids = await studyIds(signal);
  return Promise.all(
    ids.map(async (id, index) => {
      const idOnly: Study = { studyId: id };
      if (index >= MAX_DETAILED) return idOnly;
      // A study without permission to read it is still in the list.
      return study(id, signal).catch((error: unknown) => {
        if (signal.aborted) throw error;
        return idOnly;
      });
    }),
  );
}

export default function StudiesPage() {
  const { data, error, refetch } = useQuery({
    queryKey: ['studies', 'details'],
    queryFn: ({ signal }) => fetchStudies(signal),
  });
  const [creating, setCreating] = useState(false);
  const [search, setSearch] = useState('');
  const words = texts.manage.studies;
  const text = search.trim().toLowerCase();
  const found = (data ?? []).filter(({ studyId, name, organization, description }) =>
    [studyId, name, organization, description].join(' ').toLowerCase().includes(text),
  );
  return (
    <>
      <div className="row wrap spread">
        <h1>{texts.manage.areas.studies}</h1>
        <button type="button" className="button" onClick={() => setCreating(true)}>
          <Icon name="plus" />
          {words.register}
        </button>
      </div>
      {error && <ErrorNotice error={error} retry={refetch} title={words.notFetched} />}
      {!data && !error && (
        <div className="card">
          <Skeleton lines={6} />
        </div>
      )}
      {data?.length === 0 && (
        <div className="card">
          <Empty icon="book" title={words.noneYet}>
            <p>{words.whyRegister}</p>
          </Empty>
        </div>
      )}
      {data && data.length > 0 && (
        <TextField label={words.find} type="search" placeholder={words.findHint} value={search} onChange={setSearch} />
      )}
      {data && data.length > 0 && found.length === 0 && <p className="soft">{words.noneHas(search)}</p>}
      {found.length > 0 && (
        <ul className="manage-list">
          {found.map(({ studyId, name, organization, description }) => (
            <li key={studyId} className="card">
              <Link to={`/manage/studies/${encodeURIComponent(studyId)}`}>
                <strong>{name || studyId}</strong>
              </Link>
              <span className="badge">{studyId}</span>
              {organization && <span className="soft small">{organization}</span>}
              {description && <p className="soft">{description}</p>}
            </li>
          ))}
        </ul>
      )}
      {creating && <CreateStudy onClose={() => setCreating(false)} onDone={() => void refetch()} />}
    </>
  );
}

function CreateStudy({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const [values, setValues] = useState({ studyId: '', name: '', organization: '', description: '' });
  const textField = (name: keyof typeof values, label: string, hint?: string) => (
    <TextField
      label={label}
      hint={hint}
      value={values[name]}
      onChange={(value) => setValues({ ...values, [name]: value })}
    />
  );
  const words = texts.manage.studies;
  return (
    <FormDialog
      title={words.register}
      action={words.registerIt}
      canSubmit={values.studyId.trim() !== ''}
      errorTitle={words.notRegistered}
      onClose={onClose}
      onSubmit={async () => {
        await createStudy(values);
        onDone();
        onClose();
      }}
    >
      {textField('studyId', words.id, words.idHint)}
      {textField('name', words.name)}
      {textField('organization', words.organization)}
      {textField('description', words.description)}
    </FormDialog>
  );
}
