// Chooses what one side of a comparison is: everything, or a saved set.

import { SelectField } from '../design/Field';
import { asRoot, type Group, stringify } from '../query/sqon';
import { membersOf, type SavedSet } from '../sets/api';
import { texts } from '../texts';

interface SideChoiceProps {
  /** The name of the side. */
  name: string;
  filter: Group | null;
  sets: SavedSet[];
  /** Takes the filter as text. */
  onChoose: (filter: string) => void;
}

export function SideChoice({ name, filter, sets, onChoose }: SideChoiceProps) {
  const chosen = stringify(filter);
  const choices = sets.map((set) => ({ set, text: stringify(asRoot(membersOf(set))) }));
  const isOther = chosen !== '' && choices.every(({ text }) => text !== chosen);
  return (
    <SelectField label={texts.compare.choose(name)} value={chosen} onChange={onChoose}>
      {isOther && <option value={chosen}>{texts.compare.thisFilter}</option>}
      <option value="">{texts.compare.everything}</option>
      {choices.map(({ set, text }) => (
        <option key={set.setId} value={text}>
          {set.name ?? set.setId}
        </option>
      ))}
    </SelectField>
  );
}
