// The key or token a person works with. It lives as long as the tab: a page that was closed leaves nothing behind.

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
