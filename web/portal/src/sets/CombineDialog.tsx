// Two sets put together: either, both, or the first without the second.

import { useId, useState } from 'react';

import type { Catalogue } from '../api/catalogue';
import { Dialog } from '../design/Dialog';
import { Failure, Notice } from '../design/Notice';
import { combined, type Combination, type SavedSet, saveSet } from './api';

interface CombineProps {
  catalogue: Catalogue;
  first: SavedSet;
  second: SavedSet;
  onClose: () => void;
  onSaved: () => void;
}

export function CombineDialog({ catalogue, first, second, onClose, onSaved }: CombineProps) {
  const [how, setHow] = useState<Combination>('union');
  const [isTurned, setTurned] = useState(false);
  const [a, b] = isTurned ? [second, first] : [first, second];
  const words: Record<Combination, string> = {
    union: `${a.name} or ${b.name}`,
    intersection: `${a.name} and ${b.name}`,
    difference: `${a.name} without ${b.name}`,
  };
  const [name, setName] = useState<string | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const id = useId();
  const isOneField = first.path === second.path;
  const save = async () => {
    setBusy(true);
    setFailure(null);
    try {
      await saveSet(catalogue, (name ?? words[how]).trim(), a.path, combined(how, a, b));
      onSaved();
      onClose();
    } catch (reason) {
      setFailure(reason);
      setBusy(false);
    }
  };
  const choices: [Combination, string][] = [
    ['union', `In “${a.name}” or in “${b.name}”, or in both`],
    ['intersection', `In “${a.name}” and in “${b.name}”`],
    ['difference', `In “${a.name}” but not in “${b.name}”`],
  ];
  return (
    <Dialog
      title="Combine two sets"
      onClose={onClose}
      footer={
        <button type="submit" form={id} className="button primary" disabled={busy || !isOneField}>
          {busy ? 'Saving…' : 'Save as a new set'}
        </button>
      }
    >
      <form
        id={id}
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        {!isOneField && (
          <Notice kind="warning">
            <p>These sets are of different fields. Choose two of the same field.</p>
          </Notice>
        )}
        <fieldset className="stack">
          <legend className="label">What the new set has</legend>
          {choices.map(([choice, text]) => (
            <label key={choice} className="row choice">
              <input type="radio" name={`${id}-how`} checked={how === choice} onChange={() => setHow(choice)} />
              <span>{text}</span>
            </label>
          ))}
        </fieldset>
        {how === 'difference' && (
          <div>
            <button type="button" className="button compact" onClick={() => setTurned(!isTurned)}>
              Swap the two
            </button>
          </div>
        )}
        <div className="field">
          <label htmlFor={`${id}-name`}>Name</label>
          <input
            id={`${id}-name`}
            type="text"
            maxLength={200}
            value={name ?? words[how]}
            onChange={(event) => setName(event.target.value)}
          />
        </div>
        {failure ? <Failure failure={failure} title="The set was not saved" /> : null}
      </form>
    </Dialog>
  );
}
