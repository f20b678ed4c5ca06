// The guides, the interfaces for programs, the state of the server, and its licences.

import { useQuery } from '@tanstack/react-query';

import { serverPath } from '../api/base';
import { json } from '../api/client';
import { words } from '../api/catalogue';
import type { Readiness } from '../api/types';
import { DataTable } from '../design/DataTable';
import { Icon, type IconName } from '../design/Icon';
import { ErrorNotice, Skeleton } from '../design/Notice';
import { useBranding, useTitle } from '../shell/branding';
import { useDirectory } from '../shell/directory';
import { Link } from '../shell/router';
import { texts } from '../texts';
import { GuidePage } from './GuidePage';
import './learn.css';

interface CardProps {
  icon: IconName;
  title: string;
  text: string;
}

/** Where people begin to read, by the paths of the documents. */
function guides(): Record<string, CardProps> {
  const { researcher, submitter, dataManager, operator, documents } = texts.learn;
  return {
    'guide/researcher': { icon: 'search', title: researcher, text: texts.learn.researcherText },
    'guide/submitter': { icon: 'upload', title: submitter, text: texts.learn.submitterText },
    'guide/data-manager': { icon: 'record', title: dataManager, text: texts.learn.dataManagerText },
    'guide/operator': { icon: 'key', title: operator, text: texts.learn.operatorText },
    README: { icon: 'book', title: documents, text: texts.learn.documentsText },
  };
}

export default function LearnPage({ rest }: { rest: string[] }) {
  return rest.length ? <GuidePage path={rest.join('/')} /> : <Overview />;
}

function Overview() {
  const { name, version } = useBranding();
  const directory = useDirectory();
  const ready = useQuery({ queryKey: ['ready'], queryFn: ({ signal }) => json<Readiness>('/ready', { signal }) });
  useTitle(texts.learn.title);
  const catalogues = Object.entries(directory.data?.catalogs ?? {});
  return (
    <div className="page stack loose">
      <div>
        <h1>{texts.learn.title}</h1>
        <p className="soft">{texts.learn.introduction}</p>
      </div>
      <section className="learn-cards" aria-label={texts.learn.guides}>
        {Object.entries(guides()).map(([path, card]) => (
          <Link key={path} to={`/learn/${path}`} className="card learn-card">
            <CardContent {...card} />
          </Link>
        ))}
      </section>
      <section className="learn-cards" aria-label={texts.learn.interfaces}>
        <Card icon="book" title="REST" url="/docs" text={texts.learn.restText} />
        {catalogues
          .filter(([, { status }]) => status === 'available')
          .map(([id, { paths }]) => (
            <Card
              key={id}
              icon="code"
              title={`GraphQL: ${words(id)}`}
              url={paths.graphql}
              text={texts.learn.graphqlText}
            />
          ))}
        <Card icon="filter" title={texts.learn.filters} url="/introspection/sqon" text={texts.learn.filtersText} />
        <Card icon="record" title="OpenAPI" url="/openapi.json" text={texts.learn.openapiText} />
      </section>
      <section className="card stack" aria-labelledby="learn-check">
        <h2 id="learn-check">{texts.learn.check}</h2>
        <p className="soft">{texts.learn.checkText}</p>
        {directory.error && <ErrorNotice error={directory.error} retry={directory.refetch} />}
        {directory.isPending && <Skeleton lines={3} />}
        {directory.data && (
          <DataTable
            label={texts.learn.catalogues}
            headings={[texts.learn.catalogue, texts.learn.recordsAre, texts.learn.state, texts.learn.remarks]}
          >
            {catalogues.map(([id, { documentType, status, error }]) => (
              <tr key={id}>
                <td>{words(id)}</td>
                <td className="mono">{documentType}</td>
                <td>
                  <span className={`badge ${status === 'available' ? 'good' : 'danger'}`}>{status}</span>
                </td>
                <td>{error ? `${error.message} (${error.code})` : texts.learn.noRemarks}</td>
              </tr>
            ))}
          </DataTable>
        )}
        {directory.data && catalogues.length === 0 && <p className="soft">{texts.learn.noCatalogues}</p>}
      </section>
      <section className="card stack" aria-labelledby="learn-about">
        <h2 id="learn-about">{texts.learn.about}</h2>
        <dl className="about">
          <dt>{texts.learn.name}</dt>
          <dd>{name}</dd>
          {version && (
            <>
              <dt>{texts.learn.version}</dt>
              <dd className="number">{version}</dd>
            </>
          )}
          <dt>{texts.learn.searchService}</dt>
          <dd>{ready.data?.status ?? (ready.error ? texts.learn.notThere : '…')}</dd>
          <dt>{texts.learn.licences}</dt>
          <dd>
            <a href={serverPath('/assets/portal/LICENSES.txt')}>{texts.learn.ofPages}</a>,{' '}
            <a href={serverPath('/assets/graphiql/LICENSES.txt')}>{texts.learn.ofGraphiql}</a>
          </dd>
        </dl>
      </section>
    </div>
  );
}

function Card({ url, ...card }: CardProps & { url: string }) {
  return (
    <a className="card learn-card" href={serverPath(url)}>
      <CardContent {...card} />
    </a>
  );
}

function CardContent({ icon, title, text }: CardProps) {
  return (
    <>
      <Icon name={icon} size={20} />
      <span className="grow">
        <strong>{title}</strong>
        <span className="soft">{text}</span>
      </span>
    </>
  );
}
