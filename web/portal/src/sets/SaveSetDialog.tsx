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
import { texts } from '../texts';
import { MAX_NAME_LENGTH, type SavedSet, saveSet } from './api';
import { idFields } from './idFields';

export default function SaveSetDialog({ onClose }: { onClose: () => void }) {
  const { catalogue, state, view, setNames } = useExplore();
  const fields = idFields(catalogue);
  const [name, setName] = useState('');
  const [path, setPath] = useState(fields[0]?.name ?? '');
  const [saved, setSaved] = useState<SavedSet | null>(null);
  if (saved) return <SavedDialog set={saved} onClose={onClose} />;
  return (
    <FormDialog
      title={texts.sets.saveAsSet}
      action={texts.sets.save}
      pendingAction={texts.sets.saving}
      canSubmit={name.trim() !== '' && path !== ''}
      errorTitle={texts.sets.notSaved}
      onClose={onClose}
      onSubmit={async () =>
        setSaved(await saveSet(catalogue, name.trim(), path, state.filter ?? { op: 'and', content: [] }))
      }
    >
      <p className="soft">
        {counted(view.answer?.total ?? 0, catalogue.documentType)}
        {state.filter ? texts.sets.where(sentence(state.filter, catalogue, setNames)) : texts.sets.everything}
      </p>
      <TextField label={texts.sets.name} required maxLength={MAX_NAME_LENGTH} value={name} onChange={setName} />
      <SelectField label={texts.sets.whatToKeep} hint={texts.sets.whatToKeepHint} value={path} onChange={setPath}>
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
        {texts.sets.allSets}
      </Link>
      <button type="button" className="button primary" onClick={onClose}>
        {texts.sets.done}
      </button>
    </>
  );
  return (
    <Dialog title={texts.sets.saveAsSet} onClose={onClose} footer={footer}>
      <Notice kind="good">
        <p>{texts.sets.isSaved(set.name ?? '', set.size, count(set.size))}</p>
      </Notice>
    </Dialog>
  );
}
