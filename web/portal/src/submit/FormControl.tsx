// What a single value of a form is written with.

import { useEffect, useState } from 'react';

import { messageOf } from '../api/client';
import { valueText } from '../manage/jsonSchema';
import { texts } from '../texts';
import { type FormNode, type Json, readNumber } from './formModel';
import { useFormScope } from './formScope';

interface ControlProps {
  node: FormNode;
  at: string;
  value: Json | undefined;
  onChange: (value: Json | undefined) => void;
  /** What every control has. */
  shared: {
    id: string;
    required: boolean;
    'aria-invalid': boolean;
    'aria-describedby': string;
    onBlur: () => void;
  };
}

export function Control(props: ControlProps) {
  const { node, value, onChange, shared } = props;
  switch (node.kind) {
    case 'choice':
      return <ChoiceControl {...props} values={node.values} titles={node.titles} />;
    case 'truth':
      return <ChoiceControl {...props} values={[true, false]} titles={[]} />;
    case 'integer':
    case 'number':
      return <NumberControl {...props} />;
    case 'text':
    case 'date':
      return (
        <input
          {...shared}
          type={node.kind}
          value={typeof value === 'string' ? value : ''}
          onChange={(event) => onChange(event.target.value || undefined)}
        />
      );
    default:
      return <JsonControl {...props} />;
  }
}

function choiceText(value: Json): string {
  const { yes, no, none } = texts.submit;
  if (value === null) return none;
  return typeof value === 'boolean' ? (value ? yes : no) : valueText(value);
}

interface ChoiceControlProps extends ControlProps {
  values: Json[];
  titles: (string | undefined)[];
}

function ChoiceControl({ values, titles, value, onChange, shared }: ChoiceControlProps) {
  const chosen = values.findIndex((each) => JSON.stringify(each) === JSON.stringify(value));
  return (
    <select
      {...shared}
      value={chosen < 0 ? '' : chosen}
      onChange={(event) => onChange(event.target.value === '' ? undefined : values[Number(event.target.value)])}
    >
      <option value="">–</option>
      {values.map((each, index) => (
        <option key={index} value={index}>
          {titles[index] ?? choiceText(each)}
        </option>
      ))}
    </select>
  );
}

/** Keeps what is typed as long as it means the value: `1.0` on the way to `1.05`. */
function NumberControl({ value, onChange, shared }: ControlProps) {
  const [typed, setTyped] = useState('');
  const shown = readNumber(typed) === value ? typed : value === undefined ? '' : valueText(value);
  return (
    <input
      {...shared}
      type="text"
      inputMode="decimal"
      value={shown}
      onChange={(event) => {
        setTyped(event.target.value);
        onChange(readNumber(event.target.value));
      }}
    />
  );
}

function JsonControl({ at, value, onChange, shared }: ControlProps) {
  const { setUnreadable } = useFormScope();
  const [typed, setTyped] = useState(() => (value === undefined ? '' : JSON.stringify(value, null, 2)));
  // A field that was removed has nothing that cannot be read.
  useEffect(() => () => setUnreadable(at, null), [at, setUnreadable]);
  const change = (text: string) => {
    setTyped(text);
    try {
      onChange(text.trim() ? (JSON.parse(text) as Json) : undefined);
      setUnreadable(at, null);
    } catch (error) {
      setUnreadable(at, texts.submit.notJson(messageOf(error)));
    }
  };
  return (
    <textarea
      {...shared}
      className="code form-json"
      rows={3}
      spellCheck={false}
      placeholder="JSON"
      value={typed}
      onChange={(event) => change(event.target.value)}
    />
  );
}
