// Makes a type or its next version: as a form or as text, with a sample that is checked while one types.

import { useEffect, useId, useState } from 'react';

import { messageOf } from '../api/client';
import { Failure, Notice, Skeleton } from '../design/Notice';
import { Tabs } from '../design/Tabs';
import { Link, useRouter } from '../shell/router';
import { useLoaded } from '../shell/useLoaded';
import { registerType, type TypeVersion, versionsOf } from './api';
import { exampleOf } from './example';
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
  const { data, failure, reload } = useLoaded(`edit ${name ?? ''}`, async (signal) =>
    name ? (await versionsOf(name, signal))[0] : null,
  );
  if (failure) return <Failure failure={failure} retry={reload} title="This type cannot be edited" />;
  if (data === undefined) return <Skeleton lines={12} />;
  return <Editor before={data} />;
}

function parsed(text: string): { value?: SchemaObject; mistake?: string } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { value: value as SchemaObject }
      : { mistake: 'Expected an object.' };
  } catch (failure) {
    return { mistake: `This is not JSON: ${messageOf(failure)}` };
  }
}

function Editor({ before }: { before: TypeVersion | null }) {
  const { navigate } = useRouter();
  const [name, setName] = useState(before?.name ?? '');
  const [text, setText] = useState(JSON.stringify(before?.schema ?? START, null, 2));
  const [fileTypes, setFileTypes] = useState(before?.options.fileTypes?.join(', ') ?? '');
  const [tab, setTab] = useState('Form');
  const [failure, setFailure] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const id = useId();
  const { value: schema, mistake } = parsed(text);
  const problems = schema ? problemsOf(schema) : [];
  const canSave = schema !== undefined && problems.length === 0 && /^[A-Za-z0-9._-]{1,225}$/.test(name);
  const save = async () => {
    setBusy(true);
    setFailure(null);
    try {
      const types = fileTypes
        .split(',')
        .map((each) => each.trim())
        .filter(Boolean);
      await registerType({ name, schema, options: { ...before?.options, fileTypes: types } });
      navigate(`/manage/types/${encodeURIComponent(name)}`);
    } catch (reason) {
      setFailure(reason);
      setBusy(false);
    }
  };
  return (
    <>
      <div className="stack tight">
        <nav aria-label="Place" className="small">
          <Link to="/manage/types">Analysis types</Link> <span className="faint">/ {before?.name ?? 'New'}</span>
        </nav>
        <div className="row wrap spread">
          <h1>{before ? `Version ${before.version + 1} of ${before.name}` : 'A new analysis type'}</h1>
          <button type="button" className="button primary" disabled={!canSave || busy} onClick={() => void save()}>
            {busy ? 'Saving…' : 'Register'}
          </button>
        </div>
      </div>
      {failure ? <Failure failure={failure} title="The server refused this type" /> : null}
      <div className="editor">
        <section className="card stack" aria-label="Schema">
          <div className="row wrap">
            <div className="field grow">
              <label htmlFor={`${id}-name`}>Name</label>
              <input
                id={`${id}-name`}
                type="text"
                className="code"
                value={name}
                disabled={before !== null}
                onChange={(event) => setName(event.target.value)}
              />
            </div>
            <div className="field grow">
              <label htmlFor={`${id}-files`}>File types</label>
              <input
                id={`${id}-files`}
                type="text"
                placeholder="any"
                value={fileTypes}
                onChange={(event) => setFileTypes(event.target.value)}
              />
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
                <p>The text is no JSON at the moment; mend it there first.</p>
              </Notice>
            )}
            {tab === 'Text' && (
              <div className="field">
                <label htmlFor={`${id}-text`}>JSON Schema</label>
                <textarea
                  id={`${id}-text`}
                  className="code"
                  rows={22}
                  spellCheck={false}
                  value={text}
                  aria-invalid={Boolean(mistake)}
                  onChange={(event) => setText(event.target.value)}
                />
              </div>
            )}
          </div>
          <div aria-live="polite">
            {mistake && <p className="mistake">{mistake}</p>}
            {problems.map((problem) => (
              <p key={problem} className="mistake">
                {problem}
              </p>
            ))}
            {!mistake && problems.length === 0 && <p className="small soft">The schema keeps the rules.</p>}
          </div>
        </section>
        <Sample schema={schema} name={name} />
      </div>
    </>
  );
}

/** A sample that shows what the schema lets through. */
function Sample({ schema, name }: { schema: SchemaObject | undefined; name: string }) {
  const [text, setText] = useState('');
  const id = useId();
  const fresh = () =>
    schema &&
    setText(JSON.stringify(exampleOf({ name, version: 1, createdAt: '', options: {}, schema }, 'STUDY'), null, 2));
  useEffect(() => {
    if (!text) fresh();
    // Only the first schema makes the sample; later ones are what it is checked against.
  }, [schema !== undefined]);
  const sample = parsed(text);
  const violations = schema && sample.value ? check(sample.value, schema) : [];
  return (
    <section className="card stack" aria-label="Sample">
      <div className="row spread">
        <h2>A sample</h2>
        <button type="button" className="button compact" onClick={fresh}>
          Make one anew
        </button>
      </div>
      <div className="field">
        <label htmlFor={id}>Payload</label>
        <textarea
          id={id}
          className="code"
          rows={12}
          spellCheck={false}
          value={text}
          aria-invalid={Boolean(sample.mistake)}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      <div aria-live="polite">
        {sample.mistake && text && <p className="mistake">{sample.mistake}</p>}
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
