// The dialog for the key or token of the user.

import { createContext, type ReactNode, useContext, useState, useSyncExternalStore } from 'react';

import { ApiError } from '../api/client';
import { credential, onCredentialChange, setCredential } from '../api/credential';
import { TextField } from '../design/Field';
import { FormDialog } from '../design/FormDialog';

const SignInContext = createContext<() => void>(() => {});

/** Returns the function that opens the dialog. */
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

/** Asks the server whether it takes a key; whatever else goes wrong says nothing about the key. */
async function checkKey(key: string): Promise<void> {
  const response = await fetch('/studies/all', { headers: { Authorization: `Bearer ${key}` } });
  if (response.status !== 401) return;
  throw new ApiError('The server does not take this key. It may be incomplete, expired or revoked.', 400);
}

function SignIn({ onClose }: { onClose: () => void }) {
  const [value, setValue] = useState(credential());
  const use = (key: string) => {
    setCredential(key);
    // What was loaded before may differ for another identity.
    window.location.reload();
  };
  return (
    <FormDialog
      title="Your key"
      action="Use this key"
      pendingAction="Checking…"
      errorTitle="This key does not work"
      canSubmit={value.trim() !== ''}
      buttons={
        credential() && (
          <button type="button" className="button" onClick={() => use('')}>
            Forget the key
          </button>
        )
      }
      onSubmit={async () => {
        await checkKey(value.trim());
        use(value.trim());
      }}
      onClose={onClose}
    >
      <p className="soft">
        A key or token shows you what is not open to everybody, and lets you submit and manage. It is kept in this tab
        only, and is gone when you close it.
      </p>
      <TextField
        label="API key or token"
        className="code"
        type="password"
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={setValue}
      />
    </FormDialog>
  );
}
