// Creates an API key and shows it once.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { CopyButton } from '../design/CopyButton';
import { Dialog } from '../design/Dialog';
import { SelectField, TextField } from '../design/Field';
import { FormDialog } from '../design/FormDialog';
import { Notice } from '../design/Notice';
import { useBranding } from '../shell/branding';
import { texts } from '../texts';
import { studyIdsQuery } from './api';
import { createKey, type KeysPath, meaning, type Right, scopeOfStudy, scopeOfSystem } from './keys';

/** When a key can end, in days; never without any. */
const EXPIRIES = ['30', '90', '365', ''];

function expiryText(days: string): string {
  const { inDays, inYear, never } = texts.manage.keys;
  if (days === '') return never;
  return days === '365' ? inYear : inDays(days);
}

interface NewKeyDialogProps {
  path: KeysPath;
  onClose: () => void;
  onMade: () => void;
}

export function NewKeyDialog({ path, onClose, onMade }: NewKeyDialogProps) {
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<string[]>([]);
  const [days, setDays] = useState('90');
  const [made, setMade] = useState<string | null>(null);
  const words = texts.manage.keys;
  if (made) return <MadeKey name={name.trim()} text={made} onClose={onClose} />;
  return (
    <FormDialog
      title={words.make}
      action={words.makeIt}
      canSubmit={name.trim() !== '' && chosen.length > 0}
      errorTitle={words.notMade}
      onClose={onClose}
      onSubmit={async () => {
        const expiry = days ? { expiresInDays: Number(days) } : {};
        const { key } = await createKey(path, { name: name.trim(), scopes: chosen, ...expiry });
        setMade(key);
        onMade();
      }}
    >
      <TextField label={words.name} hint={words.nameHint} maxLength={100} value={name} onChange={setName} />
      <ScopePicker chosen={chosen} onChange={setChosen} />
      <SelectField label={words.itEnds} value={days} onChange={setDays}>
        {EXPIRIES.map((each) => (
          <option key={each} value={each}>
            {expiryText(each)}
          </option>
        ))}
      </SelectField>
    </FormDialog>
  );
}

/** Picks what a key may do, one study at a time or everything. */
function ScopePicker({ chosen, onChange }: { chosen: string[]; onChange: (scopes: string[]) => void }) {
  const { scopes } = useBranding();
  const studies = useQuery(studyIdsQuery);
  const [study, setStudy] = useState('');
  const [right, setRight] = useState<Right>('write');
  const words = texts.manage.keys;
  const scope = study ? scopeOfStudy(scopes, study, right) : scopeOfSystem(scopes, right);
  return (
    <fieldset className="stack tight">
      <legend className="label">{words.whatItMay}</legend>
      <div className="row wrap scope-choice">
        <SelectField className="grow" label={words.where} value={study} onChange={setStudy}>
          <option value="">{words.everywhere}</option>
          {studies.data?.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </SelectField>
        <SelectField className="grow" label={words.what} value={right} onChange={(value) => setRight(value as Right)}>
          <option value="write">{study ? words.writeStudy : words.writeEverything}</option>
          <option value="read">{words.readOnly}</option>
        </SelectField>
        <button
          type="button"
          className="button"
          disabled={chosen.includes(scope)}
          onClick={() => onChange([...chosen, scope])}
        >
          {words.add}
        </button>
      </div>
      {chosen.length === 0 && <p className="hint">{words.nothingYet}</p>}
      <ul className="stack tight">
        {chosen.map((each) => (
          <li key={each} className="row spread">
            <span>
              {meaning(each, scopes)} <code className="faint">{each}</code>
            </span>
            <button
              type="button"
              className="button plain compact"
              onClick={() => onChange(chosen.filter((other) => other !== each))}
            >
              {words.remove}
              <span className="visually-hidden"> {each}</span>
            </button>
          </li>
        ))}
      </ul>
    </fieldset>
  );
}

function MadeKey({ name, text, onClose }: { name: string; text: string; onClose: () => void }) {
  const words = texts.manage.keys;
  return (
    <Dialog
      title={words.theKey(name)}
      onClose={onClose}
      footer={
        <button type="button" className="button primary" onClick={onClose}>
          {words.kept}
        </button>
      }
    >
      <div className="stack">
        <Notice kind="warning">
          <strong>{words.onlyNow}</strong>
          <p>{words.keepIt}</p>
        </Notice>
        <pre className="code-block made-key" tabIndex={0}>
          {text}
        </pre>
        <CopyButton text={() => text} label={words.copy} />
        <p className="soft">
          {words.use.before} <code>Authorization: Bearer …</code>
          {words.use.after}
        </p>
      </div>
    </Dialog>
  );
}
