// The catalogues of the server, known to every page, and each catalogue once it was asked for.

import { createContext, type ReactNode, useContext } from 'react';

import { type Catalogue, loadCatalogue } from '../api/catalogue';
import { ApiError } from '../api/client';
import { type Directory, fetchDirectory } from '../api/server';
import { type Loaded, useLoaded } from './useLoaded';

const DirectoryContext = createContext<Loaded<Directory> | null>(null);

/** Configurations hardly ever change while a page is open; a reload gets the new one. */
const loaded = new Map<string, Promise<Catalogue>>();

export function DirectoryProvider({ children }: { children: ReactNode }) {
  return <DirectoryContext value={useLoaded('directory', fetchDirectory)}>{children}</DirectoryContext>;
}

export function useDirectory(): Loaded<Directory> {
  const directory = useContext(DirectoryContext);
  if (!directory) throw new Error('There is no directory around this component.');
  return directory;
}

export function useCatalogue(id: string): Loaded<Catalogue> {
  const directory = useDirectory();
  const found = useLoaded<Catalogue>(`catalogue ${id} ${directory.loading}`, async () => {
    if (directory.failure) throw directory.failure;
    if (!directory.data) return new Promise<Catalogue>(() => {});
    return fetchOnce(id, directory.data);
  });
  // What a catalogue is like begins with the directory: one that had failed may be served by now.
  return { ...found, reload: directory.reload };
}

/** Fetches what a catalogue is like, once for all pages. */
export function fetchOnce(id: string, directory: Directory): Promise<Catalogue> {
  const entry = directory.catalogs[id];
  if (!entry) {
    return Promise.reject(
      new ApiError(`There is no catalogue “${id}” on this server, or it is not for you to see.`, 404),
    );
  }
  if (entry.status === 'failed') {
    return Promise.reject(
      new ApiError(
        `This catalogue cannot be searched at the moment. ${entry.error?.message ?? ''}`,
        503,
        entry.error?.code,
      ),
    );
  }
  const before = loaded.get(id);
  if (before) return before;
  const coming = loadCatalogue(id, entry);
  loaded.set(id, coming);
  coming.catch(() => loaded.delete(id));
  return coming;
}
