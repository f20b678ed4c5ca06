// All analysis types.

import { useQuery } from '@tanstack/react-query';

import type { AnalysisType } from '../api/types';
import { DataTable } from '../design/DataTable';
import { Icon } from '../design/Icon';
import { moment } from '../design/format';
import { Empty, ErrorNotice, Skeleton } from '../design/Notice';
import { Link } from '../shell/router';
import { texts } from '../texts';
import { typeVersionsQuery } from './api';

export default function TypesPage() {
  const { data, error, refetch } = useQuery(typeVersionsQuery);
  const words = texts.manage.types;
  const latest = new Map<string, AnalysisType>();
  for (const type of data ?? []) {
    if ((latest.get(type.name)?.version ?? 0) < type.version) latest.set(type.name, type);
  }
  return (
    <>
      <div className="row wrap spread">
        <div>
          <h1>{texts.manage.areas.types}</h1>
          <p className="soft">{words.about}</p>
        </div>
        <Link className="button" to="/manage/types/new">
          <Icon name="plus" />
          {words.new}
        </Link>
      </div>
      {error && <ErrorNotice error={error} retry={refetch} />}
      {!data && !error && (
        <div className="card">
          <Skeleton lines={5} />
        </div>
      )}
      {data && latest.size === 0 && <Empty icon="record" title={words.noneYet} />}
      {latest.size > 0 && (
        <DataTable
          label={words.listOfTypes}
          className="card"
          headings={[
            words.name,
            { number: words.versions },
            words.fileTypes,
            words.latestSince,
            { hidden: words.actions },
          ]}
        >
          {[...latest.values()]
            .sort((a, b) => a.name.localeCompare(b.name))
            .map(({ name, version, options, createdAt }) => (
              <tr key={name}>
                <td>
                  <Link to={`/manage/types/${encodeURIComponent(name)}`}>{name}</Link>
                </td>
                <td className="number">{version}</td>
                <td>
                  {options.fileTypes?.length ? (
                    options.fileTypes.join(', ')
                  ) : (
                    <span className="faint">{words.any}</span>
                  )}
                </td>
                <td className="soft">{moment(createdAt)}</td>
                <td>
                  <div className="row">
                    <Link className="button compact" to={`/manage/types/${encodeURIComponent(name)}/dictionary`}>
                      {words.dictionary}
                    </Link>
                    <Link className="button compact" to={`/manage/types/${encodeURIComponent(name)}/edit`}>
                      {words.edit}
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
