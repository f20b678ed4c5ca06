// All studies, and registering a new one.

import { useId, useState } from 'react';

import { Dialog } from '../design/Dialog';
import { Icon } from '../design/Icon';
import { Empty, Failure, Skeleton } from '../design/Notice';
import { Link } from '../shell/router';
import { useLoaded } from '../shell/useLoaded';
import { createStudy, type Study, study, studyIds } from './api';

/** How many studies are shown with their names; of others the id is known. */
const DETAILED = 100;

async function fetchStudies(signal: AbortSignal): Promise<Study[]> {
  const ids = await studyIds(signal);
  return Promise.all(
    ids.map(async (id, index) => {
      const bare: Study = { studyId: id, name: null, organization: null, description: null };
      if (index >= DETAILED) return bare;
      // A study that one may not read is still in the list.
      return study(id, signal).catch((failure: unknown) => {
        if (signal.aborted) throw failure;
        return bare;
      });
    }),
  );
}

export default function StudiesPage() {
  const { data, failure, reload } = useLoaded('studies in full', fetchStudies);
  const [creating, setCreating] = useState(false);
  return (
    <>
      <div className="row wrap spread">
        <h1>Studies</h1>
        <button type="button" className="button" onClick={() => setCreating(true)}>
          <Icon name="plus" />
          Register a study
        </button>
      </div>
      {failure ? <Failure failure={failure} retry={reload} title="The studies could not be fetched" /> : null}
      {!data && !failure && (
        <div className="card">
          <Skeleton lines={6} />
        </div>
      )}
      {data?.length === 0 && (
        <div className="card">
          <Empty icon="book" title="No studies yet">
            <p>Register one; analyses are submitted to studies.</p>
          </Empty>
        </div>
      )}
      {data && data.length > 0 && (
        <ul className="manage-list">
          {data.map(({ studyId, name, organization, description }) => (
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
      {creating && <CreateStudy onClose={() => setCreating(false)} onDone={reload} />}
    </>
  );
}

function CreateStudy({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const [values, setValues] = useState({ studyId: '', name: '', organization: '', description: '' });
  const [failure, setFailure] = useState<unknown>(null);
  const id = useId();
  const create = async () => {
    try {
      await createStudy(values);
      onDone();
      onClose();
    } catch (reason) {
      setFailure(reason);
    }
  };
  const box = (name: keyof typeof values, label: string, hint?: string) => (
    <div className="field">
      <label htmlFor={`${id}-${name}`}>{label}</label>
      <input
        id={`${id}-${name}`}
        type="text"
        value={values[name]}
        onChange={(event) => setValues({ ...values, [name]: event.target.value })}
      />
      {hint && <span className="hint">{hint}</span>}
    </div>
  );
  return (
    <Dialog
      title="Register a study"
      onClose={onClose}
      footer={
        <button type="submit" form={id} className="button primary" disabled={!values.studyId.trim()}>
          Register
        </button>
      }
    >
      <form
        id={id}
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        {box('studyId', 'Id', '1 to 36 characters; it cannot be changed later')}
        {box('name', 'Name')}
        {box('organization', 'Organization')}
        {box('description', 'Description')}
        {failure ? <Failure failure={failure} title="The study was not registered" /> : null}
      </form>
    </Dialog>
  );
}
