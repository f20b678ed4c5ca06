// How the indexes of catalogues follow their sources, and the jobs that make them anew.

import { useEffect, useState } from 'react';

import { words } from '../api/catalogue';
import { ApiError, json } from '../api/client';
import { count, moment } from '../design/format';
import { Empty, Failure, Notice, Skeleton } from '../design/Notice';
import { announce } from '../shell/announce';
import { useLoaded } from '../shell/useLoaded';

interface Job {
  id: number;
  kind: string;
  catalogue: string;
  reason: string | null;
  status: 'running' | 'succeeded' | 'failed' | 'cancelled' | 'interrupted';
  done: number;
  total: number;
  setAside: number;
  startedAt: string;
  endedAt: string | null;
  problem: string | null;
}

interface Following {
  catalogue: string;
  source: string;
  index: string | null;
  status: 'starting' | 'following' | 'standingBy' | 'failing';
  behind: number | null;
  lastError: { message: string; at: string } | null;
  needsReindex: string[];
  setAside: { id?: string; analysisId?: string; message?: string; reason?: string }[];
}

const EVERY = 1000;
const STATUS: Record<Following['status'], [string, string]> = {
  starting: ['starting', 'warning'],
  following: ['following', 'good'],
  standingBy: ['another server follows', ''],
  failing: ['failing', 'danger'],
};

async function fetchAll(signal: AbortSignal): Promise<{ following: Following[]; jobs: Job[] }> {
  const [following, jobs] = await Promise.all([
    json<Following[]>('/admin/indexing', { signal }),
    json<Job[]>('/admin/jobs', { signal }),
  ]);
  return { following, jobs };
}

export default function IndexingPage() {
  const { data, failure, reload } = useLoaded('indexing', fetchAll);
  const [mistake, setMistake] = useState<unknown>(null);
  const isRunning = data?.jobs.some(({ status }) => status === 'running') ?? false;
  useEffect(() => {
    // Often while something is under way, rarely otherwise.
    const timer = setInterval(reload, isRunning ? EVERY : EVERY * 10);
    return () => clearInterval(timer);
  }, [isRunning, reload]);
  const act = async (path: string, method: 'POST' | 'DELETE', said: string) => {
    setMistake(null);
    try {
      await json(path, { method });
      announce(said);
    } catch (reason) {
      setMistake(reason);
    }
    reload();
  };
  const heading = (
    <div>
      <h1>Indexing</h1>
      <p className="soft">
        Catalogues are made from published analyses and follow them by themselves. A reindex makes an index anew while
        it is being searched.
      </p>
    </div>
  );
  if (failure instanceof ApiError && failure.status === 404) {
    return (
      <>
        {heading}
        <div className="card">
          <Empty icon="clock" title="Nothing is indexed here">
            <p>No catalogue of this server has a source that it follows.</p>
          </Empty>
        </div>
      </>
    );
  }
  if (failure && !data)
    return (
      <>
        {heading}
        <Failure failure={failure} retry={reload} title="The indexes could not be looked at" />
      </>
    );
  if (!data)
    return (
      <>
        {heading}
        <div className="card">
          <Skeleton lines={5} />
        </div>
      </>
    );
  return (
    <>
      {heading}
      {mistake ? <Failure failure={mistake} /> : null}
      {data.following.length === 0 && (
        <div className="card">
          <Empty icon="clock" title="Nothing to follow">
            <p>No catalogue has a source.</p>
          </Empty>
        </div>
      )}
      {data.following.map((each) => (
        <section key={each.catalogue} className="card stack" aria-label={each.catalogue}>
          <div className="row wrap spread">
            <div className="row">
              <h2>{words(each.catalogue)}</h2>
              <span className={`badge ${STATUS[each.status][1]}`}>{STATUS[each.status][0]}</span>
            </div>
            <button
              type="button"
              className="button"
              disabled={data.jobs.some((job) => job.catalogue === each.catalogue && job.status === 'running')}
              onClick={() =>
                void act(`/admin/catalogues/${encodeURIComponent(each.catalogue)}/reindex`, 'POST', 'The reindex began')
              }
            >
              Reindex
            </button>
          </div>
          <p className="soft">
            Index <span className="mono">{each.index ?? '–'}</span>
            {each.behind !== null && `, ${each.behind === 0 ? 'up to date' : `${count(each.behind)} changes behind`}`}
          </p>
          {each.needsReindex.length > 0 && (
            <Notice kind="warning">
              <p>A reindex would add: {each.needsReindex.join(', ')}</p>
            </Notice>
          )}
          {each.lastError && (
            <Notice kind="warning">
              <p>
                Last problem, {moment(each.lastError.at)}: {each.lastError.message}
              </p>
            </Notice>
          )}
          {each.setAside.length > 0 && (
            <details>
              <summary>{count(each.setAside.length)} documents were set aside</summary>
              <ul>
                {each.setAside.map((document, index) => (
                  <li key={index} className="small mono">
                    {JSON.stringify(document)}
                  </li>
                ))}
              </ul>
            </details>
          )}
        </section>
      ))}
      <section className="card stack" aria-labelledby="jobs">
        <h2 id="jobs">Jobs</h2>
        {data.jobs.length === 0 && <p className="soft">No job has run yet.</p>}
        <ul className="stack">
          {data.jobs.map((job) => (
            <li key={job.id} className="stack tight">
              <div className="row wrap spread">
                <span>
                  <strong>
                    {job.kind === 'reindex' ? 'Reindex' : job.kind} of {words(job.catalogue)}
                  </strong>{' '}
                  <span
                    className={`badge ${job.status === 'succeeded' ? 'good' : job.status === 'failed' ? 'danger' : ''}`}
                  >
                    {job.status}
                  </span>
                </span>
                <span className="row">
                  <span className="soft small">{moment(job.startedAt)}</span>
                  {job.status === 'running' && (
                    <button
                      type="button"
                      className="button compact"
                      onClick={() => void act(`/admin/jobs/${job.id}`, 'DELETE', 'The job is being stopped')}
                    >
                      Cancel
                    </button>
                  )}
                </span>
              </div>
              {job.status === 'running' && (
                <progress max={Math.max(1, job.total)} value={job.done} aria-label={`Job ${job.id}`} />
              )}
              <span className="soft small number">
                {count(job.done)} of {count(job.total)} analyses
                {job.setAside > 0 && `, ${count(job.setAside)} set aside`}
                {job.problem && `. ${job.problem}`}
              </span>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}
