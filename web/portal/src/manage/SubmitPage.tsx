// Submits payloads: dropped, chosen or written, checked before they are stored, and kept when they are rejected.

import { useMutation, useQuery } from '@tanstack/react-query';
import { type DragEvent, useEffect, useState } from 'react';

import { ApiError, messageOf } from '../api/client';
import { CodeField, SelectField } from '../design/Field';
import { counted } from '../design/format';
import { Icon } from '../design/Icon';
import { ErrorNotice, Notice } from '../design/Notice';
import { announce } from '../shell/announce';
import { Link, useRouter } from '../shell/router';
import { renderedType, studyIdsQuery, submit, typeVersionsQuery } from './api';
import { PayloadView } from './PayloadView';
import { type Violation, violationsIn } from './violations';
import { exampleOf } from './example';

/** The key in the tab's storage for what was typed, so that neither an error nor a detour loses it. */
const DRAFT_KEY = 'cantata-draft';

type Outcome =
  | { kind: 'checked' }
  | { kind: 'stored'; analysisId: string }
  | { kind: 'rejected'; error: unknown; violations: Violation[] };

export default function SubmitPage() {
  const { search } = useRouter();
  const studies = useQuery(studyIdsQuery);
  const [study, setStudy] = useState(new URLSearchParams(search).get('study') ?? '');
  const [text, setText] = useState(() => sessionStorage.getItem(DRAFT_KEY) ?? '');
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [busy, setBusy] = useState(false);
  const [over, setOver] = useState(false);
  useEffect(() => sessionStorage.setItem(DRAFT_KEY, text), [text]);
  const named = studyIn(text);
  const chosen = study || (named && studies.data?.includes(named) ? named : '') || (studies.data?.[0] ?? '');

  const change = (next: string) => {
    setText(next);
    setOutcome(null);
  };
  const read = async (file: File | undefined) => {
    if (file) change(pretty(await file.text()));
  };
  const send = async (isCheck: boolean) => {
    setBusy(true);
    try {
      const { analysisId } = await submit(chosen, text, isCheck);
      setOutcome(analysisId ? { kind: 'stored', analysisId } : { kind: 'checked' });
      announce(isCheck ? 'Nothing is wrong' : 'Submitted');
      if (analysisId) sessionStorage.removeItem(DRAFT_KEY);
    } catch (error) {
      const violations =
        error instanceof ApiError && error.id === 'schema.violation' ? violationsIn(messageOf(error)) : [];
      setOutcome({ kind: 'rejected', error, violations });
      announce(violations.length ? `${counted(violations.length, 'violation')} found` : 'The submission was refused');
    }
    setBusy(false);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void read(event.dataTransfer.files[0]);
  };
  const mistake = jsonMistake(text);
  return (
    <>
      <div>
        <h1>Submit an analysis</h1>
        <p className="soft">
          The payload is checked completely before anything is stored; every mistake is shown where it is.
        </p>
      </div>
      <div className="card stack">
        <div className="row wrap">
          <SelectField label="Study" value={chosen} onChange={setStudy}>
            {studies.data?.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
            {study && !studies.data?.includes(study) && <option value={study}>{study}</option>}
          </SelectField>
          <ExampleChoice study={chosen} onExample={(next) => change(next)} />
        </div>
        {studies.error && (
          <ErrorNotice error={studies.error} retry={studies.refetch} title="The studies could not be fetched" />
        )}
        <div
          className={`drop ${over ? 'over' : ''}`}
          onDragOver={(event) => {
            event.preventDefault();
            setOver(true);
          }}
          onDragLeave={() => setOver(false)}
          onDrop={drop}
        >
          <Icon name="upload" size={24} />
          <label>
            <span className="button">Choose a JSON file</span>
            <input
              type="file"
              accept=".json,application/json"
              className="visually-hidden"
              onChange={(event) => void read(event.target.files?.[0])}
            />
          </label>
          <span className="soft small">or drop it here, or write below</span>
        </div>
        <CodeField label="Payload" rows={14} value={text} mistake={mistake} onChange={change} />
        <div className="row wrap">
          <button
            type="button"
            className="button"
            disabled={busy || !text.trim() || mistake !== null || !chosen}
            onClick={() => void send(true)}
          >
            <Icon name="check" />
            Check only
          </button>
          <button
            type="button"
            className="button primary"
            disabled={busy || !text.trim() || mistake !== null || !chosen}
            onClick={() => void send(false)}
          >
            <Icon name="upload" />
            {busy ? 'Sending…' : `Submit to ${chosen || '…'}`}
          </button>
        </div>
      </div>
      {outcome && <OutcomeNotice outcome={outcome} study={chosen} text={text} />}
    </>
  );
}

function OutcomeNotice({ outcome, study, text }: { outcome: Outcome; study: string; text: string }) {
  if (outcome.kind === 'checked')
    return (
      <Notice kind="good">
        <p>Nothing is wrong with it. It was not stored yet.</p>
      </Notice>
    );
  if (outcome.kind === 'stored') {
    return (
      <Notice kind="good">
        <p>
          <strong>Submitted.</strong> The analysis is{' '}
          <Link to={`/manage/studies/${encodeURIComponent(study)}/${outcome.analysisId}`}>{outcome.analysisId}</Link>,
          not published yet.
        </p>
      </Notice>
    );
  }
  if (outcome.violations.length === 0) return <ErrorNotice error={outcome.error} title="The submission was refused" />;
  return (
    <section className="stack" aria-label="Violations">
      <Notice kind="error">
        <strong>{counted(outcome.violations.length, 'violation')}. Nothing was stored.</strong>
        <ul>
          {outcome.violations.map(({ at, text: said }) => (
            <li key={at + said}>
              <code>{at}</code> {said}
            </li>
          ))}
        </ul>
      </Notice>
      <PayloadView text={text} violations={outcome.violations} />
    </section>
  );
}

/** Offers a payload to begin with, made of the schema of a type. */
function ExampleChoice({ study, onExample }: { study: string; onExample: (text: string) => void }) {
  const types = useQuery(typeVersionsQuery);
  const names = [...new Set(types.data?.map(({ name }) => name))].sort();
  const { mutate, error } = useMutation({
    mutationFn: async (name: string) => onExample(JSON.stringify(exampleOf(await renderedType(name), study), null, 2)),
  });
  return (
    <>
      <SelectField label="Begin with an example of" value="" onChange={mutate}>
        <option value="" disabled>
          Analysis type
        </option>
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </SelectField>
      {error && <ErrorNotice error={error} />}
    </>
  );
}

function pretty(text: string): string {
  try {
    // Numbers beyond doubles would lose digits by being read and written again.
    return /\d{16,}/.test(text) ? text : JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function jsonMistake(text: string): string | null {
  if (!text.trim()) return null;
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return `This is not JSON: ${messageOf(error)}`;
  }
}

function studyIn(text: string): string | null {
  return /"studyId"\s*:\s*"([^"]+)"/.exec(text)?.[1] ?? null;
}
