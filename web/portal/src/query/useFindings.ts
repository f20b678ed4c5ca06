// Finds values of a catalogue while the user types.

import { skipToken, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';

import type { Catalogue } from '../api/catalogue';
import { fetchFacetValues, fetchRecordValues, type FindingGroup, grouped } from './findings';

/** How long typing must pause before records are searched. */
const DEBOUNCE_MS = 200;
/** From how many characters on there are findings. */
export const MIN_LENGTH = 2;

/** Returns a text once typing has paused. */
export function useDebounced(text: string): string {
  const [asked, setAsked] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return asked;
}

interface Findings {
  groups: FindingGroup[];
  isLooking: boolean;
}

export function useFindings(catalogue: Catalogue | undefined, text: string): Findings {
  const asked = useDebounced(text);
  const isAsked = catalogue !== undefined && text.length >= MIN_LENGTH;
  const values = useQuery({
    queryKey: ['facet values', catalogue?.id, catalogue?.facets.map(({ field }) => field.name)],
    queryFn: catalogue && isAsked ? ({ signal }) => fetchFacetValues(catalogue, signal) : skipToken,
    staleTime: 60_000,
  });
  const records = useQuery({
    queryKey: ['record values', catalogue?.id, asked],
    queryFn:
      catalogue && isAsked && asked.length >= MIN_LENGTH
        ? ({ signal }) => fetchRecordValues(catalogue, asked, signal)
        : skipToken,
  });
  const groups = useMemo(
    () => (isAsked ? grouped([...(values.data ?? []), ...(records.data ?? [])], text) : []),
    [isAsked, values.data, records.data, text],
  );
  return { groups, isLooking: isAsked && (values.isFetching || records.isFetching || asked !== text) };
}
