// All analysis types.

import { Icon } from '../design/Icon';
import { moment } from '../design/format';
import { Empty, Failure, Skeleton } from '../design/Notice';
import { ScrollX } from '../design/ScrollX';
import { Link } from '../shell/router';
import { useLoaded } from '../shell/useLoaded';
import { type TypeVersion, typeVersions } from './api';

export default function TypesPage() {
  const { data, failure, reload } = useLoaded('types', (signal) => typeVersions(signal));
  const latest = new Map<string, TypeVersion>();
  for (const type of data ?? []) {
    if ((latest.get(type.name)?.version ?? 0) < type.version) latest.set(type.name, type);
  }
  return (
    <>
      <div className="row wrap spread">
        <div>
          <h1>Analysis types</h1>
          <p className="soft">
            What an analysis of each kind must say. Versions never change; a change makes the next version.
          </p>
        </div>
        <Link className="button" to="/manage/types/new">
          <Icon name="plus" />
          New type
        </Link>
      </div>
      {failure ? <Failure failure={failure} retry={reload} /> : null}
      {!data && !failure && (
        <div className="card">
          <Skeleton lines={5} />
        </div>
      )}
      {data && latest.size === 0 && <Empty icon="record" title="No types yet" />}
      {latest.size > 0 && (
        <ScrollX label="List of types" className="card">
          <table className="plain-table">
            <thead>
              <tr>
                <th>Name</th>
                <th className="number">Versions</th>
                <th>File types</th>
                <th>Latest since</th>
                <th>
                  <span className="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {[...latest.values()]
                .sort((a, b) => a.name.localeCompare(b.name))
                .map(({ name, version, options, createdAt }) => (
                  <tr key={name}>
                    <td>
                      <Link to={`/manage/types/${encodeURIComponent(name)}`}>{name}</Link>
                    </td>
                    <td className="number">{version}</td>
                    <td>
                      {options.fileTypes?.length ? options.fileTypes.join(', ') : <span className="faint">any</span>}
                    </td>
                    <td className="soft">{moment(createdAt)}</td>
                    <td>
                      <Link className="button compact" to={`/manage/types/${encodeURIComponent(name)}/edit`}>
                        Edit
                      </Link>
                    </td>
                  </tr>
                ))}
            </tbody>
          </table>
        </ScrollX>
      )}
    </>
  );
}
