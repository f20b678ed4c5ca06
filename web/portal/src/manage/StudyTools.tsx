// What can be done with a whole study: publish many analyses at once, export it, find its records in the catalogues.

import { useState } from 'react';

import { send } from '../api/client';
import type { Analysis } from '../api/types';
import { counted } from '../design/format';
import { FormDialog } from '../design/FormDialog';
import { Icon } from '../design/Icon';
import { ErrorNotice } from '../design/Notice';
import { saveFile } from '../download/stream';
import { START, writeState } from '../explore/urlState';
import { asRoot, leaf } from '../query/sqon';
import { announce } from '../shell/announce';
import { useCatalogue, useDirectory } from '../shell/directory';
import { Link } from '../shell/router';
import { texts } from '../texts';
import { changeState } from './api';

/** Returns what people call an analysis, if its document has that. */
export function nameOfAnalysis(analysis: Analysis): string | null {
  const { title, name } = analysis as Analysis & { title?: unknown; name?: unknown };
  const found = [title, name].find((each) => typeof each === 'string' && each !== '');
  return typeof found === 'string' ? found : null;
}

interface PublishDialogProps {
  studyId: string;
  ids: string[];
  onClose: () => void;
  onDone: () => void;
}

/** Publishes analyses one after the other; the first that is refused stops it, and what was published stays so. */
export function PublishDialog({ studyId, ids, onClose, onDone }: PublishDialogProps) {
  const [done, setDone] = useState(0);
  const words = texts.manage.study;
  const publish = async () => {
    let published = done;
    for (const id of ids.slice(done)) {
      await changeState(studyId, id, 'publish');
      published += 1;
      setDone(published);
    }
    announce(words.published(counted(published, 'analysis')));
    onDone();
    onClose();
  };
  return (
    <FormDialog
      title={words.publishAll(counted(ids.length, 'analysis'))}
      action={words.publish}
      pendingAction={words.publishing}
      errorTitle={words.nextRefused(counted(done, 'analysis'))}
      onSubmit={publish}
      onClose={() => {
        if (done > 0) onDone();
        onClose();
      }}
    >
      <p>{words.publishEffect}</p>
      <progress max={ids.length} value={done} aria-label={words.progress} />
    </FormDialog>
  );
}

/** Saves all analyses of a study as one file. */
export function ExportButton({ studyId }: { studyId: string }) {
  const [error, setError] = useState<unknown>(null);
  const save = async () => {
    setError(null);
    try {
      const response = await send(`/export/studies/${encodeURIComponent(studyId)}`);
      saveFile(await response.blob(), `${studyId}.json`);
    } catch (reason) {
      setError(reason);
    }
  };
  return (
    <>
      <button type="button" className="button" onClick={() => void save()}>
        <Icon name="download" />
        {texts.manage.study.export}
      </button>
      {error ? <ErrorNotice error={error} title={texts.manage.study.exportFailed} retry={() => void save()} /> : null}
    </>
  );
}

/** Links to the records of a study in every catalogue that knows studies. */
export function CatalogueLinks({ studyId }: { studyId: string }) {
  const { data } = useDirectory();
  return Object.keys(data?.catalogs ?? {}).map((id) => <CatalogueLink key={id} id={id} studyId={studyId} />);
}

function CatalogueLink({ id, studyId }: { id: string; studyId: string }) {
  const { data: catalogue } = useCatalogue(id);
  const isStudy = (name: string) => /^(study_?id|study)$/i.test(name.split('.').at(-1) ?? '');
  const field = [...(catalogue?.fields.values() ?? [])].find(({ name, kind }) => kind === 'terms' && isStudy(name));
  if (!catalogue || !field) return null;
  const filter = asRoot(leaf('in', catalogue.exactField(field).name, [studyId]));
  return (
    <Link className="button" to={`/explore/${encodeURIComponent(id)}${writeState({ ...START, filter })}`}>
      <Icon name="search" />
      {catalogue.label}
    </Link>
  );
}
