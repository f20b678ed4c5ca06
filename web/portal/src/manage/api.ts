// The metadata service, as far as the portal uses it.

import { json } from '../api/client';

export interface Study {
  studyId: string;
  name: string | null;
  organization: string | null;
  description: string | null;
  info?: Record<string, unknown>;
}

export interface StudyFile {
  objectId: string;
  fileName: string;
  fileSize: number;
  fileType: string;
  fileAccess: string;
  dataType?: string;
  fileMd5sum: string;
  info?: Record<string, unknown>;
}

export type AnalysisState = 'PUBLISHED' | 'UNPUBLISHED' | 'SUPPRESSED';

export const STATES: AnalysisState[] = ['UNPUBLISHED', 'PUBLISHED', 'SUPPRESSED'];

export interface Analysis {
  analysisId: string;
  studyId: string;
  analysisState: AnalysisState;
  analysisType: { name: string; version: number };
  createdAt: string;
  updatedAt: string;
  analysisStateHistory: { initialState: string; updatedState: string; updatedAt: string }[];
  files: StudyFile[];
  [member: string]: unknown;
}

export interface TypeVersion {
  name: string;
  version: number;
  createdAt: string;
  options: { fileTypes?: string[]; externalValidations?: { url: string; jsonPath: string }[] };
  schema?: Record<string, unknown>;
}

const at = encodeURIComponent;

export const studyIds = (signal?: AbortSignal) => json<string[]>('/studies/all', { signal });
export const study = (id: string, signal?: AbortSignal) => json<Study>(`/studies/${at(id)}`, { signal });
export const createStudy = (body: Partial<Study> & { studyId: string }) =>
  json<unknown>(`/studies/${at(body.studyId)}`, { method: 'POST', body });

export interface AnalysisPageAnswer {
  analyses: Analysis[];
  totalAnalyses: number;
}

export function analyses(
  studyId: string,
  states: AnalysisState[],
  limit: number,
  offset: number,
  signal?: AbortSignal,
) {
  const query = `analysisStates=${states.join(',')}&limit=${limit}&offset=${offset}`;
  return json<AnalysisPageAnswer>(`/studies/${at(studyId)}/analysis/paginated?${query}`, { signal });
}

export const analysis = (studyId: string, id: string, signal?: AbortSignal) =>
  json<Analysis>(`/studies/${at(studyId)}/analysis/${at(id)}`, { signal });

export type Action = 'publish' | 'unpublish' | 'suppress';

export async function changeState(studyId: string, id: string, action: Action): Promise<void> {
  await json<unknown>(`/studies/${at(studyId)}/analysis/${action}/${at(id)}`, { method: 'PUT' });
}

export type FileChange = Partial<Omit<StudyFile, 'objectId' | 'fileName' | 'fileType'>>;

export const changeFile = (studyId: string, objectId: string, body: FileChange) =>
  json<unknown>(`/studies/${at(studyId)}/files/${at(objectId)}`, { method: 'PUT', body });

/** Returns every version of every type, without schemas. */
export async function typeVersions(signal?: AbortSignal): Promise<TypeVersion[]> {
  const answer = await json<{ resultSet: TypeVersion[] }>('/schemas?hideSchema=true&limit=1000', { signal });
  return answer.resultSet;
}

/** Returns the versions of a type with the part of their schemas that people wrote, latest first. */
export async function versionsOf(name: string, signal?: AbortSignal): Promise<TypeVersion[]> {
  const answer = await json<TypeVersion & { resultSet?: TypeVersion[] }>(`/schemas/${at(name)}?unrenderedOnly=true`, {
    signal,
  });
  return [...(answer.resultSet ?? [answer])].sort((a, b) => b.version - a.version);
}

/** Returns the schema that submissions of a type are checked against. */
export const renderedType = (name: string, signal?: AbortSignal) =>
  json<TypeVersion>(`/schemas/${at(name)}`, { signal });

export const registerType = (body: { name: string; schema: unknown; options: unknown }) =>
  json<TypeVersion>('/schemas', { method: 'POST', body });

/** Sends a payload, to be stored or only to be checked. The text is sent as it is: numbers keep their digits. */
export function submit(studyId: string, text: string, isCheck: boolean): Promise<{ analysisId?: string }> {
  return json(`/submit/${at(studyId)}${isCheck ? '?validateOnly=true' : ''}`, { method: 'POST', body: text });
}
