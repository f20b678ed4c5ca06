// The data dictionary of a catalogue: every field with its meaning, its type, how filled it is and its values. Made to be
// printed.

import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';

import type { Catalogue } from '../api/catalogue';
import { DataTable } from '../design/DataTable';
import { count } from '../design/format';
import { Icon } from '../design/Icon';
import { ErrorNotice, Loading, Skeleton } from '../design/Notice';
import { saveFile } from '../download/stream';
import { NotFound } from '../shell/App';
import { useTitle } from '../shell/branding';
import { useCatalogue } from '../shell/directory';
import { Link } from '../shell/router';
import { texts } from '../texts';
import { dictionaryCsv, dictionaryFields, fetchDictionary, hasMeanings, percent } from './dictionary';
import './dictionary.css';

export default function DictionaryPage({ rest: [id, ...others] }: { rest: string[] }) {
  const { data, error, retry } = useCatalogue(id ?? '');
  useTitle(data ? texts.dictionary.dictionaryOf(data.label) : '');
  if (!id || others.length) return <NotFound />;
  if (error)
    return (
      <div className="page">
        <ErrorNotice error={error} retry={retry} title={texts.dictionary.cannotBeShown} />
      </div>
    );
  if (!data) return <Loading what={texts.dictionary.theCatalogue} />;
  return <Dictionary catalogue={data} />;
}

function Dictionary({ catalogue }: { catalogue: Catalogue }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['dictionary', catalogue.id],
    queryFn: ({ signal }) => fetchDictionary(catalogue, signal),
  });
  const [search, setSearch] = useState('');
  const id = useId();
  const fields = dictionaryFields(catalogue).length;
  const withMeanings = hasMeanings(catalogue);
  const text = search.trim().toLowerCase();
  const entries = (data ?? []).filter(({ field }) =>
    `${field.label} ${field.name} ${field.description}`.toLowerCase().includes(text),
  );
  return (
    <div className="page stack loose">
      <div className="stack tight">
        <nav aria-label={texts.dictionary.place} className="small">
          <Link to={`/explore/${encodeURIComponent(catalogue.id)}`}>{catalogue.label}</Link>{' '}
          <span className="faint">/</span> {texts.dictionary.dictionary}
        </nav>
        <h1>{texts.dictionary.dictionaryOf(catalogue.label)}</h1>
        {catalogue.description && <p className="soft">{catalogue.description}</p>}
        <p className="soft">{texts.dictionary.countedFields(fields, count(fields))}</p>
      </div>
      <div className="row wrap no-print">
        <div className="quick-search">
          <Icon name="search" />
          <label className="visually-hidden" htmlFor={id}>
            {texts.dictionary.findField}
          </label>
          <input
            id={id}
            type="search"
            placeholder={texts.dictionary.findField}
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        </div>
        <button type="button" className="button" disabled={!data} onClick={() => window.print()}>
          {texts.dictionary.print}
        </button>
        <button
          type="button"
          className="button"
          disabled={!data}
          onClick={() =>
            saveFile(
              new Blob([dictionaryCsv(data ?? [], withMeanings)], { type: 'text/csv' }),
              `${catalogue.id}-dictionary.csv`,
            )
          }
        >
          <Icon name="download" />
          CSV
        </button>
      </div>
      {error && <ErrorNotice error={error} retry={refetch} title={texts.dictionary.notCounted} />}
      {!data && !error && <Skeleton lines={12} />}
      {data && (
        <DataTable
          label={texts.dictionary.fields}
          headings={[
            texts.dictionary.field,
            ...(withMeanings ? [texts.dictionary.meaning] : []),
            texts.dictionary.type,
            { number: texts.dictionary.filled },
            { number: texts.dictionary.distinct },
            texts.dictionary.values,
            texts.dictionary.example,
          ]}
        >
          {entries.map(({ field, type, filled, distinct, values, example }) => (
            <tr key={field.name}>
              <td>
                <strong>{field.label}</strong>
                <div className="mono small soft dictionary-name">{field.name}</div>
              </td>
              {withMeanings && <td>{field.description}</td>}
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
