// Combines two sets: union, intersection or difference.

import { useId, useState } from 'react';

import type { Catalogue } from '../api/catalogue';
import { TextField } from '../design/Field';
import { FormDialog } from '../design/FormDialog';
import { Notice } from '../design/Notice';
import { combined, type Combination, MAX_NAME_LENGTH, type SavedSet, saveSet } from './api';

interface CombineDialogProps {
  catalogue: Catalogue;
  first: SavedSet;
  second: SavedSet;
  onClose: () => void;
  onSaved: () => void;
}

export function CombineDialog({ catalogue, first, second, onClose, onSaved }: CombineDialogProps) {
  const [combination, setCombination] = useState<Combination>('union');
  const [isSwapped, setSwapped] = useState(false);
  const [name, setName] = useState<string | null>(null);
  const id = useId();
  const [a, b] = isSwapped ? [second, first] : [first, second];
  const defaultNames: Record<Combination, string> = {
    union: `${a.name} or ${b.name}`,
    intersection: `${a.name} and ${b.name}`,
    difference: `${a.name} without ${b.name}`,
  };
  const choices: [Combination, string][] = [
    ['union', `In “${a.name}” or in “${b.name}”, or in both`],
    ['intersection', `In “${a.name}” and in “${b.name}”`],
    ['difference', `In “${a.name}” but not in “${b.name}”`],
  ];
  const nameOrDefault = name ?? defaultNames[combination];
  const isOneField = first.path === second.path;
  return (
    <FormDialog
      title="Combine two sets"
      action="Save as a new set"
      pendingAction="Saving…"
      canSubmit={isOneField}
      errorTitle="The set was not saved"
      onClose={onClose}
      onSubmit={async () => {
        await saveSet(catalogue, nameOrDefault.trim(), a.path, combined(combination, a, b));
        onSaved();
        onClose();
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
            <input
              type="radio"
              name={`${id}-combination`}
              checked={combination === choice}
              onChange={() => setCombination(choice)}
            />
            <span>{text}</span>
          </label>
        ))}
      </fieldset>
      {combination === 'difference' && (
        <div>
          <button type="button" className="button compact" onClick={() => setSwapped(!isSwapped)}>
            Swap the two
          </button>
        </div>
      )}
      <TextField label="Name" maxLength={MAX_NAME_LENGTH} value={nameOrDefault} onChange={setName} />
    </FormDialog>
  );
}
