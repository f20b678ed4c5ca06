// Many payloads at once: all are checked in one request, those with mistakes are corrected here and checked again at once,
// and all are submitted together.

import { useMutation, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';

import { CodeField } from '../design/Field';
import { count, counted } from '../design/format';
import { Icon } from '../design/Icon';
import { ErrorNotice, Notice, Skeleton } from '../design/Notice';
import { useSettled } from '../design/useSettled';
import { PayloadView } from '../manage/PayloadView';
import { announce } from '../shell/announce';
import { texts } from '../texts';
import { isGood, mistakeOf, type PayloadResult, pretty, submitAll } from './payloads';
import { StoredNotice } from './StoredNotice';

/** How many payloads with mistakes are shown; the others follow when these are corrected. */
const MAX_SHOWN = 20;

/** Payloads with a number that no others have: an answer is kept by it instead of by all of their text. */
interface Version {
  payloads: string[];
  number: number;
}

let lastNumber = 0;

function versionOf(payloads: string[]): Version {
  lastNumber += 1;
  return { payloads, number: lastNumber };
}

interface PayloadListProps {
  study: string;
  payloads: string[];
  /** Leaves the list; nothing of it is kept. */
  onLeave: () => void;
}

export default function PayloadList({ study, payloads: given, onLeave }: PayloadListProps) {
  const words = texts.submit;
  const [version, setVersion] = useState(() => versionOf(given));
  const { payloads } = version;
  const [opened, setOpened] = useState<number[]>([]);
  const settled = useSettled(version);
  const mistakes = useMemo(() => settled.payloads.map(mistakeOf), [settled.payloads]);
  const isReadable = mistakes.every((mistake) => mistake === null);
  const checked = useQuery({
    queryKey: ['verdicts', study, settled.number],
    queryFn: () => submitAll(study, settled.payloads, true),
    enabled: study !== '' && isReadable,
    // Results of corrected payloads take the place of the ones before.
    placeholderData: (before) => before,
    staleTime: 0,
    gcTime: 0,
  });
  const storing = useMutation({
    mutationFn: (to: string) => submitAll(to, payloads, false),
    onSuccess: (results) => announce(words.allSubmitted(counted(results.filter(isGood).length, 'analysis'))),
  });
  if (storing.data) {
    const ids = storing.data.flatMap(({ analysisId }) => analysisId ?? []);
    const refused = payloads.filter((_, index) => storing.data[index]?.analysisId === null);
    return (
      <div className="stack">
        {ids.length > 0 && <StoredNotice study={storing.variables} ids={ids} />}
        {refused.length > 0 && (
          <Notice kind="warning">
            <p>{words.refusedMeanwhile(words.payloads(refused.length, count(refused.length)))}</p>
          </Notice>
        )}
        <div className="row wrap">
          {refused.length > 0 && (
            <button
              type="button"
              className="button"
              onClick={() => {
                setVersion(versionOf(refused));
                setOpened([]);
                storing.reset();
              }}
            >
              {words.showWrong}
            </button>
          )}
          <button type="button" className="button" onClick={onLeave}>
            {words.submitOthers}
          </button>
        </div>
      </div>
    );
  }
  const results = checked.data ?? [];
  const wrong = payloads.flatMap((_, index) => {
    const result = results[index];
    return mistakes[index] || (result && !isGood(result)) ? [index] : [];
  });
  // One that was opened stays while it is corrected.
  const shown = [...new Set([...wrong, ...opened])].sort((a, b) => a - b).slice(0, MAX_SHOWN + opened.length);
  const isCurrent = settled === version && checked.data !== undefined && !checked.isPlaceholderData;
  return (
    <div className="stack">
      <div className="row wrap spread">
        <p aria-live="polite">
          <strong>{words.payloads(payloads.length, count(payloads.length))}</strong>
          {checked.data && (
            <>
              {', '}
              <span className="badge good">{words.valid(count(payloads.length - wrong.length))}</span>{' '}
              {wrong.length > 0 && <span className="badge danger">{words.withMistakes(count(wrong.length))}</span>}
            </>
          )}
        </p>
        <button type="button" className="button plain" onClick={onLeave}>
          <Icon name="close" />
          {words.leavePayloads}
        </button>
      </div>
      {checked.error && <ErrorNotice error={checked.error} retry={checked.refetch} title={words.notChecked} />}
      {checked.isPending && checked.isFetching && <Skeleton lines={4} />}
      {shown.map((index) => (
        <CorrectedPayload
          key={index}
          number={index + 1}
          text={payloads[index] ?? ''}
          mistake={mistakes[index] ?? null}
          result={results[index]}
          isOpen={opened.includes(index)}
          onOpen={() => {
            setVersion(versionOf(payloads.with(index, pretty(payloads[index] ?? ''))));
            setOpened([...opened, index]);
          }}
          onClose={() => setOpened(opened.filter((each) => each !== index))}
          onChange={(next) => setVersion(versionOf(payloads.with(index, next)))}
        />
      ))}
      {wrong.length > MAX_SHOWN && <p className="soft">{words.moreFollow(count(wrong.length - MAX_SHOWN))}</p>}
      {isCurrent && wrong.length === 0 && (
        <Notice kind="good">
          <p>{words.allChecked}</p>
        </Notice>
      )}
      {storing.error && <ErrorNotice error={storing.error} title={words.notSubmitted} />}
      <div className="row wrap">
        <button
          type="button"
          className="button primary"
          disabled={!isCurrent || !isReadable || wrong.length > 0 || storing.isPending}
          onClick={() => storing.mutate(study)}
        >
          <Icon name="upload" />
          {storing.isPending ? words.sending : words.submitAllTo(count(payloads.length), study || '…')}
        </button>
      </div>
    </div>
  );
}

interface CorrectedPayloadProps {
  number: number;
  text: string;
  mistake: string | null;
  result: PayloadResult | undefined;
  isOpen: boolean;
  onOpen: () => void;
  onClose: () => void;
  onChange: (text: string) => void;
}

function CorrectedPayload({ number, text, mistake, result, isOpen, onOpen, onClose, onChange }: CorrectedPayloadProps) {
  const words = texts.submit;
  return (
    <section className="form-part stack" aria-label={words.payload(number)}>
      <div className="row wrap spread">
        <strong>{words.payload(number)}</strong>
        <button type="button" className="button compact" aria-expanded={isOpen} onClick={isOpen ? onClose : onOpen}>
          <Icon name="edit" />
          {isOpen ? words.done : words.correct}
        </button>
      </div>
      {result?.reason && <p className="mistake">{result.reason}</p>}
      {!isOpen && (
        <ul>
          {result?.violations.map(({ at, text: said }) => (
            <li key={at + said}>
              <code>{at}</code> {said}
            </li>
          ))}
        </ul>
      )}
      {isOpen && (
        <>
          <PayloadView text={text} violations={result?.violations ?? []} />
          <CodeField label={words.textOfPayload(number)} rows={10} value={text} mistake={mistake} onChange={onChange} />
        </>
      )}
    </section>
  );
}
