// Edits a new type or the next version of one: as a form or as text, with a sample that is checked on every change.

import { useMutation, useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';

import { messageOf } from '../api/client';
import type { AnalysisType } from '../api/types';
import { CodeField, TextField } from '../design/Field';
import { ErrorNotice, Notice, Skeleton } from '../design/Notice';
import { Tabs } from '../design/Tabs';
import { Link, useRouter } from '../shell/router';
import { registerType, versionsOf } from './api';
import { exampleOf } from './example';
import { problemsOfValidations, readValidations } from './externalRules';
import { check } from './jsonSchema';
import { PayloadView } from './PayloadView';
import { SchemaForm, type SchemaObject } from './SchemaForm';
import { problemsOf } from './typeRules';

const START: SchemaObject = {
  type: 'object',
  required: ['experiment'],
  properties: { experiment: { type: 'object', required: [], properties: {} } },
};

export default function TypeEditor({ name }: { name: string | null }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['types', name, 'latest'],
    queryFn: async ({ signal }) => (name ? (await versionsOf(name, signal))[0] : null),
    // What is edited must be the latest version, never a cached one.
    gcTime: 0,
  });
  if (error) return <ErrorNotice error={error} retry={refetch} title="This type cannot be edited" />;
  if (data === undefined) return <Skeleton lines={12} />;
  return <Editor before={data} />;
}

function parsed(text: string): { value?: SchemaObject; mistake?: string } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { value: value as SchemaObject }
      : { mistake: 'Expected an object.' };
  } catch (error) {
    return { mistake: `This is not JSON: ${messageOf(error)}` };
  }
}

function externalText(type: AnalysisType | null): string {
  const validations = type?.options.externalValidations ?? [];
  return validations.length ? JSON.stringify(validations, null, 2) : '';
}

function Editor({ before }: { before: AnalysisType | null }) {
  const { navigate } = useRouter();
  const [name, setName] = useState(before?.name ?? '');
  const [text, setText] = useState(JSON.stringify(before?.schema ?? START, null, 2));
  const [fileTypes, setFileTypes] = useState(before?.options.fileTypes?.join(', ') ?? '');
  const [external, setExternal] = useState(externalText(before));
  const [tab, setTab] = useState('Form');
  const id = useId();
  const { value: schema, mistake } = parsed(text);
  const validations = readValidations(external);
  const problems = [...(schema ? problemsOf(schema) : []), ...problemsOfValidations(validations.value ?? [])];
  const canSave = schema && validations.value && problems.length === 0 && /^[A-Za-z0-9._-]{1,225}$/.test(name);
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      if (!schema || !validations.value) return;
      const types = fileTypes
        .split(',')
        .map((each) => each.trim())
        .filter(Boolean);
      const options = { fileTypes: types, externalValidations: validations.value };
      await registerType({ name, schema, options });
      navigate(`/manage/types/${encodeURIComponent(name)}`);
    },
  });
  return (
    <>
      <div className="stack tight">
        <nav aria-label="Place" className="small">
          <Link to="/manage/types">Analysis types</Link> <span className="faint">/ {before?.name ?? 'New'}</span>
        </nav>
        <div className="row wrap spread">
          <h1>{before ? `Version ${before.version + 1} of ${before.name}` : 'A new analysis type'}</h1>
          <button type="button" className="button primary" disabled={!canSave || isPending} onClick={() => mutate()}>
            {isPending ? 'Saving…' : 'Register'}
          </button>
        </div>
      </div>
      {error && <ErrorNotice error={error} title="The server refused this type" />}
      <div className="editor">
        <section className="card stack" aria-label="Schema">
          <div className="row wrap">
            <div className="grow">
              <TextField label="Name" className="code" value={name} disabled={before !== null} onChange={setName} />
            </div>
            <div className="grow">
              <TextField label="File types" placeholder="any" value={fileTypes} onChange={setFileTypes} />
            </div>
          </div>
          <Tabs id={id} label="How to edit" tabs={['Form', 'Text']} chosen={tab} onChoose={setTab} />
          <div id={`${id}-panel`} role="tabpanel" aria-label={tab}>
            {tab === 'Form' && schema && (
              <SchemaForm
                schema={schema}
                fixed={['experiment']}
                label="the payload"
                onChange={(next) => setText(JSON.stringify(next, null, 2))}
              />
            )}
            {tab === 'Form' && !schema && (
              <Notice kind="warning">
                <p>The text is not valid JSON at the moment; correct it there first.</p>
              </Notice>
            )}
            {tab === 'Text' && (
              <div className="stack">
                <CodeField label="JSON Schema" rows={22} value={text} onChange={setText} />
                <CodeField
                  label="External validations"
                  rows={4}
                  placeholder="none"
                  value={external}
                  note="A list of objects with the url of a service and the jsonPath of the values that it checks."
                  onChange={setExternal}
                />
              </div>
            )}
          </div>
          <div aria-live="polite">
            {mistake && <p className="mistake">{mistake}</p>}
            {validations.mistake && <p className="mistake">External validations: {validations.mistake}</p>}
            {problems.map((problem) => (
              <p key={problem} className="mistake">
                {problem}
              </p>
            ))}
            {!mistake && !validations.mistake && problems.length === 0 && (
              <p className="small soft">The schema keeps the rules.</p>
            )}
          </div>
        </section>
        <Sample schema={schema} name={name} />
      </div>
    </>
  );
}

/** A payload that is checked against the schema. */
function Sample({ schema, name }: { schema: SchemaObject | undefined; name: string }) {
  const example = () => (schema ? JSON.stringify(exampleOf({ name, version: 1, schema }, 'STUDY'), null, 2) : '');
  // Made of the first schema; later ones are what it is checked against.
  const [text, setText] = useState(example);
  const sample = parsed(text);
  const violations = schema && sample.value ? check(sample.value, schema) : [];
  return (
    <section className="card stack" aria-label="Sample">
      <div className="row spread">
        <h2>A sample</h2>
        <button type="button" className="button compact" onClick={() => setText(example())}>
          Make a new one
        </button>
      </div>
      <CodeField
        label="Payload"
        rows={12}
        value={text}
        mistake={text ? sample.mistake : undefined}
        onChange={setText}
      />
      <div aria-live="polite">
        {sample.value && schema && violations.length === 0 && (
          <Notice kind="good">
            <p>This payload would be accepted as far as your part of the schema goes.</p>
          </Notice>
        )}
      </div>
      {violations.length > 0 && <PayloadView text={text} violations={violations} />}
    </section>
  );
}
