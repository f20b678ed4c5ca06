// The dialog for the key or token of the user.

import { createContext, type ReactNode, useContext, useState, useSyncExternalStore } from 'react';

import { serverPath } from '../api/base';
import { ApiError } from '../api/client';
import { credential, onCredentialChange, setCredential } from '../api/credential';
import { TextField } from '../design/Field';
import { FormDialog } from '../design/FormDialog';
import { texts } from '../texts';

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
  const response = await fetch(serverPath('/studies/all'), { headers: { Authorization: `Bearer ${key}` } });
  if (response.status !== 401) return;
  throw new ApiError(texts.shell.keyRefused, 400);
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
      title={texts.shell.yourKey}
      action={texts.shell.useKey}
      pendingAction={texts.shell.checkingKey}
      errorTitle={texts.shell.keyFails}
      canSubmit={value.trim() !== ''}
      buttons={
        credential() && (
          <button type="button" className="button" onClick={() => use('')}>
            {texts.shell.forgetKey}
          </button>
        )
      }
      onSubmit={async () => {
        await checkKey(value.trim());
        use(value.trim());
      }}
      onClose={onClose}
    >
      <p className="soft">{texts.shell.keyMeaning}</p>
      <TextField
        label={texts.shell.keyOrToken}
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
