// The user's key or token. It is stored for the lifetime of the tab only.

const NAME = 'cantata-credential';
const listeners = new Set<() => void>();

export function credential(): string {
  return sessionStorage.getItem(NAME) ?? '';
}

export function setCredential(value: string): void {
  if (value) sessionStorage.setItem(NAME, value);
  else sessionStorage.removeItem(NAME);
  for (const listener of listeners) listener();
}

export function onCredentialChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
