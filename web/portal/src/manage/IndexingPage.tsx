// How far the indexes of catalogues have followed their sources, and the jobs that rebuild them.

import { useMutation, useQuery } from '@tanstack/react-query';

import { words } from '../api/catalogue';
import { ApiError, json } from '../api/client';
import type { CatalogueIndexing, Job } from '../api/types';
import { count, moment } from '../design/format';
import { Empty, ErrorNotice, Notice, Skeleton } from '../design/Notice';
import { announce } from '../shell/announce';

const POLL_INTERVAL_MS = 10_000;
const POLL_INTERVAL_WHILE_RUNNING_MS = 1000;

const BADGES: Record<CatalogueIndexing['status'], [string, string]> = {
  starting: ['starting', 'warning'],
  following: ['following', 'good'],
  standingBy: ['another server follows', ''],
  failing: ['failing', 'danger'],
};

interface Action {
  path: string;
  method: 'POST' | 'DELETE';
  /** What screen readers say when it has worked. */
  announcement: string;
}

async function fetchAll(signal: AbortSignal): Promise<{ catalogues: CatalogueIndexing[]; jobs: Job[] }> {
  const [catalogues, jobs] = await Promise.all([
    json<CatalogueIndexing[]>('/admin/indexing', { signal }),
    json<Job[]>('/admin/jobs', { signal }),
  ]);
  return { catalogues, jobs };
}

export default function IndexingPage() {
  const { data, error, refetch } = useQuery({
    queryKey: ['indexing'],
    queryFn: ({ signal }) => fetchAll(signal),
    refetchInterval: ({ state }) =>
      state.data?.jobs.some(({ status }) => status === 'running') ? POLL_INTERVAL_WHILE_RUNNING_MS : POLL_INTERVAL_MS,
  });
  const action = useMutation({
    mutationFn: ({ path, method }: Action) => json(path, { method }),
    onSuccess: (_, { announcement }) => announce(announcement),
    onSettled: () => refetch(),
  });
  const heading = (
    <div>
      <h1>Indexing</h1>
      <p className="soft">
        Catalogues are built from published analyses and follow every change. A reindex builds a new index while the old
        one is being searched.
      </p>
    </div>
  );
  if (error instanceof ApiError && error.status === 404) {
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
  if (error && !data)
    return (
      <>
        {heading}
        <ErrorNotice error={error} retry={refetch} title="The state of the indexes could not be fetched" />
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
      {action.error && <ErrorNotice error={action.error} />}
      {data.catalogues.length === 0 && (
        <div className="card">
          <Empty icon="clock" title="Nothing to follow">
            <p>No catalogue has a source.</p>
          </Empty>
        </div>
      )}
      {data.catalogues.map((each) => (
        <section key={each.catalogue} className="card stack" aria-label={each.catalogue}>
          <div className="row wrap spread">
            <div className="row">
              <h2>{words(each.catalogue)}</h2>
              <span className={`badge ${BADGES[each.status][1]}`}>{BADGES[each.status][0]}</span>
            </div>
            <button
              type="button"
              className="button"
              disabled={data.jobs.some((job) => job.catalogue === each.catalogue && job.status === 'running')}
              onClick={() =>
                action.mutate({
                  path: `/admin/catalogues/${encodeURIComponent(each.catalogue)}/reindex`,
                  method: 'POST',
                  announcement: 'The reindex began',
                })
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
              <summary>{count(each.setAside.length)} documents were rejected</summary>
              <ul>
                {each.setAside.map((document) => (
                  <li key={`${document.analysisId} ${document.documentId} ${document.at}`} className="small mono">
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
                      onClick={() =>
                        action.mutate({
                          path: `/admin/jobs/${job.id}`,
                          method: 'DELETE',
                          announcement: 'The job is being stopped',
                        })
                      }
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
                {job.setAside > 0 && `, ${count(job.setAside)} rejected`}
                {job.problem && `. ${job.problem}`}
              </span>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}
