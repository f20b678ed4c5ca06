// Edits the metadata of a file of an analysis.

import { useState } from 'react';

import type { AnalysisState, FileUpdate, StudyFile } from '../api/types';
import { CodeField, SelectField, TextField } from '../design/Field';
import { FormDialog } from '../design/FormDialog';
import { Notice } from '../design/Notice';
import { texts } from '../texts';
import { changeFile } from './api';

const ACCESSES: StudyFile['fileAccess'][] = ['open', 'controlled'];

interface FileDialogProps {
  studyId: string;
  state: AnalysisState;
  file: StudyFile;
  onClose: () => void;
  onDone: () => void;
}

export function FileDialog({ studyId, state, file, onClose, onDone }: FileDialogProps) {
  const [values, setValues] = useState(() => typedOf(file));
  const isContentFixed = state === 'PUBLISHED';
  const { changes, mistake } = changesOf(values, file);
  const words = texts.manage.file;
  const set = (name: keyof Typed) => (value: string) => setValues({ ...values, [name]: value });
  const textField = (name: keyof Typed, label: string, isFixed = false) => (
    <TextField
      label={label}
      className="mono"
      spellCheck={false}
      disabled={isFixed}
      value={values[name]}
      onChange={set(name)}
    />
  );
  return (
    <FormDialog
      title={file.fileName}
      action={words.save}
      canSubmit={mistake === null && Object.keys(changes).length > 0}
      errorTitle={words.notChanged}
      onClose={onClose}
      onSubmit={async () => {
        await changeFile(studyId, file.objectId, changes);
        onDone();
        onClose();
      }}
    >
      {isContentFixed && (
        <Notice kind="plain">
          <p>{words.contentIsFixed}</p>
        </Notice>
      )}
      {textField('fileSize', words.size, isContentFixed)}
      {textField('fileMd5sum', words.checksum, isContentFixed)}
      <SelectField label={words.access} value={values.fileAccess} onChange={set('fileAccess')}>
        {ACCESSES.map((access) => (
          <option key={access}>{access}</option>
        ))}
      </SelectField>
      {textField('dataType', words.dataType)}
      <CodeField label={words.information} rows={5} value={values.info} onChange={set('info')} />
      {mistake && <p className="mistake">{mistake}</p>}
    </FormDialog>
  );
}

/** What stands in the fields. */
type Typed = Record<'fileSize' | 'fileMd5sum' | 'fileAccess' | 'dataType' | 'info', string>;

function typedOf({ fileSize, fileMd5sum, fileAccess, dataType = '', info = {} }: StudyFile): Typed {
  return { fileSize: String(fileSize), fileMd5sum, fileAccess, dataType, info: JSON.stringify(info, null, 2) };
}

/** Returns what differs from the file as it is, or what is wrong with what was typed. */
function changesOf(typed: Typed, file: StudyFile): { changes: FileUpdate; mistake: string | null } {
  const before = typedOf(file);
  const changes: FileUpdate = {};
  if (typed.fileAccess !== before.fileAccess) changes.fileAccess = typed.fileAccess as StudyFile['fileAccess'];
  for (const name of ['fileMd5sum', 'dataType'] as const) {
    if (typed[name].trim() !== before[name]) changes[name] = typed[name].trim();
  }
  if (typed.fileSize.trim() !== before.fileSize) {
    if (!/^[1-9]\d*$/.test(typed.fileSize.trim())) return { changes, mistake: texts.manage.file.wrongSize };
    changes.fileSize = Number(typed.fileSize);
  }
  if (typed.info.trim() === before.info) return { changes, mistake: null };
  try {
    const info: unknown = JSON.parse(typed.info || '{}');
    if (typeof info !== 'object' || info === null || Array.isArray(info))
      throw new Error(texts.manage.file.expectedObject);
    changes.info = info as Record<string, unknown>;
  } catch (problem) {
    return { changes, mistake: texts.manage.file.wrongInformation((problem as Error).message) };
  }
  return { changes, mistake: null };
}
