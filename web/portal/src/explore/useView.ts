// Fetches what a view shows: one request for each change, and none that is no longer wanted.

import { useEffect, useRef, useState } from 'react';

import type { Catalogue, Field } from '../api/catalogue';
import { graphql, isAborted } from '../api/client';
import { readView, type ViewAnswer } from './answer';
import type { ExploreState } from './urlState';
import { type BinsByField, viewRequest } from './viewQuery';

export interface ViewState {
  /** The last answer; it stays on the page while the next one comes. */
  answer: ViewAnswer | null;
  failure: unknown;
  loading: boolean;
  retry: () => void;
}

export function useView(
  catalogue: Catalogue,
  state: ExploreState,
  columns: Field[],
  bins: BinsByField | undefined,
): ViewState {
  const [answer, setAnswer] = useState<ViewAnswer | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [loading, setLoading] = useState(true);
  const [round, setRound] = useState(0);
  const request = bins ? viewRequest(catalogue, state, columns, bins) : null;
  const key = request ? JSON.stringify([catalogue.graphqlPath, request]) : '';
  const latest = useRef(state);
  latest.current = state;

  useEffect(() => {
    if (!request || !bins) return;
    const controller = new AbortController();
    const asked = latest.current;
    setLoading(true);
    graphql<Record<string, unknown>>(catalogue.graphqlPath, request.query, request.variables, controller.signal).then(
      (data) => {
        setAnswer(readView(catalogue, asked, bins, data));
        setFailure(null);
        setLoading(false);
      },
      (reason: unknown) => {
        if (isAborted(reason)) return;
        setFailure(reason);
        setLoading(false);
      },
    );
    return () => controller.abort();
    // The key stands for the request, which each rendering makes anew.
  }, [key, round]);

  return { answer, failure, loading, retry: () => setRound((before) => before + 1) };
}
