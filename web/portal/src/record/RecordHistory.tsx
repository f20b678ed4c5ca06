// The history of the analysis that a record was built from.

import { useQuery } from '@tanstack/react-query';

import { ApiError } from '../api/client';
import type { Analysis } from '../api/types';
import { moment } from '../design/format';
import { ErrorNotice, Notice, Skeleton } from '../design/Notice';
import { analysis } from '../manage/api';
import { Link } from '../shell/router';
import { texts } from '../texts';
import type { Document } from './FieldTree';

export interface AnalysisRef {
  studyId: string;
  analysisId: string;
}

/** Finds the analysis that a document was built from, by the usual names of study and analysis ids. */
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
  const { data, error, refetch } = useQuery({
    queryKey: ['analysis', studyId, analysisId],
    queryFn: ({ signal }) => analysis(studyId, analysisId, signal),
  });
  if (error instanceof ApiError && error.status === 404) {
    return (
      <Notice kind="plain">
        <p>
          {texts.record.analysisNotKept.before} <span className="mono">{analysisId}</span>{' '}
          {texts.record.analysisNotKept.after(studyId)}
        </p>
      </Notice>
    );
  }
  if (error) return <ErrorNotice error={error} retry={refetch} />;
  if (!data) return <Skeleton lines={4} />;
  return (
    <div className="stack">
      <p className="soft">
        {texts.record.analysis}{' '}
        <Link to={`/manage/studies/${encodeURIComponent(studyId)}/${encodeURIComponent(analysisId)}`}>
          {analysisId}
        </Link>{' '}
        {texts.record.ofType(data.analysisType.name, data.analysisType.version)}
      </p>
      <Timeline analysis={data} />
    </div>
  );
}

export function Timeline({ analysis }: { analysis: Analysis }) {
  const steps = [
    { at: analysis.createdAt, text: texts.record.submitted },
    ...analysis.analysisStateHistory.map(({ initialState, updatedState, updatedAt }) => ({
      at: updatedAt,
      text: initialState === updatedState ? texts.record.again(stateWord(updatedState)) : stateWord(updatedState),
    })),
  ];
  const lastChange = steps.at(-1)?.at ?? '';
  if (analysis.updatedAt > lastChange) steps.push({ at: analysis.updatedAt, text: texts.record.changed });
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
  return texts.record.states[state] ?? state.charAt(0) + state.slice(1).toLowerCase();
}
