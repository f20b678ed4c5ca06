// Fetches what a view shows: one request for each change; requests of views that were left are cancelled.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import type { Catalogue, Field } from '../api/catalogue';
import { graphql } from '../api/client';
import { readView, type ViewAnswer } from './answer';
import type { ExploreState } from './urlState';
import { type BinsByField, viewRequest } from './viewQuery';

export interface ViewState {
  /** The last answer; it stays on the page until the next one arrives. */
  answer: ViewAnswer | null;
  error: Error | null;
  loading: boolean;
  retry: () => void;
}

export function useView(
  catalogue: Catalogue,
  state: ExploreState,
  columns: Field[],
  bins: BinsByField | undefined,
): ViewState {
  const request = bins ? viewRequest(catalogue, state, columns, bins) : null;
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['view', catalogue.graphqlPath, request],
    queryFn: async ({ signal }) => {
      if (!request || !bins) throw new Error('The view has no request yet.');
      const { query, variables } = request;
      return readView(catalogue, state, bins, await graphql(catalogue.graphqlPath, query, variables, signal));
    },
    enabled: request !== null,
    structuralSharing: false,
  });
  const [latest, setLatest] = useState<ViewAnswer | null>(null);
  if (data && data !== latest) setLatest(data);
  return { answer: data ?? latest, error, loading: isFetching || !request, retry: () => void refetch() };
}
