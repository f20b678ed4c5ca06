// The data dictionary of a catalogue: every field with its type, how filled it is and its values. Made to be printed.

import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';

import type { Catalogue } from '../api/catalogue';
import { DataTable } from '../design/DataTable';
import { count, counted } from '../design/format';
import { Icon } from '../design/Icon';
import { ErrorNotice, Loading, Skeleton } from '../design/Notice';
import { saveFile } from '../download/stream';
import { NotFound } from '../shell/App';
import { useTitle } from '../shell/branding';
import { useCatalogue } from '../shell/directory';
import { Link } from '../shell/router';
import { dictionaryCsv, dictionaryFields, fetchDictionary, percent } from './dictionary';
import './dictionary.css';

export default function DictionaryPage({ rest: [id, ...others] }: { rest: string[] }) {
  const { data, error, retry } = useCatalogue(id ?? '');
  useTitle(data ? `${data.label}: data dictionary` : '');
  if (!id || others.length) return <NotFound />;
  if (error)
    return (
      <div className="page">
        <ErrorNotice error={error} retry={retry} title="This catalogue cannot be shown" />
      </div>
    );
  if (!data) return <Loading what="the catalogue" />;
  return <Dictionary catalogue={data} />;
}

function Dictionary({ catalogue }: { catalogue: Catalogue }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['dictionary', catalogue.id],
    queryFn: ({ signal }) => fetchDictionary(catalogue, signal),
  });
  const [search, setSearch] = useState('');
  const id = useId();
  const text = search.trim().toLowerCase();
  const entries = (data ?? []).filter(({ field }) => `${field.label} ${field.name}`.toLowerCase().includes(text));
  return (
    <div className="page stack loose">
      <div className="stack tight">
        <nav aria-label="Place" className="small">
          <Link to={`/explore/${encodeURIComponent(catalogue.id)}`}>{catalogue.label}</Link>{' '}
          <span className="faint">/</span> Data dictionary
        </nav>
        <h1>{catalogue.label}: data dictionary</h1>
        {catalogue.description && <p className="soft">{catalogue.description}</p>}
        <p className="soft">{counted(dictionaryFields(catalogue).length, 'field')}</p>
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
        <button type="button" className="button" disabled={!data} onClick={() => window.print()}>
          Print
        </button>
        <button
          type="button"
          className="button"
          disabled={!data}
          onClick={() =>
            saveFile(new Blob([dictionaryCsv(data ?? [])], { type: 'text/csv' }), `${catalogue.id}-dictionary.csv`)
          }
        >
          <Icon name="download" />
          CSV
        </button>
      </div>
      {error && <ErrorNotice error={error} retry={refetch} title="The fields could not be counted" />}
      {!data && !error && <Skeleton lines={12} />}
      {data && (
        <DataTable
          label="Fields"
          headings={['Field', 'Type', { number: 'Filled' }, { number: 'Different values' }, 'Values', 'Example']}
        >
          {entries.map(({ field, type, filled, distinct, values, example }) => (
            <tr key={field.name}>
              <td>
                <strong>{field.label}</strong>
                <div className="mono small soft dictionary-name">{field.name}</div>
              </td>
              <td>{type}</td>
              <td className="number">{percent(filled)}</td>
              <td className="number">{distinct === null ? '' : count(distinct)}</td>
              <td className="dictionary-values">{values}</td>
              <td className="mono small dictionary-name">{example}</td>
            </tr>
          ))}
        </DataTable>
      )}
    </div>
  );
}
