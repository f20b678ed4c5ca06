// The guides, the interfaces for programs, the state of the server, and its licences.

import { useQuery } from '@tanstack/react-query';

import { json } from '../api/client';
import { words } from '../api/catalogue';
import type { Readiness } from '../api/types';
import { DataTable } from '../design/DataTable';
import { Icon, type IconName } from '../design/Icon';
import { ErrorNotice, Skeleton } from '../design/Notice';
import { useBranding, useTitle } from '../shell/branding';
import { useDirectory } from '../shell/directory';
import { Link } from '../shell/router';
import { GuidePage } from './GuidePage';
import './learn.css';

/** Where people begin to read. */
const GUIDES: { path: string; icon: IconName; title: string; text: string }[] = [
  {
    path: 'guide/researcher',
    icon: 'search',
    title: 'For researchers',
    text: 'Find records, take them away, and use them in scripts.',
  },
  {
    path: 'guide/submitter',
    icon: 'upload',
    title: 'For submitters',
    text: 'Write a payload, check it, submit it, publish it.',
  },
  {
    path: 'guide/data-manager',
    icon: 'record',
    title: 'For data managers',
    text: 'Define what is submitted, and how it is found.',
  },
  {
    path: 'guide/operator',
    icon: 'key',
    title: 'For operators',
    text: 'Run the server: keys, proxies, backups, metrics.',
  },
  {
    path: 'README',
    icon: 'book',
    title: 'All documents',
    text: 'The reference of filters, downloads, the command line, settings and errors.',
  },
];

export default function LearnPage({ rest }: { rest: string[] }) {
  return rest.length ? <GuidePage path={rest.join('/')} /> : <Overview />;
}

function Overview() {
  const { name, version } = useBranding();
  const directory = useDirectory();
  const ready = useQuery({ queryKey: ['ready'], queryFn: ({ signal }) => json<Readiness>('/ready', { signal }) });
  useTitle('Learn');
  const catalogues = Object.entries(directory.data?.catalogs ?? {});
  return (
    <div className="page stack loose">
      <div>
        <h1>Learn</h1>
        <p className="soft">Guides for what you want to do, and the interfaces behind these pages.</p>
      </div>
      <section className="learn-cards" aria-label="Guides">
        {GUIDES.map(({ path, icon, title, text }) => (
          <Link key={path} to={`/learn/${path}`} className="card learn-card">
            <CardContent icon={icon} title={title} text={text} />
          </Link>
        ))}
      </section>
      <section className="learn-cards" aria-label="Interfaces">
        <Card
          icon="book"
          title="REST"
          url="/docs"
          text="Studies, analysis types, submissions, files and events. Try every call in the browser."
        />
        {catalogues
          .filter(([, { status }]) => status === 'available')
          .map(([id, { paths }]) => (
            <Card
              key={id}
              icon="code"
              title={`GraphQL: ${words(id)}`}
              url={paths.graphql}
              text="Write queries with completion and documentation, and see their answers."
            />
          ))}
        <Card
          icon="filter"
          title="Filters"
          url="/introspection/sqon"
          text="The language of filters, SQON, as a JSON Schema with all operators."
        />
        <Card
          icon="record"
          title="OpenAPI"
          url="/openapi.json"
          text="The description of the REST interface, for generators of clients."
        />
      </section>
      <section className="card stack" aria-labelledby="learn-check">
        <h2 id="learn-check">Configuration check</h2>
        <p className="soft">What the server found when it read the configuration of its catalogues.</p>
        {directory.error && <ErrorNotice error={directory.error} retry={directory.refetch} />}
        {directory.isPending && <Skeleton lines={3} />}
        {directory.data && (
          <DataTable label="Catalogues" headings={['Catalogue', 'Records are called', 'State', 'Remarks']}>
            {catalogues.map(([id, { documentType, status, error }]) => (
              <tr key={id}>
                <td>{words(id)}</td>
                <td className="mono">{documentType}</td>
                <td>
                  <span className={`badge ${status === 'available' ? 'good' : 'danger'}`}>{status}</span>
                </td>
                <td>{error ? `${error.message} (${error.code})` : 'None'}</td>
              </tr>
            ))}
          </DataTable>
        )}
        {directory.data && catalogues.length === 0 && <p className="soft">No catalogues are configured.</p>}
      </section>
      <section className="card stack" aria-labelledby="learn-about">
        <h2 id="learn-about">About</h2>
        <dl className="about">
          <dt>Name</dt>
          <dd>{name}</dd>
          {version && (
            <>
              <dt>Version</dt>
              <dd className="number">{version}</dd>
            </>
          )}
          <dt>Search service</dt>
          <dd>{ready.data?.status ?? (ready.error ? 'not there' : '…')}</dd>
          <dt>Licences</dt>
          <dd>
            <a href="/assets/portal/LICENSES.txt">of these pages</a>,{' '}
            <a href="/assets/graphiql/LICENSES.txt">of GraphiQL</a>
          </dd>
        </dl>
      </section>
    </div>
  );
}

function Card({ icon, title, url, text }: { icon: IconName; title: string; url: string; text: string }) {
  return (
    <a className="card learn-card" href={url}>
      <CardContent icon={icon} title={title} text={text} />
    </a>
  );
}

function CardContent({ icon, title, text }: { icon: IconName; title: string; text: string }) {
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
