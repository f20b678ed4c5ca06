// How far the indexes of catalogues have followed their sources, and the jobs that rebuild them.

import { useMutation, useQuery } from '@tanstack/react-query';

import { words } from '../api/catalogue';
import { ApiError, json } from '../api/client';
import type { CatalogueIndexing, Job } from '../api/types';
import { count, moment } from '../design/format';
import { Empty, ErrorNotice, Notice, Skeleton } from '../design/Notice';
import { announce } from '../shell/announce';
import { texts } from '../texts';

const POLL_INTERVAL_MS = 10_000;
const POLL_INTERVAL_WHILE_RUNNING_MS = 1000;

const BADGES: Record<CatalogueIndexing['status'], string> = {
  starting: 'warning',
  following: 'good',
  standingBy: '',
  failing: 'danger',
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
  const said = texts.manage.indexing;
  const heading = (
    <div>
      <h1>{texts.manage.areas.indexing}</h1>
      <p className="soft">{said.about}</p>
    </div>
  );
  if (error instanceof ApiError && error.status === 404) {
    return (
      <>
        {heading}
        <div className="card">
          <Empty icon="clock" title={said.nothing}>
            <p>{said.noSource}</p>
          </Empty>
        </div>
      </>
    );
  }
  if (error && !data)
    return (
      <>
        {heading}
        <ErrorNotice error={error} retry={refetch} title={said.notFetched} />
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
          <Empty icon="clock" title={said.nothingToFollow}>
            <p>{said.noCatalogue}</p>
          </Empty>
        </div>
      )}
      {data.catalogues.map((each) => (
        <section key={each.catalogue} className="card stack" aria-label={each.catalogue}>
          <div className="row wrap spread">
            <div className="row">
              <h2>{words(each.catalogue)}</h2>
              <span className={`badge ${BADGES[each.status]}`}>{said.states[each.status]}</span>
            </div>
            <button
              type="button"
              className="button"
              disabled={data.jobs.some((job) => job.catalogue === each.catalogue && job.status === 'running')}
              onClick={() =>
                action.mutate({
                  path: `/admin/catalogues/${encodeURIComponent(each.catalogue)}/reindex`,
                  method: 'POST',
                  announcement: said.reindexBegan,
                })
              }
            >
              {said.reindex}
            </button>
          </div>
          <p className="soft">
            {said.index} <span className="mono">{each.index ?? '–'}</span>
            {each.behind !== null && (each.behind === 0 ? said.upToDate : said.behind(count(each.behind)))}
          </p>
          {each.needsReindex.length > 0 && (
            <Notice kind="warning">
              <p>{said.needsReindex(each.needsReindex.join(', '))}</p>
            </Notice>
          )}
          {each.lastError && (
            <Notice kind="warning">
              <p>{said.lastProblem(moment(each.lastError.at), each.lastError.message)}</p>
            </Notice>
          )}
          {each.setAside.length > 0 && (
            <details>
              <summary>{said.setAside(count(each.setAside.length))}</summary>
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
        <h2 id="jobs">{said.jobs}</h2>
        {data.jobs.length === 0 && <p className="soft">{said.noJob}</p>}
        <ul className="stack">
          {data.jobs.map((job) => (
            <li key={job.id} className="stack tight">
              <div className="row wrap spread">
                <span>
                  <strong>{said.jobOf(job.kind, words(job.catalogue))}</strong>{' '}
                  <span
                    className={`badge ${job.status === 'succeeded' ? 'good' : job.status === 'failed' ? 'danger' : ''}`}
                  >
                    {said.jobStates[job.status]}
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
                          announcement: said.jobIsStopped,
                        })
                      }
                    >
                      {said.cancel}
                    </button>
                  )}
                </span>
              </div>
              {job.status === 'running' && (
                <progress max={Math.max(1, job.total)} value={job.done} aria-label={said.job(job.id)} />
              )}
              <span className="soft small number">
                {said.done(count(job.done), count(job.total))}
                {job.setAside > 0 && said.jobSetAside(count(job.setAside))}
                {job.problem && `. ${job.problem}`}
              </span>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}
