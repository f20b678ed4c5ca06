// The session of a person who has signed in at the identity provider of the server.

import { useQuery } from '@tanstack/react-query';

import { serverPath } from './base';
import { json } from './client';
import type { SessionState, SignedOut } from './types';

/** Returns who has signed in, and whether people can; nothing until the server has answered. */
export function useSession(): SessionState | undefined {
  const { data } = useQuery({
    queryKey: ['session'],
    queryFn: ({ signal }) => json<SessionState>('/auth/session', { signal }),
    staleTime: Infinity,
  });
  return data;
}

/** Goes to the identity provider, which sends the browser back to this page. */
export function signIn(): void {
  const here = window.location.pathname + window.location.search;
  window.location.assign(serverPath(`/auth/sign-in?returnTo=${encodeURIComponent(here)}`));
}

/** Ends the session here, and then at the identity provider. */
export async function signOut(): Promise<void> {
  const { url } = await json<SignedOut>('/auth/sign-out', { method: 'POST' });
  window.location.assign(url ?? serverPath('/'));
}
