// Where the server is: at the root of its host, or below a path of another site.

/** Returns the path of the server, by the address of a script of the portal; empty at the root of the host. */
export function basePathOf(script: string): string {
  return /^(.*)\/assets\/portal\/[^/]*$/.exec(new URL(script).pathname)?.[1] ?? '';
}

/** The path below which the server is, without a slash at its end. */
export const BASE_PATH = basePathOf(import.meta.url);

/** Returns the address of a path of the server within its host. */
export function serverPath(path: string): string {
  return BASE_PATH + path;
}
