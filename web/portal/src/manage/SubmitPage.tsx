// Submits analyses, by a form, by filled sheets or by JSON. Whatever is dropped on the page is taken for what it is.

import { useQuery } from '@tanstack/react-query';
import { type DragEvent, lazy, Suspense, useEffect, useState } from 'react';

import { SelectField } from '../design/Field';
import { count } from '../design/format';
import { Icon } from '../design/Icon';
import { ErrorNotice, Notice, Skeleton } from '../design/Notice';
import { Tabs } from '../design/Tabs';
import { useRouter } from '../shell/router';
import { payloadsIn, pretty } from '../submit/payloads';
import { isSheet } from '../submit/sheets';
import '../submit/submit.css';
import { TypeChoice } from '../submit/TypeChoice';
import { texts } from '../texts';
import { studyIdsQuery, typeVersionsQuery } from './api';

const PayloadForm = lazy(() => import('../submit/PayloadForm'));
const PayloadList = lazy(() => import('../submit/PayloadList'));
const PayloadText = lazy(() => import('../submit/PayloadText'));
const SheetView = lazy(() => import('../submit/SheetView'));

/** The key in the tab's storage for what was typed, so that neither an error nor a detour loses it. */
const DRAFT_KEY = 'cantata-draft';

const WAYS = ['form', 'sheet', 'json'] as const;

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
  const words = texts.manage.submission;
  const way = WAYS.find((each) => each === params.get('with')) ?? 'form';
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
    const contents = await Promise.all(files.map((file) => file.text()));
    if (contents.length === 0) return;
    const { payloads, mistake } = payloadsIn(contents.join('\n'));
    const isMany = payloads.length > 1 && mistake === null;
    setMany(isMany ? payloads : null);
    if (!isMany) setText(pretty(contents.join('\n')));
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
        <h1>{words.title}</h1>
        <p className="soft">{words.about}</p>
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
            <span className="button">{words.chooseFiles}</span>
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
          <span className="soft small">{words.orDrop}</span>
        </div>
        {leftOut > 0 && sheet && (
          <Notice kind="warning">
            <p>{words.oneSheet(sheet.name, leftOut, count(leftOut))}</p>
          </Notice>
        )}
        {studies.error && <ErrorNotice error={studies.error} retry={studies.refetch} title={words.studiesNotFetched} />}
        <div className="row wrap">
          <SelectField label={words.study} value={study} onChange={(next) => set({ study: next })}>
            {studies.data?.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
            {asked && !studies.data?.includes(asked) && <option value={asked}>{asked}</option>}
          </SelectField>
          {way !== 'json' && <TypeChoice label={words.type} chosen={type} onChoose={(next) => set({ type: next })} />}
        </div>
        <div>
          <Tabs
            id="submit"
            label={words.how}
            tabs={WAYS.map((each) => words.ways[each])}
            chosen={words.ways[way]}
            onChoose={(tab) => set({ with: WAYS.find((each) => words.ways[each] === tab) ?? 'form' })}
          />
        </div>
        <div id="submit-panel" role="tabpanel" aria-labelledby={`submit-${words.ways[way]}`}>
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
