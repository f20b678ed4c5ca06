// A labelled control of a form.

import { type InputHTMLAttributes, type ReactNode, useId } from 'react';

interface FieldProps {
  label: string;
  hint?: string | undefined;
  className?: string;
  /** Renders the control; the id connects it with its label. */
  children: (id: string) => ReactNode;
}

function Field({ label, hint, className = '', children }: FieldProps) {
  const id = useId();
  return (
    <div className={`field ${className}`}>
      <label htmlFor={id}>{label}</label>
      {children(id)}
      {hint && <span className="hint">{hint}</span>}
    </div>
  );
}

interface ControlProps {
  label: string;
  hint?: string | undefined;
  value: string;
  onChange: (value: string) => void;
}

type TextFieldProps = ControlProps & Omit<InputHTMLAttributes<HTMLInputElement>, 'id' | 'value' | 'onChange'>;

export function TextField({ label, hint, onChange, ...input }: TextFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {(id) => <input type="text" {...input} id={id} onChange={(event) => onChange(event.target.value)} />}
    </Field>
  );
}

interface SelectFieldProps extends ControlProps {
  className?: string;
  /** The `<option>`s. */
  children: ReactNode;
}

export function SelectField({ label, hint, className, value, onChange, children }: SelectFieldProps) {
  return (
    <Field label={label} hint={hint} className={className ?? ''}>
      {(id) => (
        <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
          {children}
        </select>
      )}
    </Field>
  );
}

interface CodeFieldProps {
  label: string;
  rows: number;
  value: string;
  placeholder?: string;
  /** What is wrong with the text; it takes the place of the note. */
  mistake?: string | null | undefined;
  note?: string;
  onChange: (value: string) => void;
}

/** Text for programs, such as JSON, with a line below that says what is wrong with it. */
export function CodeField({ label, rows, value, placeholder, mistake, note, onChange }: CodeFieldProps) {
  return (
    <Field label={label}>
      {(id) => (
        <>
          <textarea
            id={id}
            className="code"
            rows={rows}
            spellCheck={false}
            value={value}
            placeholder={placeholder}
            aria-invalid={Boolean(mistake)}
            aria-describedby={`${id}-note`}
            onChange={(event) => onChange(event.target.value)}
          />
          <p id={`${id}-note`} className={mistake ? 'mistake' : 'hint'} aria-live="polite">
            {mistake ?? note}
          </p>
        </>
      )}
    </Field>
  );
}
