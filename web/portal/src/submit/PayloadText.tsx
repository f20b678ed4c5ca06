// One payload as JSON text, checked before it is stored, and kept when it is rejected. Several become a list.

import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';

import { CodeField } from '../design/Field';
import { count } from '../design/format';
import { Icon } from '../design/Icon';
import { ErrorNotice, Notice } from '../design/Notice';
import { renderedType, submit } from '../manage/api';
import { exampleOf } from '../manage/example';
import { PayloadView } from '../manage/PayloadView';
import { announce } from '../shell/announce';
import { texts } from '../texts';
import { payloadsIn } from './payloads';
import { StoredNotice } from './StoredNotice';
import { TypeChoice } from './TypeChoice';
import { explained, type Verdict, verdictOf } from './verdict';

type Outcome = { kind: 'checked' } | { kind: 'stored'; analysisId: string } | { kind: 'rejected'; verdict: Verdict };

interface PayloadTextProps {
  study: string;
  text: string;
  onChange: (text: string) => void;
  /** The text has more than one payload. */
  onMany: (payloads: string[]) => void;
  onStored: () => void;
}

export default function PayloadText({ study, text, onChange, onMany, onStored }: PayloadTextProps) {
  const words = texts.submit;
  /** What became of a text; another text has no outcome yet. */
  const [last, setLast] = useState<{ text: string; outcome: Outcome } | null>(null);
  const outcome = last?.text === text ? last.outcome : null;
  const { payloads, mistake } = payloadsIn(text);
  const sending = useMutation({
    mutationFn: async (isCheck: boolean): Promise<Outcome> => {
      const { analysisId } = await submit(study, text, isCheck);
      return analysisId ? { kind: 'stored', analysisId } : { kind: 'checked' };
    },
    onSuccess: (found) => {
      setLast({ text, outcome: found });
      if (found.kind === 'stored') onStored();
      announce(found.kind === 'checked' ? words.nothingWrong : words.submitted);
    },
    onError: async (error) => {
      const { violations, reason } = verdictOf(error);
      const verdict = { violations: await explained(violations, text), reason };
      setLast({ text, outcome: { kind: 'rejected', verdict } });
      const { length } = verdict.violations;
      announce(length ? words.violationsFound(words.violations(length, count(length))) : words.refused);
    },
  });
  const example = useMutation({
    mutationFn: async (name: string) => onChange(JSON.stringify(exampleOf(await renderedType(name), study), null, 2)),
  });
  const canSend = !sending.isPending && payloads.length > 0 && mistake === null && study !== '';
  return (
    <div className="stack">
      <div className="row wrap">
        <TypeChoice label={words.beginWithExample} chosen="" onChoose={(name) => example.mutate(name)} />
      </div>
      {example.error && <ErrorNotice error={example.error} />}
      <CodeField
        label={words.payloadText}
        rows={14}
        value={text}
        mistake={text.trim() ? mistake : null}
        note={payloads.length > 1 ? words.payloads(payloads.length, count(payloads.length)) : words.oneOrMany}
        onChange={onChange}
      />
      {payloads.length > 1 ? (
        <div>
          <button type="button" className="button primary" disabled={!canSend} onClick={() => onMany(payloads)}>
            <Icon name="check" />
            {words.checkAll(payloads.length)}
          </button>
        </div>
      ) : (
        <div className="row wrap">
          <button type="button" className="button" disabled={!canSend} onClick={() => sending.mutate(true)}>
            <Icon name="check" />
            {words.checkOnly}
          </button>
          <button type="button" className="button primary" disabled={!canSend} onClick={() => sending.mutate(false)}>
            <Icon name="upload" />
            {sending.isPending ? words.sending : words.submitTo(study || '…')}
          </button>
        </div>
      )}
      {outcome && <OutcomeNotice outcome={outcome} study={study} text={text} />}
    </div>
  );
}

function OutcomeNotice({ outcome, study, text }: { outcome: Outcome; study: string; text: string }) {
  const words = texts.submit;
  if (outcome.kind === 'checked')
    return (
      <Notice kind="good">
        <p>{words.checked}</p>
      </Notice>
    );
  if (outcome.kind === 'stored') return <StoredNotice study={study} ids={[outcome.analysisId]} />;
  const { violations, reason } = outcome.verdict;
  if (violations.length === 0) return <ErrorNotice error={reason} title={words.refused} />;
  return (
    <section className="stack" aria-label={words.listOfViolations}>
      <Notice kind="error">
        <strong>{words.nothingStored(words.violations(violations.length, count(violations.length)))}</strong>
        <ul>
          {violations.map(({ at, text: said }) => (
            <li key={at + said}>
              <code>{at}</code> {said}
            </li>
          ))}
        </ul>
      </Notice>
      <PayloadView text={text} violations={violations} />
    </section>
  );
}
