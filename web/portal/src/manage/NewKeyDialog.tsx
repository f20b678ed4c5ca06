// Creates an API key and shows it once.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { CopyButton } from '../design/CopyButton';
import { Dialog } from '../design/Dialog';
import { SelectField, TextField } from '../design/Field';
import { FormDialog } from '../design/FormDialog';
import { Notice } from '../design/Notice';
import { useBranding } from '../shell/branding';
import { studyIdsQuery } from './api';
import { createKey, type KeysPath, meaning, type Right, scopeOfStudy, scopeOfSystem } from './keys';

const EXPIRIES: [string, string][] = [
  ['30', 'in 30 days'],
  ['90', 'in 90 days'],
  ['365', 'in a year'],
  ['', 'never'],
];

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
  if (made) return <MadeKey name={name.trim()} text={made} onClose={onClose} />;
  return (
    <FormDialog
      title="Make a key"
      action="Make the key"
      canSubmit={name.trim() !== '' && chosen.length > 0}
      errorTitle="The key was not made"
      onClose={onClose}
      onSubmit={async () => {
        const expiry = days ? { expiresInDays: Number(days) } : {};
        const { key } = await createKey(path, { name: name.trim(), scopes: chosen, ...expiry });
        setMade(key);
        onMade();
      }}
    >
      <TextField label="Name" hint="Who or what will use it" maxLength={100} value={name} onChange={setName} />
      <ScopePicker chosen={chosen} onChange={setChosen} />
      <SelectField label="It ends" value={days} onChange={setDays}>
        {EXPIRIES.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
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
  const scope = study ? scopeOfStudy(scopes, study, right) : scopeOfSystem(scopes, right);
  return (
    <fieldset className="stack tight">
      <legend className="label">What it may do</legend>
      <div className="row wrap scope-choice">
        <SelectField className="grow" label="Where" value={study} onChange={setStudy}>
          <option value="">All studies and the server</option>
          {studies.data?.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </SelectField>
        <SelectField className="grow" label="What" value={right} onChange={(value) => setRight(value as Right)}>
          <option value="write">{study ? 'Read, submit and change' : 'Everything, also types, keys and jobs'}</option>
          <option value="read">Read only</option>
        </SelectField>
        <button
          type="button"
          className="button"
          disabled={chosen.includes(scope)}
          onClick={() => onChange([...chosen, scope])}
        >
          Add
        </button>
      </div>
      {chosen.length === 0 && <p className="hint">Nothing yet: choose and press Add.</p>}
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
              Remove<span className="visually-hidden"> {each}</span>
            </button>
          </li>
        ))}
      </ul>
    </fieldset>
  );
}

function MadeKey({ name, text, onClose }: { name: string; text: string; onClose: () => void }) {
  return (
    <Dialog
      title={`The key “${name}”`}
      onClose={onClose}
      footer={
        <button type="button" className="button primary" onClick={onClose}>
          I have kept it
        </button>
      }
    >
      <div className="stack">
        <Notice kind="warning">
          <strong>It is shown only now</strong>
          <p>Copy it and keep it like a password. Nobody, not even the server, can show it again.</p>
        </Notice>
        <pre className="code-block made-key" tabIndex={0}>
          {text}
        </pre>
        <CopyButton text={() => text} label="Copy the key" />
        <p className="soft">
          Programs send it as <code>Authorization: Bearer …</code>; in this portal it goes where “Enter a key” asks for
          it.
        </p>
      </div>
    </Dialog>
  );
}
