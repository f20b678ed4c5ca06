// Edits a new type or the next version of one: as a form or as text, with a sample that is checked on every change.

import { useMutation, useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';

import { messageOf } from '../api/client';
import type { AnalysisType } from '../api/types';
import { CodeField, TextField } from '../design/Field';
import { ErrorNotice, Notice, Skeleton } from '../design/Notice';
import { Tabs } from '../design/Tabs';
import { Link, useRouter } from '../shell/router';
import { texts } from '../texts';
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
  if (error) return <ErrorNotice error={error} retry={refetch} title={texts.manage.editor.cannotBeEdited} />;
  if (data === undefined) return <Skeleton lines={12} />;
  return <Editor before={data} />;
}

function parsed(text: string): { value?: SchemaObject; mistake?: string } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { value: value as SchemaObject }
      : { mistake: texts.manage.editor.expectedObject };
  } catch (error) {
    return { mistake: texts.manage.editor.notJson(messageOf(error)) };
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
  const words = texts.manage.editor;
  const [tab, setTab] = useState(words.form);
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
        <nav aria-label={texts.manage.place} className="small">
          <Link to="/manage/types">{texts.manage.areas.types}</Link>{' '}
          <span className="faint">/ {before?.name ?? words.new}</span>
        </nav>
        <div className="row wrap spread">
          <h1>{before ? words.versionOf(before.version + 1, before.name) : words.newType}</h1>
          <button type="button" className="button primary" disabled={!canSave || isPending} onClick={() => mutate()}>
            {isPending ? words.saving : words.register}
          </button>
        </div>
      </div>
      {error && <ErrorNotice error={error} title={words.refused} />}
      <div className="editor">
        <section className="card stack" aria-label={words.schema}>
          <div className="row wrap">
            <div className="grow">
              <TextField
                label={words.name}
                className="code"
                value={name}
                disabled={before !== null}
                onChange={setName}
              />
            </div>
            <div className="grow">
              <TextField label={words.fileTypes} placeholder={words.any} value={fileTypes} onChange={setFileTypes} />
            </div>
          </div>
          <Tabs id={id} label={words.how} tabs={[words.form, words.text]} chosen={tab} onChoose={setTab} />
          <div id={`${id}-panel`} role="tabpanel" aria-label={tab}>
            {tab === words.form && schema && (
              <SchemaForm
                schema={schema}
                fixed={['experiment']}
                label={words.payload}
                onChange={(next) => setText(JSON.stringify(next, null, 2))}
              />
            )}
            {tab === words.form && !schema && (
              <Notice kind="warning">
                <p>{words.correctText}</p>
              </Notice>
            )}
            {tab === words.text && (
              <div className="stack">
                <CodeField label={words.jsonSchema} rows={22} value={text} onChange={setText} />
                <CodeField
                  label={words.external}
                  rows={4}
                  placeholder={words.none}
                  value={external}
                  note={words.externalNote}
                  onChange={setExternal}
                />
              </div>
            )}
          </div>
          <div aria-live="polite">
            {mistake && <p className="mistake">{mistake}</p>}
            {validations.mistake && <p className="mistake">{words.wrongExternal(validations.mistake)}</p>}
            {problems.map((problem) => (
              <p key={problem} className="mistake">
                {problem}
              </p>
            ))}
            {!mistake && !validations.mistake && problems.length === 0 && (
              <p className="small soft">{words.keepsRules}</p>
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
  const words = texts.manage.editor;
  const violations = schema && sample.value ? check(sample.value, schema) : [];
  return (
    <section className="card stack" aria-label={words.sample}>
      <div className="row spread">
        <h2>{words.aSample}</h2>
        <button type="button" className="button compact" onClick={() => setText(example())}>
          {words.makeSample}
        </button>
      </div>
      <CodeField
        label={words.samplePayload}
        rows={12}
        value={text}
        mistake={text ? sample.mistake : undefined}
        onChange={setText}
      />
      <div aria-live="polite">
        {sample.value && schema && violations.length === 0 && (
          <Notice kind="good">
            <p>{words.wouldBeAccepted}</p>
          </Notice>
        )}
      </div>
      {violations.length > 0 && <PayloadView text={text} violations={violations} />}
    </section>
  );
}
