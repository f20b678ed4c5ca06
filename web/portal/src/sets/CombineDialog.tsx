// Combines sets: union, intersection or difference, with the number of records that each would find.

import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';

import type { Catalogue } from '../api/catalogue';
import { SelectField, TextField } from '../design/Field';
import { counted } from '../design/format';
import { FormDialog } from '../design/FormDialog';
import { Notice } from '../design/Notice';
import { texts } from '../texts';
import {
  combined,
  type Combination,
  COMBINATIONS,
  countCombinations,
  MAX_NAME_LENGTH,
  type SavedSet,
  saveSet,
} from './api';
import { Venn } from './Venn';

interface CombineDialogProps {
  catalogue: Catalogue;
  sets: SavedSet[];
  onClose: () => void;
  onSaved: () => void;
}

function nameOf({ name, setId }: SavedSet): string {
  return name || setId.slice(0, 8);
}

export function CombineDialog({ catalogue, sets, onClose, onSaved }: CombineDialogProps) {
  const [combination, setCombination] = useState<Combination>('union');
  const [base, setBase] = useState(sets[0]?.setId ?? '');
  const [name, setName] = useState<string | null>(null);
  const id = useId();
  const ordered = [...sets.filter(({ setId }) => setId === base), ...sets.filter(({ setId }) => setId !== base)];
  const names = ordered.map(nameOf);
  const [first = '', ...others] = names;
  const path = sets[0]?.path ?? '';
  const isOneField = sets.every((set) => set.path === path);
  const counts = useQuery({
    queryKey: ['combinations', catalogue.id, ordered.map(({ setId }) => setId)],
    queryFn: ({ signal }) => countCombinations(catalogue, ordered, signal),
    enabled: isOneField,
  });
  const { inAny, inAll, inFirstOnly, nameOfUnion, nameOfIntersection, nameOfDifference } = texts.sets;
  const choices: Record<Combination, [text: string, name: string]> = {
    union: [inAny(names), nameOfUnion(names)],
    intersection: [inAll(names), nameOfIntersection(names)],
    difference: [inFirstOnly(first, others), nameOfDifference(first, others)],
  };
  const chosenName = name ?? choices[combination][1].slice(0, MAX_NAME_LENGTH);
  return (
    <FormDialog
      title={texts.sets.combineSets}
      action={texts.sets.saveAsNew}
      pendingAction={texts.sets.saving}
      canSubmit={isOneField}
      errorTitle={texts.sets.notSaved}
      onClose={onClose}
      onSubmit={async () => {
        await saveSet(catalogue, chosenName.trim(), path, combined(combination, ordered));
        onSaved();
        onClose();
      }}
    >
      {!isOneField && (
        <Notice kind="warning">
          <p>{texts.sets.differentFields}</p>
        </Notice>
      )}
      {counts.data && <Venn names={names} counts={counts.data.regions} />}
      <fieldset className="stack">
        <legend className="label">{texts.sets.whatItHas}</legend>
        {COMBINATIONS.map((choice) => (
          <label key={choice} className="row choice">
            <input
              type="radio"
              name={`${id}-combination`}
              checked={combination === choice}
              onChange={() => setCombination(choice)}
            />
            <span>
              {choices[choice][0]}
              {counts.data && (
                <span className="faint number"> · {counted(counts.data.totals[choice], catalogue.documentType)}</span>
              )}
            </span>
          </label>
        ))}
      </fieldset>
      {combination === 'difference' && (
        <SelectField label={texts.sets.takeAwayFrom} value={base} onChange={setBase}>
          {sets.map((set) => (
            <option key={set.setId} value={set.setId}>
              {nameOf(set)}
            </option>
          ))}
        </SelectField>
      )}
      <TextField label={texts.sets.name} maxLength={MAX_NAME_LENGTH} value={chosenName} onChange={setName} />
    </FormDialog>
  );
}
