// The directory of the server's catalogues.

import { ApiError, json } from './client';
import type { CatalogueEntry, Directory } from './types';

/** Returns the catalogues of this server; a server without any has an empty directory. */
export async function fetchDirectory(signal?: AbortSignal): Promise<Directory> {
  try {
    return await json<Directory>('/introspection', { signal });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return { catalogs: {} };
    throw error;
  }
}

/** Returns the download path of a catalogue, which is beside its GraphQL path. */
export function downloadPath(entry: CatalogueEntry): string {
  return entry.paths.graphql.replace(/graphql$/, 'download');
}
