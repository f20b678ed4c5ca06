// Where a person enters the key or token to work with.

import { createContext, type ReactNode, useContext, useId, useState, useSyncExternalStore } from 'react';

import { credential, onCredentialChange, setCredential } from '../api/credential';
import { Dialog } from '../design/Dialog';

const SignInContext = createContext<() => void>(() => {});

/** Returns what opens the sheet for a credential. */
export function useSignIn(): () => void {
  return useContext(SignInContext);
}

export function useCredential(): string {
  return useSyncExternalStore(onCredentialChange, credential);
}

export function SignInProvider({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState(false);
  return (
    <SignInContext value={() => setOpen(true)}>
      {children}
      {open && <SignIn onClose={() => setOpen(false)} />}
    </SignInContext>
  );
}

function SignIn({ onClose }: { onClose: () => void }) {
  const [value, setValue] = useState(credential());
  const id = useId();
  const use = () => {
    setCredential(value.trim());
    // What was loaded before may look different to somebody with a key.
    window.location.reload();
  };
  const footer = (
    <>
      {credential() && (
        <button
          type="button"
          className="button"
          onClick={() => {
            setCredential('');
            window.location.reload();
          }}
        >
          Forget the key
        </button>
      )}
      <button type="submit" form={id} className="button primary" disabled={!value.trim()}>
        Use this key
      </button>
    </>
  );
  return (
    <Dialog title="Your key" onClose={onClose} footer={footer}>
      <form
        id={id}
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          use();
        }}
      >
        <p className="soft">
          A key or token shows you what is not open to everybody, and lets you submit and manage. It is kept in this tab
          only, and is gone when you close it.
        </p>
        <div className="field">
          <label htmlFor={`${id}-key`}>API key or token</label>
          <input
            id={`${id}-key`}
            className="code"
            type="password"
            autoComplete="off"
            spellCheck={false}
            value={value}
            onChange={(event) => setValue(event.target.value)}
          />
        </div>
      </form>
    </Dialog>
  );
}
