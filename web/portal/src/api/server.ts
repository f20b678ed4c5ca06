// What the server says about itself: its catalogues and their state.

import { ApiError, json } from './client';

export interface CatalogueEntry {
  description?: string;
  documentType: string;
  status: 'available' | 'failed';
  error?: { code: string; message: string };
  limits?: { maxResultsWindow?: number; maxDepth?: number };
  paths: { graphql: string; introspection: string };
}

export interface Directory {
  catalogs: Record<string, CatalogueEntry>;
  mode: 'single' | 'multiple';
  status: 'healthy' | 'degraded' | 'unhealthy';
}

/** Returns the catalogues of this server; a server without any has an empty directory. */
export async function fetchDirectory(signal?: AbortSignal): Promise<Directory> {
  try {
    return await json<Directory>('/introspection', { signal });
  } catch (failure) {
    if (failure instanceof ApiError && failure.status === 404)
      return { catalogs: {}, mode: 'single', status: 'healthy' };
    throw failure;
  }
}

/** Returns the address beside that of GraphQL where results are downloaded. */
export function downloadPath(entry: CatalogueEntry): string {
  return entry.paths.graphql.replace(/graphql$/, 'download');
}
