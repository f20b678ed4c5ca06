// The filter as text: to copy it, or to paste one from elsewhere.

import { useState } from 'react';

import { CopyButton } from '../design/CopyButton';
import { CodeField } from '../design/Field';
import { FormDialog } from '../design/FormDialog';
import { useExplore } from '../explore/context';
import { texts } from '../texts';
import { sentence } from './describe';
import { fieldsIn } from './elements';
import { type Group, parse } from './sqon';

export function SqonDialog({ onClose }: { onClose: () => void }) {
  const { catalogue, state, setFilter, setNames } = useExplore();
  const [text, setText] = useState(state.filter ? JSON.stringify(state.filter, null, 2) : '');
  let filter: Group | null = null;
  let mistake: string | null = null;
  try {
    filter = parse(text);
    const unknown = filter ? fieldsIn(filter).find((name) => !catalogue.findField(name)) : undefined;
    if (unknown) mistake = texts.query.noField(unknown);
  } catch (error) {
    mistake = (error as Error).message;
  }
  return (
    <FormDialog
      title={texts.query.filterAsText}
      action={texts.query.useFilter}
      canSubmit={mistake === null}
      buttons={<CopyButton text={() => text} />}
      onClose={onClose}
      onSubmit={() => {
        setFilter(filter);
        onClose();
      }}
    >
      <CodeField
        label="SQON (JSON)"
        rows={14}
        value={text}
        mistake={mistake}
        note={filter ? texts.query.thisSays(sentence(filter, catalogue, setNames)) : texts.query.noFilter}
        onChange={setText}
        placeholder='{"op": "in", "content": {"fieldName": "…", "value": ["…"]}}'
      />
    </FormDialog>
  );
}
