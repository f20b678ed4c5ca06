// A study and its analyses, by state.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import type { AnalysisState } from '../api/types';
import { DataTable } from '../design/DataTable';
import { TextField } from '../design/Field';
import { count, moment } from '../design/format';
import { Icon } from '../design/Icon';
import { Empty, ErrorNotice, Skeleton } from '../design/Notice';
import { useSettled } from '../design/useSettled';
import { stateWord } from '../record/RecordHistory';
import { useTitle } from '../shell/branding';
import { Link } from '../shell/router';
import { texts } from '../texts';
import { STATES, study } from './api';
import { CatalogueLinks, ExportButton, nameOfAnalysis, PublishDialog } from './StudyTools';
import { PAGE_SIZE, useAnalyses } from './useAnalyses';

export function StateBadge({ state }: { state: AnalysisState }) {
  const kind = state === 'PUBLISHED' ? 'good' : state === 'SUPPRESSED' ? 'danger' : 'warning';
  return <span className={`badge ${kind}`}>{stateWord(state)}</span>;
}

export default function StudyPage({ studyId }: { studyId: string }) {
  const [states, setStates] = useState<AnalysisState[]>(STATES);
  const [page, setPage] = useState(0);
  const [chosen, setChosen] = useState<string[]>([]);
  const [isPublishing, setPublishing] = useState(false);
  const about = useQuery({ queryKey: ['studies', studyId], queryFn: ({ signal }) => study(studyId, signal) });
  const [search, setSearch] = useState('');
  const text = useSettled(search.trim().toLowerCase());
  const list = useAnalyses(studyId, states, page, text);
  useTitle(studyId);
  const total = list.data?.total ?? 0;
  const toggle = (state: AnalysisState) => {
    const next = STATES.filter((each) => states.includes(each) !== (each === state));
    if (next.length) setStates(next);
    setPage(0);
  };
  const choose = (id: string) =>
    setChosen(chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id]);
  const unpublished = (list.data?.analyses ?? []).flatMap(({ analysisId, analysisState }) =>
    analysisState === 'UNPUBLISHED' ? [analysisId] : [],
  );
  const words = texts.manage.study;
  if (about.error) return <ErrorNotice error={about.error} retry={about.refetch} title={words.cannotBeShown} />;
  return (
    <>
      <div className="stack tight">
        <nav aria-label={texts.manage.place} className="small">
          <Link to="/manage/studies">{texts.manage.areas.studies}</Link> <span className="faint">/ {studyId}</span>
        </nav>
        <div className="row wrap spread">
          <h1>{about.data?.name || studyId}</h1>
          <div className="row wrap">
            <CatalogueLinks studyId={studyId} />
            <ExportButton studyId={studyId} />
            <Link className="button primary" to={`/manage/submit?study=${encodeURIComponent(studyId)}`}>
              <Icon name="upload" />
              {words.submitToIt}
            </Link>
          </div>
        </div>
        {about.data?.organization && <p className="soft">{about.data.organization}</p>}
        {about.data?.description && <p>{about.data.description}</p>}
      </div>
      <section className="card stack" aria-labelledby="analyses">
        <div className="row wrap spread">
          <h2 id="analyses">
            {words.analyses} {list.data && <span className="faint number">{count(total)}</span>}
          </h2>
          <div className="row wrap" role="group" aria-label={words.statesToShow}>
            {STATES.map((state) => (
              <label key={state} className="row">
                <input type="checkbox" checked={states.includes(state)} onChange={() => toggle(state)} />
                {stateWord(state)}
              </label>
            ))}
          </div>
        </div>
        <TextField
          label={words.find}
          type="search"
          placeholder={words.findHint}
          value={search}
          onChange={(next) => {
            setSearch(next);
            setPage(0);
          }}
        />
        {list.error && <ErrorNotice error={list.error} retry={list.refetch} />}
        {!list.data && !list.error && <Skeleton lines={8} height={20} />}
        {list.data?.analyses.length === 0 && (
          <Empty icon="record" title={words.noAnalyses}>
            <p>{text ? words.noneHas(count(total), search) : words.noneInStates}</p>
          </Empty>
        )}
        {list.data && list.data.analyses.length > 0 && (
          <DataTable
            label={words.listOfAnalyses}
            headings={[
              { hidden: words.choose },
              words.analysis,
              words.type,
              words.state,
              { number: words.files },
              words.changed,
            ]}
          >
            {list.data.analyses.map((analysis) => {
              const { analysisId, analysisType, analysisState, files, updatedAt } = analysis;
              const name = nameOfAnalysis(analysis);
              return (
                <tr key={analysisId}>
                  <td>
                    {analysisState === 'UNPUBLISHED' && (
                      <input
                        type="checkbox"
                        aria-label={words.chooseOne(name ?? analysisId)}
                        checked={chosen.includes(analysisId)}
                        onChange={() => choose(analysisId)}
                      />
                    )}
                  </td>
                  <td>
                    {name && <div>{name}</div>}
                    <Link className="mono" to={`/manage/studies/${encodeURIComponent(studyId)}/${analysisId}`}>
                      {analysisId}
                    </Link>
                  </td>
                  <td>
                    {analysisType.name} <span className="faint">v{analysisType.version}</span>
                  </td>
                  <td>
                    <StateBadge state={analysisState} />
                  </td>
                  <td className="number">{files.length}</td>
                  <td className="soft">{moment(updatedAt)}</td>
                </tr>
              );
            })}
          </DataTable>
        )}
        {unpublished.length > 0 && (
          <div className="row wrap">
            <button
              type="button"
              className="button compact"
              onClick={() => setChosen([...new Set([...chosen, ...unpublished])])}
            >
              {words.chooseAll}
            </button>
            <button
              type="button"
              className="button compact primary"
              disabled={chosen.length === 0}
              onClick={() => setPublishing(true)}
            >
              {words.publishSome(count(chosen.length))}
            </button>
          </div>
        )}
        {isPublishing && (
          <PublishDialog
            studyId={studyId}
            ids={chosen}
            onClose={() => setPublishing(false)}
            onDone={() => {
              setChosen([]);
              void list.refetch();
            }}
          />
        )}
        {text && list.data?.isCut && <p className="soft">{words.searchIsCut(count(total))}</p>}
        {!text && total > PAGE_SIZE && (
          <nav className="row" aria-label={words.pages}>
            <span className="grow soft small number">
              {words.ofTotal(count(page * PAGE_SIZE + 1), count(Math.min(total, (page + 1) * PAGE_SIZE)), count(total))}
            </span>
            <button type="button" className="button compact" disabled={page === 0} onClick={() => setPage(page - 1)}>
              {words.previous}
            </button>
            <button
              type="button"
              className="button compact"
              disabled={(page + 1) * PAGE_SIZE >= total}
              onClick={() => setPage(page + 1)}
            >
              {words.next}
            </button>
          </nav>
        )}
      </section>
    </>
  );
}
