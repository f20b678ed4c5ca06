// A study and its analyses, by state.

import { useState } from 'react';

import { count, moment } from '../design/format';
import { Icon } from '../design/Icon';
import { Empty, Failure, Skeleton } from '../design/Notice';
import { ScrollX } from '../design/ScrollX';
import { stateWord } from '../record/RecordHistory';
import { useTitle } from '../shell/branding';
import { Link } from '../shell/router';
import { useLoaded } from '../shell/useLoaded';
import { analyses, type AnalysisState, STATES, study } from './api';

const SIZE = 20;

export function StateBadge({ state }: { state: AnalysisState }) {
  const kind = state === 'PUBLISHED' ? 'good' : state === 'SUPPRESSED' ? 'danger' : 'warning';
  return <span className={`badge ${kind}`}>{stateWord(state)}</span>;
}

export default function StudyPage({ studyId }: { studyId: string }) {
  const [states, setStates] = useState<AnalysisState[]>(STATES);
  const [page, setPage] = useState(0);
  const about = useLoaded(`study ${studyId}`, (signal) => study(studyId, signal));
  const list = useLoaded(`analyses ${studyId} ${states.join()} ${page}`, (signal) =>
    analyses(studyId, states, SIZE, page * SIZE, signal),
  );
  useTitle(studyId);
  const total = list.data?.totalAnalyses ?? 0;
  const toggle = (state: AnalysisState) => {
    const next = STATES.filter((each) => states.includes(each) !== (each === state));
    if (next.length) setStates(next);
    setPage(0);
  };
  if (about.failure) return <Failure failure={about.failure} retry={about.reload} title="This study cannot be shown" />;
  return (
    <>
      <div className="stack tight">
        <nav aria-label="Place" className="small">
          <Link to="/manage/studies">Studies</Link> <span className="faint">/ {studyId}</span>
        </nav>
        <div className="row wrap spread">
          <h1>{about.data?.name || studyId}</h1>
          <Link className="button primary" to={`/manage/submit?study=${encodeURIComponent(studyId)}`}>
            <Icon name="upload" />
            Submit to it
          </Link>
        </div>
        {about.data?.organization && <p className="soft">{about.data.organization}</p>}
        {about.data?.description && <p>{about.data.description}</p>}
      </div>
      <section className="card stack" aria-labelledby="analyses">
        <div className="row wrap spread">
          <h2 id="analyses">Analyses {list.data && <span className="faint number">{count(total)}</span>}</h2>
          <div className="row wrap" role="group" aria-label="States to show">
            {STATES.map((state) => (
              <label key={state} className="row">
                <input type="checkbox" checked={states.includes(state)} onChange={() => toggle(state)} />
                {stateWord(state)}
              </label>
            ))}
          </div>
        </div>
        {list.failure ? <Failure failure={list.failure} retry={list.reload} /> : null}
        {!list.data && !list.failure && <Skeleton lines={8} height={20} />}
        {list.data?.analyses.length === 0 && (
          <Empty icon="record" title="No analyses">
            <p>None is in the states that you chose.</p>
          </Empty>
        )}
        {list.data && list.data.analyses.length > 0 && (
          <ScrollX label="List of analyses">
            <table className="plain-table">
              <thead>
                <tr>
                  <th>Analysis</th>
                  <th>Type</th>
                  <th>State</th>
                  <th className="number">Files</th>
                  <th>Changed</th>
                </tr>
              </thead>
              <tbody>
                {list.data.analyses.map(({ analysisId, analysisType, analysisState, files, updatedAt }) => (
                  <tr key={analysisId}>
                    <td className="mono">
                      <Link to={`/manage/studies/${encodeURIComponent(studyId)}/${analysisId}`}>{analysisId}</Link>
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
                ))}
              </tbody>
            </table>
          </ScrollX>
        )}
        {total > SIZE && (
          <nav className="row" aria-label="Pages">
            <span className="grow soft small number">
              {count(page * SIZE + 1)}–{count(Math.min(total, (page + 1) * SIZE))} of {count(total)}
            </span>
            <button type="button" className="button compact" disabled={page === 0} onClick={() => setPage(page - 1)}>
              Previous
            </button>
            <button
              type="button"
              className="button compact"
              disabled={(page + 1) * SIZE >= total}
              onClick={() => setPage(page + 1)}
            >
              Next
            </button>
          </nav>
        )}
      </section>
    </>
  );
}
