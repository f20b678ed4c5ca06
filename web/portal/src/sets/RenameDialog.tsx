// Gives a set another name.

import { useState } from 'react';

import type { Catalogue } from '../api/catalogue';
import { TextField } from '../design/Field';
import { FormDialog } from '../design/FormDialog';
import { texts } from '../texts';
import { MAX_NAME_LENGTH, renameSet, type SavedSet } from './api';

interface RenameDialogProps {
  catalogue: Catalogue;
  set: SavedSet;
  onClose: () => void;
  onDone: () => void;
}

export function RenameDialog({ catalogue, set, onClose, onDone }: RenameDialogProps) {
  const [name, setName] = useState(set.name ?? '');
  return (
    <FormDialog
      title={texts.sets.rename}
      action={texts.sets.rename}
      canSubmit={name.trim() !== ''}
      onClose={onClose}
      onSubmit={async () => {
        await renameSet(catalogue, set.setId, name.trim());
        onDone();
        onClose();
      }}
    >
      <TextField label={texts.sets.name} maxLength={MAX_NAME_LENGTH} value={name} onChange={setName} />
    </FormDialog>
  );
}
