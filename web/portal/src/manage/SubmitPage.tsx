// Submits payloads: dropped, chosen or written, checked before they are stored, and never lost when they are refused.

import { type DragEvent, useEffect, useId, useState } from 'react';

import { ApiError, messageOf } from '../api/client';
import { counted } from '../design/format';
import { Icon } from '../design/Icon';
import { Failure, Notice } from '../design/Notice';
import { announce } from '../shell/announce';
import { Link, useRouter } from '../shell/router';
import { useLoaded } from '../shell/useLoaded';
import { renderedType, studyIds, submit, typeVersions } from './api';
import { PayloadView } from './PayloadView';
import { type Violation, violationsIn } from './places';
import { exampleOf } from './example';

/** What was typed is kept for the tab, so that neither an error nor a detour loses it. */
const DRAFT = 'cantata-draft';

type Outcome =
  | { kind: 'checked' }
  | { kind: 'stored'; analysisId: string }
  | { kind: 'refused'; failure: unknown; violations: Violation[] };

export default function SubmitPage() {
  const { search } = useRouter();
  const studies = useLoaded('study ids', studyIds);
  const [study, setStudy] = useState(new URLSearchParams(search).get('study') ?? '');
  const [text, setText] = useState(() => sessionStorage.getItem(DRAFT) ?? '');
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [busy, setBusy] = useState(false);
  const [over, setOver] = useState(false);
  const id = useId();
  useEffect(() => sessionStorage.setItem(DRAFT, text), [text]);
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
      if (analysisId) sessionStorage.removeItem(DRAFT);
    } catch (failure) {
      const violations =
        failure instanceof ApiError && failure.id === 'schema.violation' ? violationsIn(messageOf(failure)) : [];
      setOutcome({ kind: 'refused', failure, violations });
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
          <div className="field">
            <label htmlFor={`${id}-study`}>Study</label>
            <select id={`${id}-study`} value={chosen} onChange={(event) => setStudy(event.target.value)}>
              {studies.data?.map((each) => (
                <option key={each} value={each}>
                  {each}
                </option>
              ))}
              {study && !studies.data?.includes(study) && <option value={study}>{study}</option>}
            </select>
          </div>
          <ExampleChoice study={chosen} onExample={(next) => change(next)} />
        </div>
        {studies.failure ? (
          <Failure failure={studies.failure} retry={studies.reload} title="The studies could not be fetched" />
        ) : null}
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
        <div className="field">
          <label htmlFor={`${id}-text`}>Payload</label>
          <textarea
            id={`${id}-text`}
            className="code"
            rows={14}
            spellCheck={false}
            value={text}
            aria-invalid={mistake !== null}
            aria-describedby={`${id}-said`}
            onChange={(event) => change(event.target.value)}
          />
          <p id={`${id}-said`} className="mistake" aria-live="polite">
            {mistake}
          </p>
        </div>
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
      {outcome && <Said outcome={outcome} study={chosen} text={text} />}
    </>
  );
}

function Said({ outcome, study, text }: { outcome: Outcome; study: string; text: string }) {
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
  if (outcome.violations.length === 0) return <Failure failure={outcome.failure} title="The submission was refused" />;
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
  const types = useLoaded('type names', async (signal) =>
    [...new Set((await typeVersions(signal)).map(({ name }) => name))].sort(),
  );
  const [failure, setFailure] = useState<unknown>(null);
  const id = useId();
  const begin = async (name: string) => {
    try {
      const type = await renderedType(name);
      onExample(JSON.stringify(exampleOf(type, study), null, 2));
    } catch (reason) {
      setFailure(reason);
    }
  };
  return (
    <div className="field">
      <label htmlFor={id}>Begin with an example of</label>
      <select id={id} value="" onChange={(event) => void begin(event.target.value)}>
        <option value="" disabled>
          Analysis type
        </option>
        {types.data?.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      {failure ? <Failure failure={failure} /> : null}
    </div>
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
  } catch (failure) {
    return `This is not JSON: ${messageOf(failure)}`;
  }
}

function studyIn(text: string): string | null {
  return /"studyId"\s*:\s*"([^"]+)"/.exec(text)?.[1] ?? null;
}
