// Fetches what a view shows: one request for each change, and none that is no longer wanted.

import { useEffect, useState } from 'react';

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

/** What the last request came to, and which one that was. */
interface Settled {
  key: string;
  answer: ViewAnswer | null;
  failure: unknown;
}

export function useView(
  catalogue: Catalogue,
  state: ExploreState,
  columns: Field[],
  bins: BinsByField | undefined,
): ViewState {
  const [settled, setSettled] = useState<Settled>({ key: '', answer: null, failure: null });
  const [round, setRound] = useState(0);
  const request = bins ? viewRequest(catalogue, state, columns, bins) : null;
  const key = request ? JSON.stringify([round, catalogue.graphqlPath, request]) : '';

  useEffect(() => {
    if (!request || !bins) return;
    const controller = new AbortController();
    graphql<Record<string, unknown>>(catalogue.graphqlPath, request.query, request.variables, controller.signal).then(
      (data) => setSettled({ key, answer: readView(catalogue, state, bins, data), failure: null }),
      (failure: unknown) => {
        if (!isAborted(failure)) setSettled(({ answer }) => ({ key, answer, failure }));
      },
    );
    return () => controller.abort();
    // The key stands for the request, which each rendering makes anew.
  }, [key]);

  const { answer, failure } = settled;
  // Compared while rendering, so that no rendering takes the answer to another question for this one's.
  return { answer, failure, loading: key === '' || settled.key !== key, retry: () => setRound((before) => before + 1) };
}
