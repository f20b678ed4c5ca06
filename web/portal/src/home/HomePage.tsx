// The home page: the catalogues with their most frequent values.

import { skipToken, useQuery } from '@tanstack/react-query';

import type { Catalogue } from '../api/catalogue';
import { graphql } from '../api/client';
import { count, nounFor, valueText } from '../design/format';
import { Icon } from '../design/Icon';
import { Empty, ErrorNotice, Skeleton } from '../design/Notice';
import { readBuckets, type Bucket } from '../explore/answer';
import { START, writeState } from '../explore/urlState';
import { asRoot, leaf } from '../query/sqon';
import { analyses, studyIdsQuery } from '../manage/api';
import { useBranding, useTitle } from '../shell/branding';
import { useCatalogue, useDirectory } from '../shell/directory';
import { Link } from '../shell/router';
import { texts } from '../texts';
import { HomeSearch } from './HomeSearch';
import './home.css';

export default function HomePage() {
  const { headline, introduction } = useBranding();
  const directory = useDirectory();
  const studies = useQuery(studyIdsQuery);
  useTitle('');
  const ids = Object.keys(directory.data?.catalogs ?? {});
  const healthy = ids.find((id) => directory.data?.catalogs[id]?.status === 'available');
  return (
    <div className="home">
      <section className="hero">
        <h1>{headline}</h1>
        <p>{introduction}</p>
        {ids.length > 0 && <HomeSearch ids={ids} />}
        <div className="row wrap">
          {healthy && (
            <Link className="button primary" to={`/explore/${encodeURIComponent(healthy)}`}>
              <Icon name="search" />
              {texts.home.explore}
            </Link>
          )}
          <Link className="button" to="/manage/submit">
            <Icon name="upload" />
            {texts.home.submit}
          </Link>
        </div>
        {studies.data && <StudyCounts studies={studies.data} />}
      </section>
      {directory.error && (
        <ErrorNotice error={directory.error} retry={directory.refetch} title={texts.home.noCatalogues} />
      )}
      <div className="home-cards">
        {directory.isPending &&
          [1, 2].map((card) => (
            <div key={card} className="card">
              <Skeleton lines={7} />
            </div>
          ))}
        {ids.map((id) => (
          <CatalogueCard key={id} id={id} />
        ))}
      </div>
      {directory.data && ids.length === 0 && (
        <Empty icon="table" title={texts.home.empty}>
          <p>{texts.home.emptyWhy}</p>
        </Empty>
      )}
    </div>
  );
}

/** Up to how many studies their analyses are counted; each takes a request. */
const MAX_COUNTED_STUDIES = 40;

/** How many studies and published analyses there are. */
function StudyCounts({ studies }: { studies: string[] }) {
  const { data } = useQuery({
    queryKey: ['published analyses', studies],
    queryFn: async ({ signal }) => {
      const pages = await Promise.all(studies.map((id) => analyses(id, ['PUBLISHED'], 1, 0, signal)));
      return pages.reduce((sum, { totalAnalyses }) => sum + totalAnalyses, 0);
    },
    enabled: studies.length <= MAX_COUNTED_STUDIES,
  });
  return (
    <p className="hero-counts">
      <Link to="/manage/studies">
        <strong className="number">{count(studies.length)}</strong> {texts.home.studies(studies.length)}
      </Link>
      {data !== undefined && (
        <>
          {' '}
          {texts.home.with} <strong className="number">{count(data)}</strong> {texts.home.publishedAnalyses(data)}
        </>
      )}
    </p>
  );
}

interface Summary {
  total: number;
  facets: { label: string; name: string; buckets: Bucket[]; distinct: number }[];
}

/** Fetches how many records there are, and the most frequent values of a few fields. */
async function fetchSummary(catalogue: Catalogue, signal: AbortSignal): Promise<Summary> {
  const chosen = catalogue.facets.filter(({ field, show }) => show && field.kind === 'terms').slice(0, 3);
  const parts = chosen
    .map(({ field }) => `${field.graphqlName} { bucket_count buckets(max: 5) { key doc_count } }`)
    .join(' ');
  const type = catalogue.documentType;
  const query = `query Summary { ${type} { hits(first: 0) { total } ${parts && `aggregations(include_missing: false) { ${parts} }`} } }`;
  const answer = await graphql<
    Record<string, { hits: { total: number }; aggregations?: Record<string, { bucket_count: number; buckets: [] }> }>
  >(catalogue.graphqlPath, query, {}, signal);
  const { hits, aggregations = {} } = answer[type] ?? { hits: { total: 0 } };
  return {
    total: hits.total,
    facets: chosen.flatMap(({ field, label }) => {
      const counts = aggregations[field.graphqlName];
      return counts
        ? [{ label, name: field.name, buckets: readBuckets(counts.buckets, field), distinct: counts.bucket_count }]
        : [];
    }),
  };
}

function CatalogueCard({ id }: { id: string }) {
  const { data: catalogue, error: catalogueError, retry } = useCatalogue(id);
  const summary = useQuery({
    queryKey: ['summary', id],
    queryFn: catalogue ? ({ signal }) => fetchSummary(catalogue, signal) : skipToken,
  });
  const to = `/explore/${encodeURIComponent(id)}`;
  const error = catalogueError ?? summary.error;
  if (error)
    return (
      <div className="card">
        <ErrorNotice
          error={error}
          retry={catalogueError ? retry : summary.refetch}
          title={texts.home.notSearchable(id)}
        />
      </div>
    );
  if (!catalogue || !summary.data)
    return (
      <div className="card">
        <Skeleton lines={9} />
      </div>
    );
  const { total, facets } = summary.data;
  return (
    <section className="card home-card">
      <div className="row spread">
        <h2>
          <Link to={to}>{catalogue.label}</Link>
        </h2>
        <span className="home-total number">
          {count(total)} <span className="faint">{nounFor(total, catalogue.documentType)}</span>
        </span>
      </div>
      {catalogue.description && <p className="soft">{catalogue.description}</p>}
      <div className="home-facets">
        {facets.map(({ label, name, buckets, distinct }) => {
          const most = Math.max(1, ...buckets.map((bucket) => bucket.count));
          return (
            <div key={name}>
              <h3 className="label">
                {label}
                {distinct > buckets.length && <span className="faint"> · {count(distinct)}</span>}
              </h3>
              <ul>
                {buckets.map((bucket) => (
                  <li key={String(bucket.value)}>
                    <Link
                      className="home-value"
                      to={`${to}${writeState({ ...START, filter: asRoot(leaf('in', name, [bucket.value])) })}`}
                    >
                      <span className="home-name">{valueText(bucket.value, catalogue.fields.get(name))}</span>
                      <span className="number small faint">{count(bucket.count)}</span>
                      <span
                        className="home-bar"
                        aria-hidden="true"
                        style={{ width: `${(bucket.count / most) * 100}%` }}
                      />
                    </Link>
                  </li>
                ))}
              </ul>
            </div>
          );
        })}
      </div>
      <div className="row">
        <Link className="button" to={to}>
          {texts.home.exploreCatalogue(catalogue.label)}
          <Icon name="right" size={14} />
        </Link>
      </div>
    </section>
  );
}
