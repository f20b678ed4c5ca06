// What happened to the analysis behind a record, as the metadata service keeps it.

import { ApiError, json } from '../api/client';
import { moment } from '../design/format';
import { Failure, Notice, Skeleton } from '../design/Notice';
import { Link } from '../shell/router';
import { useLoaded } from '../shell/useLoaded';
import type { Document } from './FieldTree';

export interface AnalysisRef {
  studyId: string;
  analysisId: string;
}

export interface AnalysisHead {
  analysisId: string;
  studyId: string;
  analysisState: string;
  createdAt: string;
  updatedAt: string;
  analysisType: { name: string; version: number };
  analysisStateHistory: { initialState: string; updatedState: string; updatedAt: string }[];
}

/** Finds the analysis that a document speaks of, by the names that ids of studies and analyses go by. */
export function analysisOf(document: Document): AnalysisRef | null {
  const studyId = find(document, /^study_?id$/i);
  const analysisId = find(document, /^analysis_?id$/i);
  return studyId && analysisId ? { studyId, analysisId } : null;
}

function find(value: unknown, name: RegExp): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  for (const [key, inner] of Object.entries(value)) {
    if (name.test(key) && typeof inner === 'string') return inner;
  }
  for (const inner of Object.values(value)) {
    const found = find(inner, name);
    if (found) return found;
  }
  return null;
}

export function RecordHistory({ analysis: { studyId, analysisId } }: { analysis: AnalysisRef }) {
  const path = `/studies/${encodeURIComponent(studyId)}/analysis/${encodeURIComponent(analysisId)}`;
  const { data, failure, reload } = useLoaded(path, (signal) => json<AnalysisHead>(path, { signal }));
  if (failure instanceof ApiError && failure.status === 404) {
    return (
      <Notice kind="plain">
        <p>
          The analysis <span className="mono">{analysisId}</span> of study {studyId} is not kept on this server; only
          the record in the catalogue is.
        </p>
      </Notice>
    );
  }
  if (failure) return <Failure failure={failure} retry={reload} />;
  if (!data) return <Skeleton lines={4} />;
  return (
    <div className="stack">
      <p className="soft">
        Analysis{' '}
        <Link to={`/manage/studies/${encodeURIComponent(studyId)}/${encodeURIComponent(analysisId)}`}>
          {analysisId}
        </Link>{' '}
        of type {data.analysisType.name}, version {data.analysisType.version}
      </p>
      <Timeline analysis={data} />
    </div>
  );
}

export function Timeline({ analysis }: { analysis: AnalysisHead }) {
  const steps = [
    { at: analysis.createdAt, text: 'Submitted' },
    ...analysis.analysisStateHistory.map(({ initialState, updatedState, updatedAt }) => ({
      at: updatedAt,
      text: `${stateWord(updatedState)}${initialState === updatedState ? ' again' : ''}`,
    })),
  ];
  const lastChange = steps.at(-1)?.at ?? '';
  if (analysis.updatedAt > lastChange) steps.push({ at: analysis.updatedAt, text: 'Changed' });
  return (
    <ol className="timeline">
      {steps.map(({ at, text }) => (
        <li key={`${at} ${text}`}>
          <strong>{text}</strong>
          <span className="soft small number">{moment(at)}</span>
        </li>
      ))}
    </ol>
  );
}

export function stateWord(state: string): string {
  return state.charAt(0) + state.slice(1).toLowerCase();
}
