// Fetches what a view shows: one request for each change; requests of views that were left are cancelled.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import type { Catalogue, Field } from '../api/catalogue';
import { graphql } from '../api/client';
import { readNetwork, readView, type ViewAnswer } from './answer';
import type { ExploreState } from './urlState';
import { type BinsByField, isOfNetwork, networkRequest, viewRequest } from './viewQuery';

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
  const isNetwork = isOfNetwork(catalogue, state);
  const requestOf = (bins: BinsByField) =>
    isNetwork ? networkRequest(catalogue, state, bins) : viewRequest(catalogue, state, columns, bins);
  const request = bins ? requestOf(bins) : null;
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['view', catalogue.graphqlPath, request],
    queryFn: async ({ signal }) => {
      if (!request) throw new Error('The view has no request yet.');
      const { query, variables } = request;
      const answer = await graphql<Record<string, unknown>>(catalogue.graphqlPath, query, variables, signal);
      const known: BinsByField = bins ?? new Map();
      return isNetwork ? readNetwork(catalogue, known, answer) : readView(catalogue, state, known, answer);
    },
    enabled: request !== null,
    structuralSharing: false,
  });
  const [latest, setLatest] = useState<ViewAnswer | null>(null);
  if (data && data !== latest) setLatest(data);
  return { answer: data ?? latest, error, loading: isFetching || !request, retry: () => void refetch() };
}
