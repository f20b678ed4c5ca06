// Submits analyses, by a form, by filled sheets or by JSON. Whatever is dropped on the page is taken for what it is.

import { useQuery } from '@tanstack/react-query';
import { type DragEvent, lazy, Suspense, useEffect, useState } from 'react';

import { SelectField } from '../design/Field';
import { counted } from '../design/format';
import { Icon } from '../design/Icon';
import { ErrorNotice, Notice, Skeleton } from '../design/Notice';
import { Tabs } from '../design/Tabs';
import { useRouter } from '../shell/router';
import { payloadsIn, pretty } from '../submit/payloads';
import { isSheet } from '../submit/sheets';
import '../submit/submit.css';
import { TypeChoice } from '../submit/TypeChoice';
import { studyIdsQuery, typeVersionsQuery } from './api';

const PayloadForm = lazy(() => import('../submit/PayloadForm'));
const PayloadList = lazy(() => import('../submit/PayloadList'));
const PayloadText = lazy(() => import('../submit/PayloadText'));
const SheetView = lazy(() => import('../submit/SheetView'));

/** The key in the tab's storage for what was typed, so that neither an error nor a detour loses it. */
const DRAFT_KEY = 'cantata-draft';

const WAYS = { form: 'Form', sheet: 'Spreadsheet', json: 'JSON' } as const;
type Way = keyof typeof WAYS;

export default function SubmitPage() {
  const { search, navigate } = useRouter();
  const params = new URLSearchParams(search);
  const studies = useQuery(studyIdsQuery);
  const types = useQuery(typeVersionsQuery);
  const [text, setText] = useState(() => sessionStorage.getItem(DRAFT_KEY) ?? '');
  const [many, setMany] = useState<string[] | null>(null);
  const [sheet, setSheet] = useState<File | null>(null);
  /** Counts what was dropped: another sheet or list starts empty. */
  const [drops, setDrops] = useState(0);
  const [leftOut, setLeftOut] = useState(0);
  const [over, setOver] = useState(false);
  useEffect(() => sessionStorage.setItem(DRAFT_KEY, text), [text]);
  const way = (Object.keys(WAYS) as Way[]).find((each) => each === params.get('with')) ?? 'form';
  const type = params.get('type') ?? '';
  const asked = params.get('study') ?? '';
  const named = way === 'json' ? studyIn(many?.[0] ?? text) : null;
  const study = asked || (named && studies.data?.includes(named) ? named : '') || (studies.data?.[0] ?? '');

  const set = (changes: Record<string, string>) => {
    const next = new URLSearchParams({ ...Object.fromEntries(params), ...changes });
    navigate(`/manage/submit?${next}`, { replace: true });
  };
  const read = async (files: File[]) => {
    setDrops(drops + 1);
    const [filled] = files.filter(isSheet);
    setLeftOut(filled ? files.length - 1 : 0);
    if (filled) {
      setSheet(filled);
      // A sheet has the name of its type, as the one to fill had.
      const guessed = types.data?.find(({ name }) => filled.name.startsWith(name))?.name;
      set({ with: 'sheet', type: type || (guessed ?? '') });
      return;
    }
    const texts = await Promise.all(files.map((file) => file.text()));
    if (texts.length === 0) return;
    const { payloads, mistake } = payloadsIn(texts.join('\n'));
    const isMany = payloads.length > 1 && mistake === null;
    setMany(isMany ? payloads : null);
    if (!isMany) setText(pretty(texts.join('\n')));
    set({ with: 'json' });
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void read([...event.dataTransfer.files]);
  };
  return (
    <>
      <div>
        <h1>Submit analyses</h1>
        <p className="soft">
          Fill a form, drop a spreadsheet, or bring JSON. Everything is checked before anything is stored; every mistake
          is shown where it is.
        </p>
      </div>
      <div className="card stack">
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
            <span className="button">Choose files</span>
            <input
              type="file"
              multiple
              accept=".xlsx,.tsv,.csv,.json,.ndjson,.jsonl,application/json"
              className="visually-hidden"
              onChange={(event) => {
                void read([...(event.target.files ?? [])]);
                // The same file can be chosen again after it was corrected.
                event.target.value = '';
              }}
            />
          </label>
          <span className="soft small">
            or drop them here: a filled sheet (XLSX, TSV, CSV), or payloads as JSON or NDJSON
          </span>
        </div>
        {leftOut > 0 && sheet && (
          <Notice kind="warning">
            <p>
              Sheets are submitted one at a time: {sheet.name} was taken, {counted(leftOut, 'other file')} not.
            </p>
          </Notice>
        )}
        {studies.error && (
          <ErrorNotice error={studies.error} retry={studies.refetch} title="The studies could not be fetched" />
        )}
        <div className="row wrap">
          <SelectField label="Study" value={study} onChange={(next) => set({ study: next })}>
            {studies.data?.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
            {asked && !studies.data?.includes(asked) && <option value={asked}>{asked}</option>}
          </SelectField>
          {way !== 'json' && (
            <TypeChoice label="Type of the analyses" chosen={type} onChoose={(next) => set({ type: next })} />
          )}
        </div>
        <div>
          <Tabs
            id="submit"
            label="How to submit"
            tabs={Object.values(WAYS)}
            chosen={WAYS[way]}
            onChoose={(tab) => set({ with: (Object.keys(WAYS) as Way[]).find((each) => WAYS[each] === tab) ?? 'form' })}
          />
        </div>
        <div id="submit-panel" role="tabpanel" aria-labelledby={`submit-${WAYS[way]}`}>
          <Suspense fallback={<Skeleton lines={8} />}>
            {way === 'form' && <PayloadForm key={type} study={study} type={type} />}
            {way === 'sheet' && (
              <SheetView key={drops} study={study} type={type} file={sheet} onLeave={() => setSheet(null)} />
            )}
            {way === 'json' && many && (
              <PayloadList study={study} payloads={many} onLeave={() => setMany(null)} key={drops} />
            )}
            {way === 'json' && !many && (
              <PayloadText
                study={study}
                text={text}
                onChange={setText}
                onMany={setMany}
                onStored={() => sessionStorage.removeItem(DRAFT_KEY)}
              />
            )}
          </Suspense>
        </div>
      </div>
    </>
  );
}

function studyIn(text: string): string | null {
  return /"studyId"\s*:\s*"([^"]+)"/.exec(text)?.[1] ?? null;
}
