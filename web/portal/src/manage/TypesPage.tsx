// All analysis types.

import { useQuery } from '@tanstack/react-query';

import type { AnalysisType } from '../api/types';
import { DataTable } from '../design/DataTable';
import { Icon } from '../design/Icon';
import { moment } from '../design/format';
import { Empty, ErrorNotice, Skeleton } from '../design/Notice';
import { Link } from '../shell/router';
import { typeVersionsQuery } from './api';

export default function TypesPage() {
  const { data, error, refetch } = useQuery(typeVersionsQuery);
  const latest = new Map<string, AnalysisType>();
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
      {error && <ErrorNotice error={error} retry={refetch} />}
      {!data && !error && (
        <div className="card">
          <Skeleton lines={5} />
        </div>
      )}
      {data && latest.size === 0 && <Empty icon="record" title="No types yet" />}
      {latest.size > 0 && (
        <DataTable
          label="List of types"
          className="card"
          headings={['Name', { number: 'Versions' }, 'File types', 'Latest since', { hidden: 'Actions' }]}
        >
          {[...latest.values()]
            .sort((a, b) => a.name.localeCompare(b.name))
            .map(({ name, version, options, createdAt }) => (
              <tr key={name}>
                <td>
                  <Link to={`/manage/types/${encodeURIComponent(name)}`}>{name}</Link>
                </td>
                <td className="number">{version}</td>
                <td>{options.fileTypes?.length ? options.fileTypes.join(', ') : <span className="faint">any</span>}</td>
                <td className="soft">{moment(createdAt)}</td>
                <td>
                  <div className="row">
                    <Link className="button compact" to={`/manage/types/${encodeURIComponent(name)}/dictionary`}>
                      Dictionary
                    </Link>
                    <Link className="button compact" to={`/manage/types/${encodeURIComponent(name)}/edit`}>
                      Edit
                    </Link>
                  </div>
                </td>
              </tr>
            ))}
        </DataTable>
      )}
    </>
  );
}
