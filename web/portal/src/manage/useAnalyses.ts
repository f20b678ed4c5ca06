// The analyses of a study: a page of them, or those that a text is found in.

import { keepPreviousData, useQuery } from '@tanstack/react-query';

import type { Analysis, AnalysisState } from '../api/types';
import { analyses } from './api';

export const PAGE_SIZE = 20;

/** How many analyses are looked through, in how large pieces, and how many matches are enough. */
const MAX_SEARCHED = 2000;
const PIECE_SIZE = 200;
const MAX_FOUND = 50;

export interface AnalysisList {
  analyses: Analysis[];
  /** How many there are; of a search, how many were looked through. */
  total: number;
  /** Whether a search ended before it had looked through all. */
  isCut: boolean;
}

/** Says whether a text is in an analysis: its id, type, title, or the name or id of a file. */
export function isFound(analysis: Analysis, text: string): boolean {
  const { analysisId, analysisType, files, title, name } = analysis as Analysis & { title?: unknown; name?: unknown };
  const parts = [
    analysisId,
    analysisType.name,
    title,
    name,
    ...files.flatMap((file) => [file.fileName, file.objectId]),
  ];
  return parts.some((part) => typeof part === 'string' && part.toLowerCase().includes(text));
}

async function search(
  studyId: string,
  states: AnalysisState[],
  text: string,
  signal: AbortSignal,
): Promise<AnalysisList> {
  const found: Analysis[] = [];
  for (let offset = 0; ; offset += PIECE_SIZE) {
    const { analyses: some, totalAnalyses } = await analyses(studyId, states, PIECE_SIZE, offset, signal);
    found.push(...some.filter((analysis) => isFound(analysis, text)));
    const searched = Math.min(totalAnalyses, offset + PIECE_SIZE);
    const isOver = some.length === 0 || searched === totalAnalyses;
    if (isOver || searched >= MAX_SEARCHED || found.length >= MAX_FOUND)
      return { analyses: found, total: searched, isCut: !isOver };
  }
}

export function useAnalyses(studyId: string, states: AnalysisState[], page: number, text: string) {
  return useQuery({
    queryKey: ['analyses', studyId, states, page, text],
    queryFn: async ({ signal }): Promise<AnalysisList> => {
      if (text) return search(studyId, states, text, signal);
      const { analyses: some, totalAnalyses } = await analyses(studyId, states, PAGE_SIZE, page * PAGE_SIZE, signal);
      return { analyses: some, total: totalAnalyses, isCut: false };
    },
    placeholderData: keepPreviousData,
  });
}
