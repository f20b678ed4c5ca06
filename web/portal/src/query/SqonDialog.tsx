// The filter as text: to copy it, or to paste one from elsewhere.

import { useId, useState } from 'react';

import { CopyButton } from '../design/CopyButton';
import { Dialog } from '../design/Dialog';
import { useExplore } from '../explore/context';
import { sentence } from './describe';
import { fieldsOf, type Group, isGroup, parse, type Sqon } from './sqon';

export function SqonDialog({ onClose }: { onClose: () => void }) {
  const { catalogue, state, setFilter } = useExplore();
  const [text, setText] = useState(state.filter ? JSON.stringify(state.filter, null, 2) : '');
  const id = useId();
  let filter: Group | null = null;
  let mistake: string | null = null;
  try {
    filter = parse(text);
    const unknown = filter
      ? namesIn(filter).find((name) => !catalogue.fields.has(name.replaceAll('__', '.')))
      : undefined;
    if (unknown) mistake = `This catalogue has no field “${unknown}”.`;
  } catch (failure) {
    mistake = (failure as Error).message;
  }
  const apply = () => {
    setFilter(filter);
    onClose();
  };
  const footer = (
    <>
      <CopyButton text={() => text} />
      <button type="submit" form={id} className="button primary" disabled={mistake !== null}>
        Use this filter
      </button>
    </>
  );
  return (
    <Dialog title="Filter as text" onClose={onClose} footer={footer}>
      <form
        id={id}
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (!mistake) apply();
        }}
      >
        <div className="field">
          <label htmlFor={`${id}-text`}>SQON (JSON)</label>
          <textarea
            id={`${id}-text`}
            className="code"
            rows={14}
            spellCheck={false}
            value={text}
            aria-invalid={mistake !== null}
            aria-describedby={`${id}-said`}
            onChange={(event) => setText(event.target.value)}
            placeholder='{"op": "in", "content": {"fieldName": "…", "value": ["…"]}}'
          />
          <p id={`${id}-said`} className={mistake ? 'mistake' : 'hint'} aria-live="polite">
            {mistake ?? (filter ? `This says: ${sentence(filter, catalogue)}` : 'No filter: everything matches.')}
          </p>
        </div>
      </form>
    </Dialog>
  );
}

function namesIn(node: Sqon): string[] {
  return isGroup(node) ? node.content.flatMap(namesIn) : fieldsOf(node);
}
