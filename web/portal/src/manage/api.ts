// The requests to the metadata service that the portal sends.

import { queryOptions } from '@tanstack/react-query';

import { json } from '../api/client';
import type {
  Analysis,
  AnalysisPage,
  AnalysisState,
  AnalysisType,
  AnalysisTypePage,
  AnalysisTypeRegistration,
  AnalysisTypeVersions,
  FileUpdate,
  Study,
  StudyRequest,
} from '../api/types';

export const STATES: AnalysisState[] = ['UNPUBLISHED', 'PUBLISHED', 'SUPPRESSED'];

const at = encodeURIComponent;

export const studyIds = (signal?: AbortSignal) => json<string[]>('/studies/all', { signal });
export const studyIdsQuery = queryOptions({
  queryKey: ['studies'],
  queryFn: ({ signal }) => studyIds(signal),
});
export const study = (id: string, signal?: AbortSignal) => json<Study>(`/studies/${at(id)}`, { signal });
export const createStudy = (body: StudyRequest) =>
  json<unknown>(`/studies/${at(body.studyId)}`, { method: 'POST', body });

export function analyses(
  studyId: string,
  states: AnalysisState[],
  limit: number,
  offset: number,
  signal?: AbortSignal,
) {
  const query = `analysisStates=${states.join(',')}&limit=${limit}&offset=${offset}`;
  return json<AnalysisPage>(`/studies/${at(studyId)}/analysis/paginated?${query}`, { signal });
}

export const analysis = (studyId: string, id: string, signal?: AbortSignal) =>
  json<Analysis>(`/studies/${at(studyId)}/analysis/${at(id)}`, { signal });

export type Action = 'publish' | 'unpublish' | 'suppress';

export async function changeState(studyId: string, id: string, action: Action): Promise<void> {
  await json<unknown>(`/studies/${at(studyId)}/analysis/${action}/${at(id)}`, { method: 'PUT' });
}

export const changeFile = (studyId: string, objectId: string, body: FileUpdate) =>
  json<unknown>(`/studies/${at(studyId)}/files/${at(objectId)}`, { method: 'PUT', body });

/** Returns every version of every type, without schemas. */
export async function typeVersions(signal?: AbortSignal): Promise<AnalysisType[]> {
  const answer = await json<AnalysisTypePage>('/schemas?hideSchema=true&limit=1000', { signal });
  return answer.resultSet;
}

export const typeVersionsQuery = queryOptions({
  queryKey: ['types'],
  queryFn: ({ signal }) => typeVersions(signal),
});

/** Returns the versions of a type with their schemas as registered, latest first. */
export async function versionsOf(name: string, signal?: AbortSignal): Promise<AnalysisType[]> {
  const answer = await json<AnalysisTypeVersions>(`/schemas/${at(name)}?unrenderedOnly=true`, {
    signal,
  });
  return [...(answer.resultSet ?? [answer])].sort((a, b) => b.version - a.version);
}

/** Returns the schema that submissions of a type are checked against, in the latest version or another. */
export const renderedType = (name: string, signal?: AbortSignal, version?: number) =>
  json<AnalysisType>(`/schemas/${at(name)}${version === undefined ? '' : `?version=${version}`}`, { signal });

export const registerType = (body: AnalysisTypeRegistration) =>
  json<AnalysisType>('/schemas', { method: 'POST', body });

/** Sends a payload, to be stored or only to be checked. The text is sent as it is: numbers keep their digits. */
export function submit(studyId: string, text: string, isCheck: boolean): Promise<{ analysisId?: string }> {
  return json(`/submit/${at(studyId)}${isCheck ? '?validateOnly=true' : ''}`, { method: 'POST', body: text });
}
