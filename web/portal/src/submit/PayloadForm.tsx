// One analysis as a form, made from the schema of its type. Each mistake stands at its field.

import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useCallback, useEffect, useMemo, useState } from 'react';

import type { AnalysisType } from '../api/types';
import { CopyButton } from '../design/CopyButton';
import { count } from '../design/format';
import { Icon } from '../design/Icon';
import { ErrorNotice, Notice, Skeleton } from '../design/Notice';
import { renderedType, submit } from '../manage/api';
import { check } from '../manage/jsonSchema';
import { announce } from '../shell/announce';
import { texts } from '../texts';
import { Members } from './FormField';
import { byField, emptyOf, formSchema, type JsonObject, nodeOf } from './formModel';
import { FormScopeContext } from './formScope';
import { StoredNotice } from './StoredNotice';
import { useVerdict, verdictOf } from './verdict';

/** The key in the tab's storage for what was written, so that neither an error nor a detour loses it. */
const DRAFT_KEY = 'cantata-form';

export default function PayloadForm({ study, type: name }: { study: string; type: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['types', name, 'rendered'],
    queryFn: ({ signal }) => renderedType(name, signal),
    enabled: name !== '',
  });
  if (error) return <ErrorNotice error={error} retry={refetch} title={texts.submit.typeCannotBeShown} />;
  if (name === '') return <p className="soft">{texts.submit.chooseType}</p>;
  if (!data) return <Skeleton lines={8} />;
  return <TypedForm key={`${data.name} ${data.version}`} study={study} type={data} />;
}

interface Draft {
  name: string;
  version: number;
  value: JsonObject;
}

function draftOf({ name, version }: AnalysisType): JsonObject | null {
  try {
    const draft = JSON.parse(sessionStorage.getItem(DRAFT_KEY) ?? 'null') as Draft | null;
    return draft?.name === name && draft.version === version ? draft.value : null;
  } catch {
    return null;
  }
}

function TypedForm({ study, type }: { study: string; type: AnalysisType }) {
  const { name, version } = type;
  const words = texts.submit;
  const root = useMemo(() => formSchema(type), [type]);
  const empty = () => emptyOf(root, root) as JsonObject;
  const [value, setValue] = useState<JsonObject>(() => draftOf(type) ?? empty());
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const [unreadable, setAllUnreadable] = useState<ReadonlyMap<string, string>>(new Map());
  const [isAsked, setAsked] = useState(false);
  /** Counts the forms that were begun; another one has fresh fields. */
  const [round, setRound] = useState(0);
  const begin = () => {
    setValue(empty());
    setTouched(new Set());
    setAsked(false);
    setRound(round + 1);
  };
  const setUnreadable = useCallback(
    (place: string, reason: string | null) =>
      setAllUnreadable((before) => {
        const next = new Map(before);
        if (reason === null) next.delete(place);
        else next.set(place, reason);
        return next;
      }),
    [],
  );
  useEffect(
    () => sessionStorage.setItem(DRAFT_KEY, JSON.stringify({ name, version, value } satisfies Draft)),
    [name, version, value],
  );
  const payload = JSON.stringify({ studyId: study, analysisType: { name, version }, ...value }, null, 2);
  const here = useMemo(() => check(value, root), [value, root]);
  const verdict = useVerdict(study, payload, isAsked && unreadable.size === 0, root);
  const storing = useMutation({
    mutationFn: (to: string) => submit(to, payload, false),
    onSuccess: () => {
      begin();
      announce(words.submitted);
    },
    onError: () => setAsked(true),
  });
  useEffect(() => {
    if (!verdict) return;
    const { length } = verdict.violations;
    announce(length ? texts.submit.violations(length, count(length)) : texts.submit.nothingWrong);
  }, [verdict]);
  // The server has the last word; until it has spoken, the same rules are checked here.
  const violations = verdict?.violations ?? here;
  const mistakes = byField(violations);
  const isShown = (place: string) => isAsked || touched.has(place);
  const mistakesAt = (place: string) => [
    ...(unreadable.get(place) ? [unreadable.get(place) ?? ''] : []),
    ...(isShown(place) ? (mistakes.get(place) ?? []) : []),
  ];
  const change = (next: JsonObject) => {
    setValue(next);
    storing.reset();
  };
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const isCheck = (event.nativeEvent as SubmitEvent).submitter?.getAttribute('value') === 'check';
    setAsked(true);
    if (!isCheck && unreadable.size === 0) storing.mutate(study);
  };
  const members = nodeOf(root, root);
  const refused = storing.error ? verdictOf(storing.error, root).reason : verdict?.reason;
  return (
    <form className="stack" noValidate onSubmit={send} aria-label={words.formOf(name)}>
      <p className="soft small">
        {words.aboutForm.before(name, version)} <span className="required-mark">*</span> {words.aboutForm.after}
      </p>
      <FormScopeContext
        value={{
          root,
          mistakesAt,
          touch: (place) => setTouched(new Set([...touched, place])),
          setUnreadable,
        }}
      >
        {members.kind === 'object' && (
          <Members
            key={round}
            members={members.members}
            at="#"
            value={value}
            onChange={(next) => change((next ?? {}) as JsonObject)}
          />
        )}
      </FormScopeContext>
      {isAsked && violations.length > 0 && (
        <Notice kind="error">
          <strong>{words.nothingStored(words.violations(violations.length, count(violations.length)))}</strong>
          <p>{words.atItsField}</p>
          {(mistakes.get('#') ?? []).map((text) => (
            <p key={text}>{text}</p>
          ))}
        </Notice>
      )}
      {verdict && violations.length === 0 && !verdict.reason && !storing.data && (
        <Notice kind="good">
          <p>{words.checked}</p>
        </Notice>
      )}
      {refused ? <ErrorNotice error={refused} title={words.refused} /> : null}
      {storing.data?.analysisId && <StoredNotice study={storing.variables} ids={[storing.data.analysisId]} />}
      <div className="row wrap">
        <button type="submit" value="check" className="button" disabled={!study}>
          <Icon name="check" />
          {words.checkOnly}
        </button>
        <button type="submit" value="store" className="button primary" disabled={!study || storing.isPending}>
          <Icon name="upload" />
          {storing.isPending ? words.sending : words.submitTo(study || '…')}
        </button>
        <CopyButton text={() => payload} label={words.copyJson} />
        <button
          type="button"
          className="button plain"
          onClick={() => {
            begin();
            storing.reset();
          }}
        >
          {words.emptyForm}
        </button>
      </div>
    </form>
  );
}
