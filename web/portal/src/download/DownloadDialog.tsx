// Downloads the whole filtered result as a file.

import { useId, useRef, useState } from 'react';

import { isAborted } from '../api/client';
import { Dialog } from '../design/Dialog';
import { bytes, count } from '../design/format';
import { Icon } from '../design/Icon';
import { ErrorNotice, Notice } from '../design/Notice';
import { useExplore } from '../explore/context';
import { sortOf } from '../explore/viewQuery';
import { announce } from '../shell/announce';
import { selectable, type ShownColumn } from '../table/columns';
import { texts } from '../texts';
import { manifestOf } from './manifest';
import { fetchFile, saveFile, type Progress } from './stream';

const FORMATS = ['tsv', 'csv', 'xlsx', 'parquet', 'arrow', 'jsonl', 'manifest'] as const;
type Format = (typeof FORMATS)[number];

/** Whether a file has a line of headings before its rows; null where rows are no lines. */
function headerOf(format: Format): boolean | null {
  if (format === 'xlsx' || format === 'parquet' || format === 'arrow') return null;
  return format !== 'jsonl';
}

export default function DownloadDialog({ columns, onClose }: { columns: ShownColumn[]; onClose: () => void }) {
  const { catalogue, state, view } = useExplore();
  const [format, setFormat] = useState<Format>('tsv');
  const [which, setWhich] = useState<'shown' | 'all'>('shown');
  const [progress, setProgress] = useState<Progress | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [done, setDone] = useState<string | null>(null);
  const [cutAt, setCutAt] = useState<number | null>(null);
  const running = useRef<AbortController | null>(null);
  const id = useId();
  const manifest = manifestOf(catalogue);
  const total = view.answer?.total ?? 0;
  const { maxRows, allowMore } = catalogue.download;
  const isCut = maxRows > 0 && total > maxRows && !allowMore;
  const rows = isCut ? maxRows : total;

  const start = async () => {
    const controller = new AbortController();
    running.current = controller;
    setProgress({ bytes: 0, rows: 0 });
    setError(null);
    setDone(null);
    setCutAt(null);
    const extension = format === 'manifest' ? 'tsv' : format;
    const name = `${catalogue.id}${format === 'manifest' ? '-manifest' : ''}-${new Date().toISOString().slice(0, 10)}.${extension}`;
    const chosen = which === 'all' ? selectable(catalogue) : columns;
    const table =
      format === 'manifest' && manifest
        ? {
            columns: manifest.columns,
            ...(manifest.uniqueBy ? { uniqueBy: manifest.uniqueBy } : {}),
            valueWhenEmpty: '',
          }
        : {
            columns: chosen.map(({ field, label, displayType, displayFormat }) => ({
              fieldName: field.name,
              displayName: label,
              displayType,
              ...(displayFormat ? { displayFormat } : {}),
            })),
          };
    const file = {
      fileName: name,
      fileType: extension,
      sqon: state.filter,
      ...table,
      sort: sortOf(state, catalogue).map(({ fieldName, desc }) => ({ fieldName, order: desc ? 'desc' : 'asc' })),
      ...(allowMore && maxRows > 0 && total > maxRows ? { maxRows: total } : {}),
    };
    try {
      const { blob, cutAt: limit } = await fetchFile(
        catalogue.downloadPath,
        { files: [file] },
        headerOf(format),
        setProgress,
        controller.signal,
      );
      saveFile(blob, name);
      setDone(`${name}, ${bytes(blob.size)}`);
      setCutAt(limit);
      announce(texts.download.complete);
    } catch (reason) {
      if (!isAborted(reason)) setError(reason);
      else announce(texts.download.stopped);
    }
    running.current = null;
    setProgress(null);
  };
  const close = () => {
    running.current?.abort();
    onClose();
  };
  const footer = progress ? (
    <button type="button" className="button" onClick={() => running.current?.abort()}>
      {texts.download.stop}
    </button>
  ) : (
    <button type="button" className="button primary" disabled={total === 0} onClick={() => void start()}>
      <Icon name="download" />
      {texts.download.downloadRows(rows, count(rows))}
    </button>
  );
  return (
    <Dialog title={texts.download.download} onClose={close} footer={footer}>
      <div className="stack loose">
        <fieldset className="stack" disabled={progress !== null}>
          <legend className="label">{texts.download.format}</legend>
          {FORMATS.filter((each) => each !== 'manifest' || manifest).map((each) => (
            <label key={each} className="row choice">
              <input type="radio" name={`${id}-format`} checked={format === each} onChange={() => setFormat(each)} />
              <span>
                <strong>{texts.download.formats[each].name}</strong>{' '}
                <span className="soft">{texts.download.formats[each].use}</span>
              </span>
            </label>
          ))}
        </fieldset>
        {format !== 'manifest' && (
          <fieldset className="stack" disabled={progress !== null}>
            <legend className="label">{texts.download.columns}</legend>
            <label className="row choice">
              <input
                type="radio"
                name={`${id}-columns`}
                checked={which === 'shown'}
                onChange={() => setWhich('shown')}
              />
              <span>{texts.download.shownColumns(columns.length)}</span>
            </label>
            <label className="row choice">
              <input type="radio" name={`${id}-columns`} checked={which === 'all'} onChange={() => setWhich('all')} />
              <span>{texts.download.allFields(selectable(catalogue).length)}</span>
            </label>
          </fieldset>
        )}
        {(isCut || cutAt !== null) && (
          <Notice kind="warning">
            <p>{texts.download.cut(count(cutAt ?? maxRows))}</p>
          </Notice>
        )}
        {progress && (
          <div className="stack tight">
            {headerOf(format) === null ? (
              <progress aria-label={texts.download.download} />
            ) : (
              <progress max={total} value={Math.min(progress.rows, total)} aria-label={texts.download.download} />
            )}
            <p className="number soft small">
              {headerOf(format) !== null && `${texts.download.rows(count(progress.rows))}, `}
              {bytes(progress.bytes)}
            </p>
          </div>
        )}
        {done && (
          <Notice kind="good">
            <p>{texts.download.saved(done)}</p>
          </Notice>
        )}
        {error ? <ErrorNotice error={error} title={texts.download.failed} retry={start} /> : null}
      </div>
    </Dialog>
  );
}
