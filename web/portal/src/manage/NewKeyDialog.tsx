// Makes an API key and shows it, this once.

import { type ReactNode, useId, useState } from 'react';

import { CopyButton } from '../design/CopyButton';
import { Dialog } from '../design/Dialog';
import { Failure, Notice } from '../design/Notice';
import { useBranding } from '../shell/branding';
import { useLoaded } from '../shell/useLoaded';
import { studyIds } from './api';
import { createKey, meaning, type Right, scopeOfStudy, scopeOfSystem } from './keys';

const ENDS: [string, string][] = [
  ['30', 'in 30 days'],
  ['90', 'in 90 days'],
  ['365', 'in a year'],
  ['', 'never'],
];

export function NewKeyDialog({ onClose, onMade }: { onClose: () => void; onMade: () => void }) {
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<string[]>([]);
  const [days, setDays] = useState('90');
  const [made, setMade] = useState<string | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const id = useId();
  const make = async () => {
    try {
      const { key } = await createKey({
        name: name.trim(),
        scopes: chosen,
        ...(days && { expiresInDays: Number(days) }),
      });
      setMade(key);
      onMade();
    } catch (reason) {
      setFailure(reason);
    }
  };
  if (made) return <MadeKey name={name.trim()} text={made} onClose={onClose} />;
  return (
    <Dialog
      title="Make a key"
      onClose={onClose}
      footer={
        <button type="submit" form={id} className="button primary" disabled={!name.trim() || chosen.length === 0}>
          Make the key
        </button>
      }
    >
      <form
        id={id}
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void make();
        }}
      >
        <div className="field">
          <label htmlFor={`${id}-name`}>Name</label>
          <input
            id={`${id}-name`}
            type="text"
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
          <span className="hint">Who or what will use it</span>
        </div>
        <ScopePicker chosen={chosen} onChange={setChosen} />
        <div className="field">
          <label htmlFor={`${id}-ends`}>It ends</label>
          <select id={`${id}-ends`} value={days} onChange={(event) => setDays(event.target.value)}>
            {ENDS.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </div>
        {failure ? <Failure failure={failure} title="The key was not made" /> : null}
      </form>
    </Dialog>
  );
}

/** Picks what a key may do, one study at a time or everything. */
function ScopePicker({ chosen, onChange }: { chosen: string[]; onChange: (scopes: string[]) => void }) {
  const { scopes } = useBranding();
  const studies = useLoaded('studies', studyIds);
  const [study, setStudy] = useState('');
  const [right, setRight] = useState<Right>('write');
  const id = useId();
  const scope = study ? scopeOfStudy(scopes, study, right) : scopeOfSystem(scopes, right);
  return (
    <fieldset className="stack tight">
      <legend className="label">What it may do</legend>
      <div className="row wrap scope-choice">
        <Choice id={`${id}-study`} label="Where" value={study} onChange={setStudy}>
          <option value="">All studies and the server</option>
          {studies.data?.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </Choice>
        <Choice id={`${id}-right`} label="What" value={right} onChange={(value) => setRight(value as Right)}>
          <option value="write">{study ? 'Read, submit and change' : 'Everything, also types, keys and jobs'}</option>
          <option value="read">Read only</option>
        </Choice>
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

interface ChoiceProps {
  id: string;
  label: string;
  value: string;
  onChange: (value: string) => void;
  children: ReactNode;
}

function Choice({ id, label, value, onChange, children }: ChoiceProps) {
  return (
    <div className="field grow">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        {children}
      </select>
    </div>
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
