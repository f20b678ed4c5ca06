// The data dictionary of an analysis type: every field that payloads can have. Made to be printed.

import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';

import { DataTable } from '../design/DataTable';
import { counted } from '../design/format';
import { Icon } from '../design/Icon';
import { ErrorNotice, Skeleton } from '../design/Notice';
import '../dictionary/dictionary.css';
import { saveFile } from '../download/stream';
import { useTitle } from '../shell/branding';
import { Link, useRouter } from '../shell/router';
import { renderedType } from './api';
import { typeDictionaryCsv, typeFields } from './typeDictionary';

export default function TypeDictionaryPage({ name }: { name: string }) {
  const asked = Number(new URLSearchParams(useRouter().search).get('version')) || undefined;
  const { data, error, refetch } = useQuery({
    queryKey: ['types', name, 'rendered', asked],
    queryFn: ({ signal }) => renderedType(name, signal, asked),
  });
  const [search, setSearch] = useState('');
  const id = useId();
  useTitle(`${name}: data dictionary`);
  if (error) return <ErrorNotice error={error} retry={refetch} title="This type cannot be shown" />;
  if (!data) return <Skeleton lines={12} />;
  const all = typeFields(data.schema ?? {});
  const text = search.trim().toLowerCase();
  const fields = all.filter(({ path, title, meaning }) => `${path} ${title} ${meaning}`.toLowerCase().includes(text));
  return (
    <>
      <div className="stack tight">
        <nav aria-label="Place" className="small">
          <Link to="/manage/types">Analysis types</Link> <span className="faint">/</span>{' '}
          <Link to={`/manage/types/${encodeURIComponent(name)}`}>{name}</Link> <span className="faint">/</span> Data
          dictionary
        </nav>
        <h1>{name}: data dictionary</h1>
        <p className="soft">
          Version {data.version}, {counted(all.length, 'field')}
        </p>
      </div>
      <div className="row wrap no-print">
        <div className="quick-search">
          <Icon name="search" />
          <label className="visually-hidden" htmlFor={id}>
            Find a field
          </label>
          <input
            id={id}
            type="search"
            placeholder="Find a field"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        </div>
        <button type="button" className="button" onClick={() => window.print()}>
          Print
        </button>
        <button
          type="button"
          className="button"
          onClick={() =>
            saveFile(
              new Blob([typeDictionaryCsv(all)], { type: 'text/csv' }),
              `${name}-v${data.version}-dictionary.csv`,
            )
          }
        >
          <Icon name="download" />
          CSV
        </button>
      </div>
      <DataTable label="Fields" headings={['Field', 'Meaning', 'Type', 'Required', 'Allowed', 'Example']}>
        {fields.map(({ path, title, meaning, type, isRequired, allowed, example }) => (
          <tr key={path}>
            <td>
              <strong>{title}</strong>
              <div className="mono small soft dictionary-name">{path}</div>
            </td>
            <td>{meaning}</td>
            <td>{type}</td>
            <td>{isRequired ? 'yes' : 'no'}</td>
            <td className="dictionary-values">{allowed}</td>
            <td className="mono small dictionary-values">{example}</td>
          </tr>
        ))}
      </DataTable>
    </>
  );
}
