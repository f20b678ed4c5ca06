// Edits the metadata of a file of an analysis.

import { useState } from 'react';

import type { AnalysisState, FileUpdate, StudyFile } from '../api/types';
import { CodeField, SelectField, TextField } from '../design/Field';
import { FormDialog } from '../design/FormDialog';
import { Notice } from '../design/Notice';
import { changeFile } from './api';

interface FileDialogProps {
  studyId: string;
  state: AnalysisState;
  file: StudyFile;
  onClose: () => void;
  onDone: () => void;
}

export function FileDialog({ studyId, state, file, onClose, onDone }: FileDialogProps) {
  const [values, setValues] = useState(() => textsOf(file));
  const isContentFixed = state === 'PUBLISHED';
  const { changes, mistake } = changesOf(values, file);
  const set = (name: keyof Texts) => (value: string) => setValues({ ...values, [name]: value });
  const textField = (name: keyof Texts, label: string, isFixed = false) => (
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
      action="Save the changes"
      canSubmit={mistake === null && Object.keys(changes).length > 0}
      errorTitle="The file was not changed"
      onClose={onClose}
      onSubmit={async () => {
        await changeFile(studyId, file.objectId, changes);
        onDone();
        onClose();
      }}
    >
      {isContentFixed && (
        <Notice kind="plain">
          <p>
            Size and checksum identify the content, which is fixed while the analysis is published. Unpublish it to
            change them.
          </p>
        </Notice>
      )}
      {textField('fileSize', 'Size in bytes', isContentFixed)}
      {textField('fileMd5sum', 'MD5 checksum', isContentFixed)}
      <SelectField label="Access" value={values.fileAccess} onChange={set('fileAccess')}>
        <option value="open">open</option>
        <option value="controlled">controlled</option>
      </SelectField>
      {textField('dataType', 'Data type')}
      <CodeField label="Further information (JSON)" rows={5} value={values.info} onChange={set('info')} />
      {mistake && <p className="mistake">{mistake}</p>}
    </FormDialog>
  );
}

type Texts = Record<'fileSize' | 'fileMd5sum' | 'fileAccess' | 'dataType' | 'info', string>;

function textsOf({ fileSize, fileMd5sum, fileAccess, dataType = '', info = {} }: StudyFile): Texts {
  return { fileSize: String(fileSize), fileMd5sum, fileAccess, dataType, info: JSON.stringify(info, null, 2) };
}

/** Returns what differs from the file as it is, or what is wrong with what was typed. */
function changesOf(texts: Texts, file: StudyFile): { changes: FileUpdate; mistake: string | null } {
  const before = textsOf(file);
  const changes: FileUpdate = {};
  if (texts.fileAccess !== before.fileAccess) changes.fileAccess = texts.fileAccess as StudyFile['fileAccess'];
  for (const name of ['fileMd5sum', 'dataType'] as const) {
    if (texts[name].trim() !== before[name]) changes[name] = texts[name].trim();
  }
  if (texts.fileSize.trim() !== before.fileSize) {
    if (!/^[1-9]\d*$/.test(texts.fileSize.trim())) return { changes, mistake: 'The size is a whole number above 0.' };
    changes.fileSize = Number(texts.fileSize);
  }
  if (texts.info.trim() === before.info) return { changes, mistake: null };
  try {
    const info: unknown = JSON.parse(texts.info || '{}');
    if (typeof info !== 'object' || info === null || Array.isArray(info)) throw new Error('expected an object');
    changes.info = info as Record<string, unknown>;
  } catch (problem) {
    return { changes, mistake: `Further information: ${(problem as Error).message}` };
  }
  return { changes, mistake: null };
}
