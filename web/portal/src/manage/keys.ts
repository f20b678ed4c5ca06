// API keys and their scopes.

import { json, send } from '../api/client';
import type { ApiKey, ApiKeys, MadeApiKey, NewApiKey } from '../api/types';
import type { Scopes } from '../shell/branding';
import { texts } from '../texts';

/** The keys of the server, or those of the person who has signed in. */
export type KeysPath = '/admin/keys' | '/auth/keys';

export async function listKeys(path: KeysPath, signal: AbortSignal): Promise<ApiKey[]> {
  const { keys } = await json<ApiKeys>(path, { signal });
  return keys.reverse();
}

/** Creates a key. Only this answer contains its text. */
export const createKey = (path: KeysPath, body: NewApiKey) => json<MadeApiKey>(path, { method: 'POST', body });

export const revokeKey = (path: KeysPath, id: string) =>
  send(`${path}/${encodeURIComponent(id)}`, { method: 'DELETE' });

/** Whether a scope allows reading only, or writing too. */
export type Right = 'read' | 'write';

export function scopeOfStudy({ study }: Scopes, id: string, right: Right): string {
  const [before = '', after = ''] = study.split('{study}');
  return `${before}${id}${right === 'write' ? after : '.READ'}`;
}

export function scopeOfSystem({ system }: Scopes, right: Right): string {
  return right === 'write' ? system : system.replace(/\.[^.]*$/, '.READ');
}

/** Describes what a scope allows. */
export function meaning(scope: string, scopes: Scopes): string {
  const { everything, readEverything, changeStudy, readStudy, neverStudy } = texts.manage.keys;
  if (scope === scopeOfSystem(scopes, 'write')) return everything;
  if (scope === scopeOfSystem(scopes, 'read')) return readEverything;
  const [before = '', after = ''] = scopes.study.split('{study}');
  const words: [string, (study: string) => string][] = [
    [after, changeStudy],
    ['.READ', readStudy],
    ['.DENY', neverStudy],
  ];
  for (const [end, say] of words) {
    if (scope.startsWith(before) && scope.endsWith(end) && scope.length > before.length + end.length)
      return say(scope.slice(before.length, -end.length));
  }
  return scope;
}
