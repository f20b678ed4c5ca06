// A filled sheet: each violation at its cell, which is corrected there and checked at once; all of it is submitted together.

import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { count, counted } from '../design/format';
import { Icon } from '../design/Icon';
import { ErrorNotice, Notice, Skeleton } from '../design/Notice';
import { useSettled } from '../design/useSettled';
import { announce } from '../shell/announce';
import { elsewhere, messagesByCell, saveTemplate, sendSheet, type Sheet, withCell } from './sheets';
import { SheetTable } from './SheetTable';
import { StoredNotice } from './StoredNotice';

interface SheetViewProps {
  study: string;
  type: string;
  /** The sheet that was dropped, if one was. */
  file: File | null;
  onLeave: () => void;
}

export default function SheetView({ study, type, file, onLeave }: SheetViewProps) {
  const template = useMutation({ mutationFn: (format: 'xlsx' | 'tsv') => saveTemplate(type, format) });
  if (type === '')
    return <p className="soft">Choose the type of the analyses; then there is a sheet to fill for it.</p>;
  return (
    <div className="stack">
      <div className="row wrap">
        <button type="button" className="button" onClick={() => template.mutate('xlsx')}>
          <Icon name="download" />
          Sheet to fill (XLSX)
        </button>
        <button type="button" className="button" onClick={() => template.mutate('tsv')}>
          <Icon name="download" />
          Sheet to fill (TSV)
        </button>
        {!file && <span className="soft small">Fill it, and drop it above.</span>}
      </div>
      {template.error && <ErrorNotice error={template.error} title="The sheet could not be made" />}
      {file && study && (
        <FilledSheet key={`${type} ${study}`} study={study} type={type} file={file} onLeave={onLeave} />
      )}
    </div>
  );
}

/** A sheet with a number that no other has: an answer is kept by it instead of by all of its cells. */
interface Version {
  content: File | Sheet[];
  number: number;
}

let lastNumber = 0;

function versionOf(content: File | Sheet[]): Version {
  lastNumber += 1;
  return { content, number: lastNumber };
}

function FilledSheet({ study, type, file, onLeave }: { study: string; type: string; file: File; onLeave: () => void }) {
  const [version, setVersion] = useState(() => versionOf(file));
  const [isOnlyWrong, setOnlyWrong] = useState(false);
  const settled = useSettled(version);
  const checked = useQuery({
    queryKey: ['sheet', study, type, settled.number],
    queryFn: () => sendSheet(study, type, settled.content, true),
    // What was said before stays until the corrected cells are checked.
    placeholderData: (before) => before,
    staleTime: 0,
    gcTime: 0,
  });
  const storing = useMutation({
    mutationFn: () => sendSheet(study, type, version.content, false),
    onSuccess: ({ status, analyses }) =>
      announce(status === 'SUBMITTED' ? `${analyses} submitted` : 'Not all submitted'),
  });
  const stored = storing.data?.results.flatMap(({ analysisId }) => analysisId ?? []) ?? [];
  if (storing.data?.status === 'SUBMITTED')
    return (
      <div className="stack">
        <StoredNotice study={study} ids={stored} />
        <div>
          <button type="button" className="button" onClick={onLeave}>
            Submit others
          </button>
        </div>
      </div>
    );
  if (checked.error && !checked.data)
    return <ErrorNotice error={checked.error} retry={checked.refetch} title={`${file.name} cannot be read`} />;
  if (!checked.data) return <Skeleton lines={6} />;
  const { analyses, violations, violationCount, sheets: read } = checked.data;
  const sheets = version.content instanceof File ? read : version.content;
  const messages = messagesByCell(violations);
  const general = elsewhere(violations, sheets);
  const isCurrent = settled === version && !checked.isPlaceholderData && !checked.isFetching;
  return (
    <div className="stack">
      <div className="row wrap spread">
        <p aria-live="polite">
          <strong>{file.name}</strong>: {counted(analyses, 'analysis')},{' '}
          {violationCount === 0 ? (
            <span className="badge good">nothing is wrong</span>
          ) : (
            <span className="badge danger">{counted(violationCount, 'violation')}</span>
          )}
        </p>
        <div className="row wrap">
          {violationCount > 0 && (
            <label className="row">
              <input type="checkbox" checked={isOnlyWrong} onChange={() => setOnlyWrong(!isOnlyWrong)} />
              Only rows with mistakes
            </label>
          )}
          <button type="button" className="button plain" onClick={onLeave}>
            <Icon name="close" />
            Leave this sheet
          </button>
        </div>
      </div>
      {checked.error && <ErrorNotice error={checked.error} retry={checked.refetch} title="It could not be checked" />}
      {general.length > 0 && (
        <Notice kind="error">
          <ul>
            {general.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        </Notice>
      )}
      {violations.length < violationCount && (
        <p className="soft">
          The first {count(violations.length)} violations are shown; the others follow when these are corrected.
        </p>
      )}
      {sheets.map((sheet) => (
        <SheetTable
          key={sheet.name}
          sheet={sheet}
          messages={messages}
          isOnlyWrong={isOnlyWrong && violationCount > 0}
          onChange={(row, column, text) => setVersion(versionOf(withCell(sheets, sheet.name, row, column, text)))}
        />
      ))}
      {storing.error && <ErrorNotice error={storing.error} title="The sheet was not submitted" />}
      {storing.data?.status === 'INVALID' && (
        <Notice kind="error">
          <p>Something has changed meanwhile: {storing.data.violations[0]?.message} Nothing was stored.</p>
        </Notice>
      )}
      {storing.data?.status === 'PARTIAL' && (
        <>
          {stored.length > 0 && <StoredNotice study={study} ids={stored} />}
          <Notice kind="error">
            <strong>Some were refused while they were stored.</strong>
            <ul>
              {storing.data.results
                .filter(({ status }) => status === 'ERROR')
                .map(({ row, message }) => (
                  <li key={row}>
                    Row {row}: {message}
                  </li>
                ))}
            </ul>
          </Notice>
        </>
      )}
      <div>
        <button
          type="button"
          className="button primary"
          disabled={!isCurrent || violationCount > 0 || analyses === 0 || storing.isPending || stored.length > 0}
          onClick={() => storing.mutate()}
        >
          <Icon name="upload" />
          {storing.isPending ? 'Sending…' : `Submit all ${count(analyses)} to ${study}`}
        </button>
      </div>
    </div>
  );
}
