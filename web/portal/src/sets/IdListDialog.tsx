// Saves a list of ids as a set, and reports which of them the catalogue does not have.

import { type DragEvent, useState } from 'react';

import type { Catalogue } from '../api/catalogue';
import { CopyButton } from '../design/CopyButton';
import { CodeField, SelectField, TextField } from '../design/Field';
import { count } from '../design/format';
import { FormDialog } from '../design/FormDialog';
import { Icon } from '../design/Icon';
import { Notice } from '../design/Notice';
import { announce } from '../shell/announce';
import { texts } from '../texts';
import { MAX_NAME_LENGTH, saveSet } from './api';
import { idFields } from './idFields';
import { type IdMatches, matchIds, readIds } from './idList';

interface IdListDialogProps {
  catalogue: Catalogue;
  onClose: () => void;
  onSaved: () => void;
}

export function IdListDialog({ catalogue, onClose, onSaved }: IdListDialogProps) {
  const fields = idFields(catalogue);
  const [text, setText] = useState('');
  const [path, setPath] = useState(fields[0]?.name ?? '');
  const [name, setName] = useState('');
  const [matches, setMatches] = useState<IdMatches | null>(null);
  const ids = readIds(text);
  const field = catalogue.fields.get(path);

  const changeText = (next: string) => {
    setText(next);
    setMatches(null);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    const [file] = event.dataTransfer.files;
    if (file) void file.text().then(changeText);
  };
  const lookUp = async () => {
    if (!field) return;
    const result = await matchIds(catalogue, field, ids);
    setMatches(result);
    announce(texts.sets.foundAndNot(count(result.found.length), count(result.missing.length)));
  };
  const save = async ({ found }: IdMatches) => {
    await saveSet(catalogue, name.trim(), path, { op: 'in', content: { fieldName: path, value: found } });
    onSaved();
    onClose();
  };
  return (
    <FormDialog
      title={texts.sets.fromList(catalogue.label)}
      action={matches ? texts.sets.saveFound(count(matches.found.length)) : texts.sets.lookUp(count(ids.length))}
      pendingAction={matches ? texts.sets.saving : texts.sets.looking}
      canSubmit={matches ? matches.found.length > 0 && name.trim() !== '' : ids.length > 0 && field !== undefined}
      onClose={onClose}
      onSubmit={() => (matches ? save(matches) : lookUp())}
    >
      <div className="stack" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
        <SelectField
          label={texts.sets.idsAre}
          value={path}
          onChange={(next) => {
            setPath(next);
            setMatches(null);
          }}
        >
          {fields.map((each) => (
            <option key={each.name} value={each.name}>
              {each.label}
            </option>
          ))}
        </SelectField>
        <CodeField
          label={texts.sets.ids}
          rows={7}
          value={text}
          onChange={changeText}
          placeholder={texts.sets.idsHint}
        />
        <label className="row">
          <span className="button">
            <Icon name="upload" />
            {texts.sets.chooseFile}
          </span>
          <input
            type="file"
            accept=".txt,.csv,.tsv,text/*"
            className="visually-hidden"
            onChange={(event) => {
              const file = event.target.files?.[0];
              if (file) void file.text().then(changeText);
            }}
          />
          <span className="soft small">{texts.sets.differentIds(count(ids.length))}</span>
        </label>
        {matches && (
          <>
            <Notice kind={matches.missing.length ? 'warning' : 'good'}>
              <p>
                <strong>{count(matches.found.length)}</strong> {texts.sets.areInCatalogue(count(ids.length))}
                {matches.missing.length ? texts.sets.areNot(count(matches.missing.length)) : '.'}
              </p>
              {matches.missing.length > 0 && <MissingIds ids={matches.missing} />}
            </Notice>
            <TextField label={texts.sets.nameOfSet} maxLength={MAX_NAME_LENGTH} value={name} onChange={setName} />
          </>
        )}
      </div>
    </FormDialog>
  );
}

const MAX_MISSING_SHOWN = 12;

function MissingIds({ ids }: { ids: string[] }) {
  return (
    <>
      <p className="mono">
        {ids.slice(0, MAX_MISSING_SHOWN).join(', ')}
        {ids.length > MAX_MISSING_SHOWN && ' …'}
      </p>
      <div>
        <CopyButton className="button compact" text={() => ids.join('\n')} label={texts.sets.copyMissing} />
      </div>
    </>
  );
}
