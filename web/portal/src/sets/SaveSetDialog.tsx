// Saves the ids of all matching records, or the values of another field, as a named set.

import { useState } from 'react';

import { Dialog } from '../design/Dialog';
import { SelectField, TextField } from '../design/Field';
import { count, counted } from '../design/format';
import { FormDialog } from '../design/FormDialog';
import { Notice } from '../design/Notice';
import { useExplore } from '../explore/context';
import { sentence } from '../query/describe';
import { Link } from '../shell/router';
import { MAX_NAME_LENGTH, type SavedSet, saveSet } from './api';
import { idFields } from './idFields';

export default function SaveSetDialog({ onClose }: { onClose: () => void }) {
  const { catalogue, state, view } = useExplore();
  const fields = idFields(catalogue);
  const [name, setName] = useState('');
  const [path, setPath] = useState(fields[0]?.name ?? '');
  const [saved, setSaved] = useState<SavedSet | null>(null);
  if (saved) return <SavedDialog set={saved} onClose={onClose} />;
  return (
    <FormDialog
      title="Save as a set"
      action="Save"
      pendingAction="Saving…"
      canSubmit={name.trim() !== '' && path !== ''}
      errorTitle="The set was not saved"
      onClose={onClose}
      onSubmit={async () =>
        setSaved(await saveSet(catalogue, name.trim(), path, state.filter ?? { op: 'and', content: [] }))
      }
    >
      <p className="soft">
        {counted(view.answer?.total ?? 0, catalogue.documentType)}
        {state.filter ? ` where ${sentence(state.filter, catalogue)}` : ', everything in this catalogue'}
      </p>
      <TextField label="Name" required maxLength={MAX_NAME_LENGTH} value={name} onChange={setName} />
      <SelectField
        label="What to keep"
        hint="The values of this field in all matching records become the set."
        value={path}
        onChange={setPath}
      >
        {fields.map((field) => (
          <option key={field.name} value={field.name}>
            {field.label}
          </option>
        ))}
      </SelectField>
    </FormDialog>
  );
}

function SavedDialog({ set, onClose }: { set: SavedSet; onClose: () => void }) {
  const footer = (
    <>
      <Link className="button" to="/sets">
        All sets
      </Link>
      <button type="button" className="button primary" onClick={onClose}>
        Done
      </button>
    </>
  );
  return (
    <Dialog title="Save as a set" onClose={onClose} footer={footer}>
      <Notice kind="good">
        <p>
          “{set.name}” is saved with {count(set.size)} {set.size === 1 ? 'value' : 'values'}. It stays as it is when
          data changes; among all sets it can also be opened live, as what its filter finds then.
        </p>
      </Notice>
    </Dialog>
  );
}
