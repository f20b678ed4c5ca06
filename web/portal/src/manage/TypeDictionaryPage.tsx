// The data dictionary of an analysis type: every field that payloads can have. Made to be printed.

import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';

import { DataTable } from '../design/DataTable';
import { count } from '../design/format';
import { Icon } from '../design/Icon';
import { ErrorNotice, Skeleton } from '../design/Notice';
import '../dictionary/dictionary.css';
import { saveFile } from '../download/stream';
import { useTitle } from '../shell/branding';
import { Link, useRouter } from '../shell/router';
import { texts } from '../texts';
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
  const words = texts.manage.type;
  useTitle(words.dictionaryOf(name));
  if (error) return <ErrorNotice error={error} retry={refetch} title={words.cannotBeShown} />;
  if (!data) return <Skeleton lines={12} />;
  const all = typeFields(data.schema ?? {});
  const text = search.trim().toLowerCase();
  const fields = all.filter(({ path, title, meaning }) => `${path} ${title} ${meaning}`.toLowerCase().includes(text));
  return (
    <>
      <div className="stack tight">
        <nav aria-label={texts.manage.place} className="small">
          <Link to="/manage/types">{texts.manage.areas.types}</Link> <span className="faint">/</span>{' '}
          <Link to={`/manage/types/${encodeURIComponent(name)}`}>{name}</Link> <span className="faint">/</span>{' '}
          {words.dictionary}
        </nav>
        <h1>{words.dictionaryOf(name)}</h1>
        <p className="soft">{words.versionAndFields(data.version, all.length, count(all.length))}</p>
      </div>
      <div className="row wrap no-print">
        <div className="quick-search">
          <Icon name="search" />
          <label className="visually-hidden" htmlFor={id}>
            {words.findField}
          </label>
          <input
            id={id}
            type="search"
            placeholder={words.findField}
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        </div>
        <button type="button" className="button" onClick={() => window.print()}>
          {words.print}
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
      <DataTable
        label={words.fields}
        headings={[words.field, words.meaning, words.type, words.required, words.allowed, words.example]}
      >
        {fields.map(({ path, title, meaning, type, isRequired, allowed, example }) => (
          <tr key={path}>
            <td>
              <strong>{title}</strong>
              <div className="mono small soft dictionary-name">{path}</div>
            </td>
            <td>{meaning}</td>
            <td>{type}</td>
            <td>{isRequired ? words.yes : words.no}</td>
            <td className="dictionary-values">{allowed}</td>
            <td className="mono small dictionary-values">{example}</td>
          </tr>
        ))}
      </DataTable>
    </>
  );
}
