// The catalogues of the server, and the configuration of each. Both are fetched once for all pages.

import { queryOptions, useQuery } from '@tanstack/react-query';

import { type Catalogue, loadCatalogue } from '../api/catalogue';
import { ApiError } from '../api/client';
import { fetchDirectory } from '../api/server';
import type { Directory } from '../api/types';
import { texts } from '../texts';

/** Configurations hardly ever change while a page is open; a reload of the page fetches the new one. */
const staleTime = Infinity;

const directoryQuery = queryOptions({
  queryKey: ['directory'],
  queryFn: ({ signal }) => fetchDirectory(signal),
  staleTime,
});

export function useDirectory() {
  return useQuery(directoryQuery);
}

/** The query for a catalogue, which waits for the directory. */
export function catalogueQuery(id: string, directory: Directory | undefined) {
  const entry = directory?.catalogs[id];
  return queryOptions({
    queryKey: ['catalogue', id, entry],
    queryFn: async ({ signal }) => {
      if (!entry) throw new ApiError(texts.shell.noCatalogue(id), 404);
      if (entry.status === 'failed') {
        const { message: details, code } = entry.error ?? {};
        throw new ApiError(texts.shell.catalogueFailed, 503, code, { details });
      }
      return loadCatalogue(id, entry, signal);
    },
    enabled: directory !== undefined,
    staleTime,
  });
}

interface CatalogueState {
  data: Catalogue | undefined;
  error: Error | null;
  /** Fetches the directory as well: a catalogue that had failed may be available by now. */
  retry: () => void;
}

export function useCatalogue(id: string): CatalogueState {
  const directory = useDirectory();
  const { data, error, refetch } = useQuery(catalogueQuery(id, directory.data));
  return {
    data,
    error: directory.error ?? error,
    retry: () => void directory.refetch().then(() => refetch()),
  };
}
