// Changes what is known about a file of an analysis.

import { useId, useState } from 'react';

import { Dialog } from '../design/Dialog';
import { Failure, Notice } from '../design/Notice';
import { type AnalysisState, changeFile, type FileChange, type StudyFile } from './api';

interface FileDialogProps {
  studyId: string;
  state: AnalysisState;
  file: StudyFile;
  onClose: () => void;
  onDone: () => void;
}

export function FileDialog({ studyId, state, file, onClose, onDone }: FileDialogProps) {
  const [values, setValues] = useState(() => textsOf(file));
  const [failure, setFailure] = useState<unknown>(null);
  const id = useId();
  const isContentFixed = state === 'PUBLISHED';
  const { changes, mistake } = changesOf(values, file);
  const save = async () => {
    try {
      await changeFile(studyId, file.objectId, changes);
      onDone();
      onClose();
    } catch (reason) {
      setFailure(reason);
    }
  };
  const set = (name: keyof Texts) => (event: { target: { value: string } }) =>
    setValues({ ...values, [name]: event.target.value });
  const box = (name: keyof Texts, label: string, isFixed = false) => (
    <div className="field">
      <label htmlFor={`${id}-${name}`}>{label}</label>
      <input
        id={`${id}-${name}`}
        type="text"
        className="mono"
        spellCheck={false}
        disabled={isFixed}
        value={values[name]}
        onChange={set(name)}
      />
    </div>
  );
  return (
    <Dialog
      title={file.fileName}
      onClose={onClose}
      footer={
        <button
          type="submit"
          form={id}
          className="button primary"
          disabled={mistake !== null || Object.keys(changes).length === 0}
        >
          Save the changes
        </button>
      }
    >
      <form
        id={id}
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        {isContentFixed && (
          <Notice kind="plain">
            <p>
              Size and checksum stand for the content, which is fixed while the analysis is published. Unpublish it to
              change them.
            </p>
          </Notice>
        )}
        {box('fileSize', 'Size in bytes', isContentFixed)}
        {box('fileMd5sum', 'MD5 checksum', isContentFixed)}
        <div className="field">
          <label htmlFor={`${id}-access`}>Access</label>
          <select id={`${id}-access`} value={values.fileAccess} onChange={set('fileAccess')}>
            <option value="open">open</option>
            <option value="controlled">controlled</option>
          </select>
        </div>
        {box('dataType', 'Data type')}
        <div className="field">
          <label htmlFor={`${id}-info`}>Further information (JSON)</label>
          <textarea id={`${id}-info`} className="code" rows={5} value={values.info} onChange={set('info')} />
        </div>
        {mistake && <p className="mistake">{mistake}</p>}
        {failure ? <Failure failure={failure} title="The file was not changed" /> : null}
      </form>
    </Dialog>
  );
}

type Texts = Record<'fileSize' | 'fileMd5sum' | 'fileAccess' | 'dataType' | 'info', string>;

function textsOf({ fileSize, fileMd5sum, fileAccess, dataType = '', info = {} }: StudyFile): Texts {
  return { fileSize: String(fileSize), fileMd5sum, fileAccess, dataType, info: JSON.stringify(info, null, 2) };
}

/** Returns what differs from the file as it is, or what is wrong with what was typed. */
function changesOf(texts: Texts, file: StudyFile): { changes: FileChange; mistake: string | null } {
  const before = textsOf(file);
  const changes: FileChange = {};
  for (const name of ['fileMd5sum', 'fileAccess', 'dataType'] as const) {
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
