// Keeps the records of a result, or something in them, as a set with a name.

import { useId, useState } from 'react';

import { Dialog } from '../design/Dialog';
import { count, counted } from '../design/format';
import { Failure, Notice } from '../design/Notice';
import { useExplore } from '../explore/context';
import { sentence } from '../query/describe';
import { Link } from '../shell/router';
import { type SavedSet, saveSet } from './api';
import { idFields } from './idFields';

export default function SaveSetDialog({ onClose }: { onClose: () => void }) {
  const { catalogue, state, view } = useExplore();
  const fields = idFields(catalogue);
  const [name, setName] = useState('');
  const [path, setPath] = useState(fields[0]?.name ?? '');
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [saved, setSaved] = useState<SavedSet | null>(null);
  const id = useId();
  const save = async () => {
    setBusy(true);
    setFailure(null);
    try {
      setSaved(await saveSet(catalogue, name.trim(), path, state.filter ?? { op: 'and', content: [] }));
    } catch (reason) {
      setFailure(reason);
    }
    setBusy(false);
  };
  const footer = saved ? (
    <>
      <Link className="button" to="/sets">
        All sets
      </Link>
      <button type="button" className="button primary" onClick={onClose}>
        Done
      </button>
    </>
  ) : (
    <button type="submit" form={id} className="button primary" disabled={busy || !name.trim() || !path}>
      {busy ? 'Saving…' : 'Save'}
    </button>
  );
  return (
    <Dialog title="Save as a set" onClose={onClose} footer={footer}>
      {saved ? (
        <Notice kind="good">
          <p>
            “{saved.name}” is saved with {count(saved.size)} {saved.size === 1 ? 'value' : 'values'}. It stays as it is
            when data changes.
          </p>
        </Notice>
      ) : (
        <form
          id={id}
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void save();
          }}
        >
          <p className="soft">
            {counted(view.answer?.total ?? 0, catalogue.documentType)}
            {state.filter ? ` where ${sentence(state.filter, catalogue)}` : ', everything in this catalogue'}
          </p>
          <div className="field">
            <label htmlFor={`${id}-name`}>Name</label>
            <input
              id={`${id}-name`}
              type="text"
              required
              maxLength={200}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          </div>
          <div className="field">
            <label htmlFor={`${id}-path`}>What to keep</label>
            <select id={`${id}-path`} value={path} onChange={(event) => setPath(event.target.value)}>
              {fields.map((field) => (
                <option key={field.name} value={field.name}>
                  {field.label}
                </option>
              ))}
            </select>
            <span className="hint">The values of this field in all matching records become the set.</span>
          </div>
          {failure ? <Failure failure={failure} title="The set was not saved" /> : null}
        </form>
      )}
    </Dialog>
  );
}
