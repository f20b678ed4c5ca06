// One record: all of its fields, the history of its analysis, and the document itself.

import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';

import { type Catalogue, words } from '../api/catalogue';
import { ApiError, graphql } from '../api/client';
import { CopyButton } from '../design/CopyButton';
import { Icon } from '../design/Icon';
import { ErrorNotice, Loading } from '../design/Notice';
import { Tabs } from '../design/Tabs';
import { saveFile } from '../download/stream';
import { NotFound } from '../shell/App';
import { useTitle } from '../shell/branding';
import { useCatalogue } from '../shell/directory';
import { Link } from '../shell/router';
import { texts } from '../texts';
import { type Document, FieldTree } from './FieldTree';
import { analysisOf, RecordHistory } from './RecordHistory';
import { RelatedRecords } from './RelatedRecords';
import './record.css';

export default function RecordPage({ rest: [catalogueId, key, ...others] }: { rest: string[] }) {
  const { data, error, retry } = useCatalogue(catalogueId ?? '');
  if (!catalogueId || !key || others.length) return <NotFound />;
  if (error)
    return (
      <div className="page">
        <ErrorNotice error={error} retry={retry} />
      </div>
    );
  if (!data) return <Loading what={texts.record.theRecord} />;
  return <RecordView key={key} catalogue={data} recordKey={key} />;
}

/** Fetches a whole document, as the top hit of the only bucket of its key: this way has no depth limit. */
async function fetchDocument(catalogue: Catalogue, key: string, signal: AbortSignal): Promise<Document> {
  if (!catalogue.keyField) throw new ApiError(texts.record.noKey, 404);
  const field = catalogue.exactField(catalogue.keyField);
  const name = field.graphqlName;
  const type = catalogue.documentType;
  const query = `query Record($filters: JSON) {
    ${type} { aggregations(filters: $filters, aggregations_filter_themselves: true, include_missing: false) { ${name} { buckets(max: 1) { top_hits } } } }
  }`;
  const filters = { op: 'in', content: { fieldName: field.name, value: [key] } };
  const answer = await graphql<
    Record<string, { aggregations: Record<string, { buckets: { top_hits: Document | null }[] }> }>
  >(catalogue.graphqlPath, query, { filters }, signal);
  const document = answer[type]?.aggregations[name]?.buckets[0]?.top_hits;
  if (!document) throw new ApiError(texts.record.noSuchRecord(type, key), 404);
  return document;
}

/** Returns the display name of a record, if that is not its key. */
function nameOf(catalogue: Catalogue, document: Document): string | null {
  const first = catalogue.columns.find(({ show }) => show)?.field;
  const value = first && first !== catalogue.keyField ? document[first.name] : null;
  return typeof value === 'string' ? value : null;
}

const JSON_TAB = 'JSON';

function RecordView({ catalogue, recordKey }: { catalogue: Catalogue; recordKey: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['record', catalogue.id, recordKey],
    queryFn: ({ signal }) => fetchDocument(catalogue, recordKey, signal),
  });
  const { fields, history } = texts.record;
  const [tab, setTab] = useState(fields);
  const id = useId();
  useTitle(recordKey);
  if (error)
    return (
      <div className="page">
        <ErrorNotice error={error} retry={refetch} title={texts.record.cannotBeShown} />
      </div>
    );
  if (!data) return <Loading what={texts.record.theRecord} />;
  const analysis = analysisOf(data);
  const text = JSON.stringify(data, null, 2);
  const name = nameOf(catalogue, data);
  return (
    <div className="page stack loose">
      <div className="stack tight">
        <nav aria-label={texts.record.place} className="small">
          <Link to={`/explore/${encodeURIComponent(catalogue.id)}`}>{catalogue.label}</Link>{' '}
          <span className="faint">/</span> {words(catalogue.documentType)}
        </nav>
        <div className="row wrap spread">
          <div>
            <h1 className="record-title">{name ?? recordKey}</h1>
            {name && (
              <p className="mono soft field-value">
                <span>{recordKey}</span>
                <CopyButton text={() => recordKey} label={texts.record.copy(recordKey)} isIconOnly />
              </p>
            )}
          </div>
          <div className="row wrap">
            <CopyButton text={() => window.location.href} label={texts.record.copyLink} icon="link" />
            <button
              type="button"
              className="button"
              onClick={() => saveFile(new Blob([text], { type: 'application/json' }), `${recordKey}.json`)}
            >
              <Icon name="download" />
              {texts.record.download}
            </button>
          </div>
        </div>
        <RelatedRecords catalogue={catalogue} document={data} />
      </div>
      <Tabs
        id={id}
        label={texts.record.parts}
        tabs={analysis ? [fields, history, JSON_TAB] : [fields, JSON_TAB]}
        chosen={tab}
        onChoose={setTab}
      />
      <div id={`${id}-panel`} role="tabpanel" aria-label={tab} tabIndex={-1}>
        {tab === fields && <FieldTree catalogue={catalogue} document={data} />}
        {tab === history && analysis && <RecordHistory analysis={analysis} />}
        {tab === JSON_TAB && (
          <div className="stack">
            <div>
              <CopyButton text={() => text} label={texts.record.copyJson} />
            </div>
            <pre className="code-block record-json" tabIndex={0}>
              {text}
            </pre>
          </div>
        )}
      </div>
    </div>
  );
}
