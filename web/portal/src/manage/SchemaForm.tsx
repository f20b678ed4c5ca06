// The properties of a schema as rows: name, type, allowed values, whether they are required.

import { useId } from 'react';

import { Icon } from '../design/Icon';
import { texts } from '../texts';

export type SchemaObject = { [keyword: string]: unknown };

const TYPES = ['string', 'integer', 'number', 'boolean', 'object', 'array'];

interface SchemaFormProps {
  schema: SchemaObject;
  onChange: (schema: SchemaObject) => void;
  /** Names that cannot be removed. */
  fixed?: string[];
  label: string;
}

export function SchemaForm({ schema, onChange, fixed = [], label }: SchemaFormProps) {
  const properties = (schema.properties ?? {}) as Record<string, SchemaObject>;
  const required = Array.isArray(schema.required) ? (schema.required as string[]) : [];
  const entries = Object.entries(properties);
  const set = (next: [string, SchemaObject][], nextRequired = required) =>
    onChange({ ...schema, properties: Object.fromEntries(next), required: nextRequired });
  const add = () => {
    let name = 'property';
    for (let number = 2; name in properties; number += 1) name = `property${number}`;
    set([...entries, [name, { type: 'string' }]]);
  };
  return (
    <div className="stack tight" role="group" aria-label={label}>
      {entries.map(([name, part], index) => (
        // The name changes while it is typed; the place stays.
        <Property
          key={index}
          name={name}
          part={part}
          isRequired={required.includes(name)}
          isFixed={fixed.includes(name)}
          onRename={(next) => {
            if (!next || next in properties) return;
            set(
              entries.map((entry) => (entry[0] === name ? [next, part] : entry)),
              required.map((each) => (each === name ? next : each)),
            );
          }}
          onChange={(next) => set(entries.map((entry) => (entry[0] === name ? [name, next] : entry)))}
          onRequire={(isRequired) =>
            set(entries, isRequired ? [...required, name] : required.filter((each) => each !== name))
          }
          onRemove={() =>
            set(
              entries.filter((entry) => entry[0] !== name),
              required.filter((each) => each !== name),
            )
          }
        />
      ))}
      <div>
        <button type="button" className="button compact" onClick={add}>
          <Icon name="plus" size={14} />
          {texts.manage.editor.addTo(label)}
        </button>
      </div>
    </div>
  );
}

interface PropertyProps {
  name: string;
  part: SchemaObject;
  isRequired: boolean;
  isFixed: boolean;
  onRename: (name: string) => void;
  onChange: (part: SchemaObject) => void;
  onRequire: (isRequired: boolean) => void;
  onRemove: () => void;
}

function Property({ name, part, isRequired, isFixed, onRename, onChange, onRequire, onRemove }: PropertyProps) {
  const id = useId();
  const words = texts.manage.editor;
  const type = typeof part.type === 'string' ? part.type : '';
  const items = (part.items ?? {}) as SchemaObject;
  const values = Array.isArray(part.enum) ? part.enum.join(', ') : '';
  const setType = (next: string) => {
    const { enum: _values, properties: _properties, required: _required, items: _items, ...rest } = part;
    onChange({
      ...rest,
      type: next,
      ...(next === 'object' ? { properties: {}, required: [] } : {}),
      ...(next === 'array' ? { items: { type: 'string' } } : {}),
    });
  };
  const setValues = (text: string) => {
    const { enum: _, ...rest } = part;
    const list = text
      .split(',')
      .map((each) => each.trim())
      .filter(Boolean);
    onChange(list.length ? { ...rest, enum: list } : rest);
  };
  return (
    <div>
      <div className="schema-row">
        <label className="visually-hidden" htmlFor={`${id}-name`}>
          {words.name}
        </label>
        <input
          id={`${id}-name`}
          type="text"
          className="code"
          value={name}
          disabled={isFixed}
          onChange={(event) => onRename(event.target.value)}
        />
        <label className="visually-hidden" htmlFor={`${id}-type`}>
          {words.typeOf(name)}
        </label>
        <select id={`${id}-type`} value={type} disabled={isFixed} onChange={(event) => setType(event.target.value)}>
          {!TYPES.includes(type) && <option value={type}>{words.other}</option>}
          {TYPES.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
        {type === 'string' ? (
          <>
            <label className="visually-hidden" htmlFor={`${id}-values`}>
              {words.valuesOf(name)}
            </label>
            <input
              id={`${id}-values`}
              type="text"
              placeholder={words.valuesHint}
              defaultValue={values}
              onBlur={(event) => setValues(event.target.value)}
            />
          </>
        ) : (
          <span className="faint small">{type ? '' : words.editAsText}</span>
        )}
        <label className="row small">
          <input
            type="checkbox"
            checked={isRequired}
            disabled={isFixed}
            onChange={(event) => onRequire(event.target.checked)}
          />
          {words.required}
        </label>
        <button
          type="button"
          className="button plain compact icon-only"
          aria-label={words.remove(name)}
          disabled={isFixed}
          onClick={onRemove}
        >
          <Icon name="trash" size={14} />
        </button>
      </div>
      {type === 'object' && (
        <div className="schema-inner">
          <SchemaForm schema={part} onChange={onChange} label={name} />
        </div>
      )}
      {type === 'array' && items.type === 'object' && (
        <div className="schema-inner">
          <SchemaForm
            schema={items}
            onChange={(next) => onChange({ ...part, items: next })}
            label={words.eachOf(name)}
          />
        </div>
      )}
    </div>
  );
}
