// Something that is fetched: while it comes, when it is there, when it fails.

import { useCallback, useEffect, useState } from 'react';

import { isAborted } from '../api/client';

export interface Loaded<T> {
  data: T | undefined;
  failure: unknown;
  loading: boolean;
  reload: () => void;
}

/** Fetches again whenever `key` changes, and gives up what is under way for the key before. */
export function useLoaded<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ key: string; data?: T; failure?: unknown; loading: boolean }>({
    key,
    loading: true,
  });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    setState((before) => ({
      ...before,
      key,
      loading: true,
      failure: undefined,
      ...(before.key === key ? {} : { data: undefined }),
    }));
    load(controller.signal).then(
      (data) => setState({ key, data, loading: false }),
      (failure: unknown) => {
        if (!isAborted(failure)) setState({ key, failure, loading: false });
      },
    );
    return () => controller.abort();
    // `load` is made anew by each rendering; what it does is told by the key.
  }, [key, round]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  const isCurrent = state.key === key;
  return {
    data: isCurrent ? state.data : undefined,
    failure: isCurrent ? state.failure : undefined,
    loading: state.loading || !isCurrent,
    reload,
  };
}
