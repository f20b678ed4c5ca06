// Fetches a file as a stream, to show the progress and to be able to stop it.

import { send } from '../api/client';

export interface Progress {
  bytes: number;
  rows: number;
}

export interface FetchedFile {
  blob: Blob;
  /** How many rows the server gives in this file, if that may have cut it. */
  cutAt: number | null;
}

/**
 * Returns the whole file; `onProgress` is called for every part. A header line does not count as a row. Where rows are no
 * lines, `hasHeader` is null, and they are not counted.
 */
export async function fetchFile(
  path: string,
  params: unknown,
  hasHeader: boolean | null,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<FetchedFile> {
  const response = await send(path, { method: 'POST', body: params, signal });
  const reader = response.body?.getReader();
  const limit = Number(response.headers.get('x-row-limit')?.split('=').at(-1) ?? NaN);
  if (!reader) return { blob: await response.blob(), cutAt: null };
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const progress: Progress = { bytes: 0, rows: hasHeader ? -1 : 0 };
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    progress.bytes += value.length;
    if (hasHeader !== null) progress.rows += lines(value);
    onProgress({ ...progress, rows: Math.max(0, progress.rows) });
  }
  const blob = new Blob(parts, { type: response.headers.get('content-type') ?? 'application/octet-stream' });
  const isCut = hasHeader === null ? !Number.isNaN(limit) : progress.rows >= limit;
  return { blob, cutAt: isCut ? limit : null };
}

function lines(bytes: Uint8Array): number {
  const lineFeed = 10;
  let count = 0;
  for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) count += 1;
  return count;
}

/** Lets the browser save a file. */
export function saveFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
