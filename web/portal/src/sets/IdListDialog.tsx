// Makes a set of a list of ids, and tells which of them the catalogue does not have.

import { type DragEvent, useId, useState } from 'react';

import type { Catalogue } from '../api/catalogue';
import { CopyButton } from '../design/CopyButton';
import { Dialog } from '../design/Dialog';
import { count } from '../design/format';
import { Icon } from '../design/Icon';
import { Failure, Notice } from '../design/Notice';
import { announce } from '../shell/announce';
import { saveSet } from './api';
import { idFields } from './idFields';
import { type Match, matchIds, readIds } from './idList';

interface IdListProps {
  catalogue: Catalogue;
  onClose: () => void;
  onSaved: () => void;
}

export function IdListDialog({ catalogue, onClose, onSaved }: IdListProps) {
  const fields = idFields(catalogue);
  const [text, setText] = useState('');
  const [path, setPath] = useState(fields[0]?.name ?? '');
  const [name, setName] = useState('');
  const [match, setMatch] = useState<Match | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const id = useId();
  const ids = readIds(text);
  const field = catalogue.fields.get(path);

  const change = (next: string) => {
    setText(next);
    setMatch(null);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    const [file] = event.dataTransfer.files;
    if (file) void file.text().then(change);
  };
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true);
    setFailure(null);
    try {
      await work();
    } catch (reason) {
      setFailure(reason);
    }
    setBusy(false);
  };
  const look = () =>
    attempt(async () => {
      if (!field) return;
      const result = await matchIds(catalogue, field, ids);
      setMatch(result);
      announce(`${count(result.found.length)} found, ${count(result.missing.length)} not found`);
    });
  const save = () =>
    attempt(async () => {
      if (!match) return;
      await saveSet(catalogue, name.trim(), path, { op: 'in', content: { fieldName: path, value: match.found } });
      onSaved();
      onClose();
    });
  const footer = match ? (
    <button
      type="button"
      className="button primary"
      disabled={busy || match.found.length === 0 || !name.trim()}
      onClick={() => void save()}
    >
      Save {count(match.found.length)} as a set
    </button>
  ) : (
    <button
      type="button"
      className="button primary"
      disabled={busy || ids.length === 0 || !field}
      onClick={() => void look()}
    >
      {busy ? 'Looking…' : `Look up ${count(ids.length)} ids`}
    </button>
  );
  return (
    <Dialog title={`A set of ${catalogue.label.toLowerCase()} from a list`} onClose={onClose} footer={footer}>
      <div className="stack" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
        <div className="field">
          <label htmlFor={`${id}-path`}>The ids are</label>
          <select
            id={`${id}-path`}
            value={path}
            onChange={(event) => {
              setPath(event.target.value);
              setMatch(null);
            }}
          >
            {fields.map((each) => (
              <option key={each.name} value={each.name}>
                {each.label}
              </option>
            ))}
          </select>
        </div>
        <div className="field">
          <label htmlFor={`${id}-text`}>Ids</label>
          <textarea
            id={`${id}-text`}
            className="code"
            rows={7}
            spellCheck={false}
            value={text}
            onChange={(event) => change(event.target.value)}
            placeholder="One on each line, or separated by commas or spaces. A file can be dropped here."
          />
        </div>
        <label className="row">
          <span className="button">
            <Icon name="upload" />
            Choose a file
          </span>
          <input
            type="file"
            accept=".txt,.csv,.tsv,text/*"
            className="visually-hidden"
            onChange={(event) => {
              const file = event.target.files?.[0];
              if (file) void file.text().then(change);
            }}
          />
          <span className="soft small">{count(ids.length)} different ids</span>
        </label>
        {match && (
          <>
            <Notice kind={match.missing.length ? 'warning' : 'good'}>
              <p>
                <strong>{count(match.found.length)}</strong> of {count(ids.length)} are in this catalogue
                {match.missing.length ? `, ${count(match.missing.length)} are not:` : '.'}
              </p>
              {match.missing.length > 0 && (
                <>
                  <p className="mono">
                    {match.missing.slice(0, 12).join(', ')}
                    {match.missing.length > 12 && ' …'}
                  </p>
                  <div>
                    <CopyButton
                      className="button compact"
                      text={() => match.missing.join('\n')}
                      label="Copy those not found"
                    />
                  </div>
                </>
              )}
            </Notice>
            <div className="field">
              <label htmlFor={`${id}-name`}>Name of the set</label>
              <input
                id={`${id}-name`}
                type="text"
                maxLength={200}
                value={name}
                onChange={(event) => setName(event.target.value)}
              />
            </div>
          </>
        )}
        {failure ? <Failure failure={failure} /> : null}
      </div>
    </Dialog>
  );
}
