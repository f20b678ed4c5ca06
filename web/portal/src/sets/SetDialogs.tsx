// Small sheets about one set: another name, or its end.

import { type ReactNode, useId, useState } from 'react';

import type { Catalogue } from '../api/catalogue';
import { Dialog } from '../design/Dialog';
import { Failure } from '../design/Notice';
import { renameSet, type SavedSet } from './api';

interface RenameProps {
  catalogue: Catalogue;
  set: SavedSet;
  onClose: () => void;
  onDone: () => void;
}

export function RenameDialog({ catalogue, set, onClose, onDone }: RenameProps) {
  const [name, setName] = useState(set.name ?? '');
  const [failure, setFailure] = useState<unknown>(null);
  const id = useId();
  const rename = async () => {
    try {
      await renameSet(catalogue, set.setId, name.trim());
      onDone();
      onClose();
    } catch (reason) {
      setFailure(reason);
    }
  };
  return (
    <Dialog
      title="Rename"
      onClose={onClose}
      footer={
        <button type="submit" form={id} className="button primary" disabled={!name.trim()}>
          Rename
        </button>
      }
    >
      <form
        id={id}
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void rename();
        }}
      >
        <div className="field">
          <label htmlFor={`${id}-name`}>Name</label>
          <input
            id={`${id}-name`}
            type="text"
            maxLength={200}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </div>
        {failure ? <Failure failure={failure} /> : null}
      </form>
    </Dialog>
  );
}

interface ConfirmProps {
  title: string;
  action: string;
  children: ReactNode;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
  onDone: () => void;
}

export function ConfirmDialog({ title, action, children, onConfirm, onClose, onDone }: ConfirmProps) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const confirm = async () => {
    setBusy(true);
    try {
      await onConfirm();
      onDone();
      onClose();
    } catch (reason) {
      setFailure(reason);
      setBusy(false);
    }
  };
  const footer = (
    <>
      <button type="button" className="button" onClick={onClose}>
        Cancel
      </button>
      <button type="button" className="button danger" disabled={busy} onClick={() => void confirm()}>
        {action}
      </button>
    </>
  );
  return (
    <Dialog title={title} onClose={onClose} footer={footer}>
      <div className="stack">
        {children}
        {failure ? <Failure failure={failure} /> : null}
      </div>
    </Dialog>
  );
}
