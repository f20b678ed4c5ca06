// A dialog with a form: one button submits it, it waits for the answer, and an error keeps what was typed.

import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';

import { texts } from '../texts';
import { Dialog } from './Dialog';
import { ErrorNotice } from './Notice';

interface FormDialogProps {
  title: string;
  /** The label of the button that submits, and the one while the answer is awaited. */
  action: string;
  pendingAction?: string;
  isDangerous?: boolean;
  canSubmit?: boolean;
  errorTitle?: string;
  /** Further buttons, before the one that submits. */
  buttons?: ReactNode;
  /** Closes the dialog itself when it has succeeded. */
  onSubmit: () => unknown;
  onClose: () => void;
  children: ReactNode;
}

export function FormDialog({
  title,
  action,
  pendingAction = action,
  isDangerous = false,
  canSubmit = true,
  errorTitle,
  buttons,
  onSubmit,
  onClose,
  children,
}: FormDialogProps) {
  const { mutate, isPending, error } = useMutation({ mutationFn: () => Promise.resolve(onSubmit()) });
  const id = useId();
  const footer = (
    <>
      {buttons}
      <button
        type="submit"
        form={id}
        className={`button ${isDangerous ? 'danger' : 'primary'}`}
        disabled={isPending || !canSubmit}
      >
        {isPending ? pendingAction : action}
      </button>
    </>
  );
  return (
    <Dialog title={title} onClose={onClose} footer={footer}>
      <form
        id={id}
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          mutate();
        }}
      >
        {children}
        {error && <ErrorNotice error={error} title={errorTitle} />}
      </form>
    </Dialog>
  );
}

interface ConfirmDialogProps {
  title: string;
  action: string;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
  onDone: () => void;
  children: ReactNode;
}

/** Asks before something that cannot be undone. */
export function ConfirmDialog({ title, action, onConfirm, onClose, onDone, children }: ConfirmDialogProps) {
  return (
    <FormDialog
      title={title}
      action={action}
      isDangerous
      buttons={
        <button type="button" className="button" onClick={onClose}>
          {texts.design.cancel}
        </button>
      }
      onSubmit={async () => {
        await onConfirm();
        onDone();
        onClose();
      }}
      onClose={onClose}
    >
      {children}
    </FormDialog>
  );
}
