// One analysis: its state and history, its files, its data.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import type { AnalysisState, StudyFile } from '../api/types';
import { CopyButton } from '../design/CopyButton';
import { DataTable } from '../design/DataTable';
import { bytes } from '../design/format';
import { ConfirmDialog } from '../design/FormDialog';
import { ErrorNotice, Skeleton } from '../design/Notice';
import { Timeline } from '../record/RecordHistory';
import '../record/record.css';
import { announce } from '../shell/announce';
import { useTitle } from '../shell/branding';
import { Link } from '../shell/router';
import { texts } from '../texts';
import { type Action, analysis, changeState } from './api';
import { FileDialog } from './FileDialog';
import { StateBadge } from './StudyPage';

const ACTIONS: Record<AnalysisState, Action[]> = {
  UNPUBLISHED: ['publish', 'suppress'],
  PUBLISHED: ['unpublish', 'suppress'],
  SUPPRESSED: [],
};

export default function AnalysisPage({ studyId, analysisId }: { studyId: string; analysisId: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['analysis', studyId, analysisId],
    queryFn: ({ signal }) => analysis(studyId, analysisId, signal),
  });
  const [asked, setAsked] = useState<Action | null>(null);
  const [edited, setEdited] = useState<StudyFile | null>(null);
  useTitle(analysisId);
  const words = texts.manage.analysis;
  if (error && !data) return <ErrorNotice error={error} retry={refetch} title={words.cannotBeShown} />;
  if (!data) return <Skeleton lines={10} />;
  const { files, analysisStateHistory: _, ...rest } = data;
  const announceChange = () => {
    void refetch();
    announce(words.stateChanged);
  };
  return (
    <>
      <div className="stack tight">
        <nav aria-label={texts.manage.place} className="small">
          <Link to="/manage/studies">{texts.manage.areas.studies}</Link> <span className="faint">/</span>{' '}
          <Link to={`/manage/studies/${encodeURIComponent(studyId)}`}>{studyId}</Link>
        </nav>
        <div className="row wrap spread">
          <h1 className="record-title">{analysisId}</h1>
          <div className="row wrap">
            {ACTIONS[data.analysisState].map((action) => (
              <button
                key={action}
                type="button"
                className={`button ${action === 'publish' ? 'primary' : action === 'suppress' ? 'danger' : ''}`}
                onClick={() => setAsked(action)}
              >
                {words.steps[action].name}
              </button>
            ))}
          </div>
        </div>
        <div className="row">
          <StateBadge state={data.analysisState} />
          <span className="soft">
            <Link to={`/manage/types/${encodeURIComponent(data.analysisType.name)}`}>{data.analysisType.name}</Link>
            {words.inVersion(data.analysisType.version)}
          </span>
        </div>
      </div>
      <div className="manage-columns">
        <section className="card stack" aria-labelledby="files">
          <h2 id="files">{words.files}</h2>
          <DataTable
            label={words.listOfFiles}
            headings={[words.name, words.type, words.access, { number: words.size }, { hidden: words.actions }]}
          >
            {files.map((file) => (
              <tr key={file.objectId}>
                <td>
                  <span className="breakable">{file.fileName}</span>
                  <br />
                  <span className="mono faint small">{file.objectId}</span>
                </td>
                <td>{file.fileType}</td>
                <td>{file.fileAccess}</td>
                <td className="number">{bytes(file.fileSize)}</td>
                <td>
                  {data.analysisState !== 'SUPPRESSED' && (
                    <button type="button" className="button plain compact" onClick={() => setEdited(file)}>
                      {words.edit}
                      <span className="visually-hidden"> {file.fileName}</span>
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </DataTable>
        </section>
        <section className="card stack" aria-labelledby="history">
          <h2 id="history">{words.history}</h2>
          <Timeline analysis={data} />
        </section>
      </div>
      <section className="card stack" aria-labelledby="data">
        <div className="row spread">
          <h2 id="data">{words.data}</h2>
          <CopyButton text={() => JSON.stringify(data, null, 2)} label={words.copyJson} />
        </div>
        <pre className="code-block" tabIndex={0}>
          {JSON.stringify(rest, null, 2)}
        </pre>
      </section>
      {edited && (
        <FileDialog
          studyId={studyId}
          state={data.analysisState}
          file={edited}
          onClose={() => setEdited(null)}
          onDone={() => {
            void refetch();
            announce(words.fileChanged);
          }}
        />
      )}
      {asked && (
        <ConfirmDialog
          title={words.steps[asked].question}
          action={words.steps[asked].name}
          onClose={() => setAsked(null)}
          onConfirm={() => changeState(studyId, analysisId, asked)}
          onDone={announceChange}
        >
          <p>{words.steps[asked].effect}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
