// A filled sheet: each violation at its cell, which is corrected there and checked at once; all of it is submitted together.

import { useMutation, useQuery } from '@tanstack/react-query';
import { useLayoutEffect, useRef, useState } from 'react';

import { count, counted } from '../design/format';
import { Icon } from '../design/Icon';
import { ErrorNotice, Notice, Skeleton } from '../design/Notice';
import { useSettled } from '../design/useSettled';
import { announce } from '../shell/announce';
import { texts } from '../texts';
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
  const words = texts.submit;
  if (type === '') return <p className="soft">{words.chooseSheetType}</p>;
  return (
    <div className="stack">
      <div className="row wrap">
        <button type="button" className="button" onClick={() => template.mutate('xlsx')}>
          <Icon name="download" />
          {words.sheetToFill('XLSX')}
        </button>
        <button type="button" className="button" onClick={() => template.mutate('tsv')}>
          <Icon name="download" />
          {words.sheetToFill('TSV')}
        </button>
        {!file && <span className="soft small">{words.fillIt}</span>}
      </div>
      {template.error && <ErrorNotice error={template.error} title={words.sheetNotMade} />}
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
  const words = texts.submit;
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
  const content = useRef<HTMLDivElement>(null);
  const isRead = checked.data !== undefined;
  // Only after the first check: nothing moves below the hands of somebody who corrects cells.
  useLayoutEffect(() => {
    if (!isRead) return;
    const mistake = content.current?.querySelector('.sheet-table .mistake');
    mistake?.closest('td, th')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [isRead]);
  const storing = useMutation({
    mutationFn: () => sendSheet(study, type, version.content, false),
    onSuccess: ({ status, analyses }) =>
      announce(status === 'SUBMITTED' ? words.allSubmitted(String(analyses)) : words.notAllSubmitted),
  });
  const stored = storing.data?.results.flatMap(({ analysisId }) => analysisId ?? []) ?? [];
  if (storing.data?.status === 'SUBMITTED')
    return (
      <div className="stack">
        <StoredNotice study={study} ids={stored} />
        <div>
          <button type="button" className="button" onClick={onLeave}>
            {words.submitOthers}
          </button>
        </div>
      </div>
    );
  if (checked.error && !checked.data)
    return <ErrorNotice error={checked.error} retry={checked.refetch} title={words.cannotBeRead(file.name)} />;
  if (!checked.data) return <Skeleton lines={6} />;
  const { analyses, violations, violationCount, sheets: read } = checked.data;
  const sheets = version.content instanceof File ? read : version.content;
  const messages = messagesByCell(violations);
  const general = elsewhere(violations, sheets);
  const isCurrent = settled === version && !checked.isPlaceholderData && !checked.isFetching;
  return (
    <div className="stack" ref={content}>
      <div className="row wrap spread">
        <p aria-live="polite">
          <strong>{file.name}</strong>: {counted(analyses, 'analysis')},{' '}
          {violationCount === 0 ? (
            <span className="badge good">{words.nothingIsWrong}</span>
          ) : (
            <span className="badge danger">{words.violations(violationCount, count(violationCount))}</span>
          )}
        </p>
        <div className="row wrap">
          {violationCount > 0 && (
            <label className="row">
              <input type="checkbox" checked={isOnlyWrong} onChange={() => setOnlyWrong(!isOnlyWrong)} />
              {words.onlyWrong}
            </label>
          )}
          <button type="button" className="button plain" onClick={onLeave}>
            <Icon name="close" />
            {words.leaveSheet}
          </button>
        </div>
      </div>
      {checked.error && <ErrorNotice error={checked.error} retry={checked.refetch} title={words.sheetNotChecked} />}
      {general.length > 0 && (
        <Notice kind="error">
          <ul>
            {general.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        </Notice>
      )}
      {violations.length < violationCount && <p className="soft">{words.firstShown(count(violations.length))}</p>}
      {sheets.map((sheet) => (
        <SheetTable
          key={`${sheet.name} ${isOnlyWrong}`}
          sheet={sheet}
          messages={messages}
          isOnlyWrong={isOnlyWrong && violationCount > 0}
          onChange={(row, column, text) => setVersion(versionOf(withCell(sheets, sheet.name, row, column, text)))}
        />
      ))}
      {storing.error && <ErrorNotice error={storing.error} title={words.sheetNotSubmitted} />}
      {storing.data?.status === 'INVALID' && (
        <Notice kind="error">
          <p>{words.changedMeanwhile(storing.data.violations[0]?.message ?? '')}</p>
        </Notice>
      )}
      {storing.data?.status === 'PARTIAL' && (
        <>
          {stored.length > 0 && <StoredNotice study={study} ids={stored} />}
          <Notice kind="error">
            <strong>{words.someRefused}</strong>
            <ul>
              {storing.data.results
                .filter(({ status }) => status === 'ERROR')
                .map(({ row, message }) => (
                  <li key={row}>{words.rowSays(row, message ?? '')}</li>
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
          {storing.isPending ? words.sending : words.submitAllTo(count(analyses), study)}
        </button>
      </div>
    </div>
  );
}
