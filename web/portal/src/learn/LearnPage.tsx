// How to go on from here: the interfaces for programs, how the server is, what it is made of.

import { json } from '../api/client';
import { words } from '../api/catalogue';
import { Icon, type IconName } from '../design/Icon';
import { Failure, Skeleton } from '../design/Notice';
import { ScrollX } from '../design/ScrollX';
import { useBranding, useTitle } from '../shell/branding';
import { useDirectory } from '../shell/directory';
import { useLoaded } from '../shell/useLoaded';
import './learn.css';

interface Ready {
  status: string;
}

export default function LearnPage() {
  const { name, version } = useBranding();
  const directory = useDirectory();
  const ready = useLoaded('ready', (signal) => json<Ready>('/ready', { signal }));
  useTitle('Learn');
  const catalogues = Object.entries(directory.data?.catalogs ?? {});
  return (
    <div className="page stack loose">
      <div>
        <h1>Learn</h1>
        <p className="soft">Everything you see in these pages can be asked for by programs, too.</p>
      </div>
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
        {directory.failure ? <Failure failure={directory.failure} retry={directory.reload} /> : null}
        {directory.loading && !directory.data && <Skeleton lines={3} />}
        {directory.data && (
          <ScrollX label="Catalogues">
            <table className="plain-table">
              <thead>
                <tr>
                  <th>Catalogue</th>
                  <th>Records are called</th>
                  <th>State</th>
                  <th>Remarks</th>
                </tr>
              </thead>
              <tbody>
                {catalogues.map(([id, { documentType, status, error }]) => (
                  <tr key={id}>
                    <td>{words(id)}</td>
                    <td className="mono">{documentType}</td>
                    <td>
                      <span className={`badge ${status === 'available' ? 'good' : 'danger'}`}>{status}</span>
                    </td>
                    <td>{error ? `${error.message} (${error.code})` : 'Nothing to mend'}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </ScrollX>
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
          <dd>{ready.data?.status ?? (ready.failure ? 'not there' : '…')}</dd>
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
      <Icon name={icon} size={20} />
      <span className="grow">
        <strong>{title}</strong>
        <span className="soft">{text}</span>
      </span>
    </a>
  );
}
