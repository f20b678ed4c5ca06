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
import { type Action, analysis, changeState } from './api';
import { FileDialog } from './FileDialog';
import { StateBadge } from './StudyPage';

const ACTIONS: Record<AnalysisState, Action[]> = {
  UNPUBLISHED: ['publish', 'suppress'],
  PUBLISHED: ['unpublish', 'suppress'],
  SUPPRESSED: [],
};

const WORDS: Record<Action, [string, string]> = {
  publish: ['Publish', 'It becomes part of what everybody finds.'],
  unpublish: ['Unpublish', 'It is no longer found by others, and can be published again.'],
  suppress: ['Suppress', 'It is withdrawn for good: it cannot be published or changed any more.'],
};

export default function AnalysisPage({ studyId, analysisId }: { studyId: string; analysisId: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['analysis', studyId, analysisId],
    queryFn: ({ signal }) => analysis(studyId, analysisId, signal),
  });
  const [asked, setAsked] = useState<Action | null>(null);
  const [edited, setEdited] = useState<StudyFile | null>(null);
  useTitle(analysisId);
  if (error && !data) return <ErrorNotice error={error} retry={refetch} title="This analysis cannot be shown" />;
  if (!data) return <Skeleton lines={10} />;
  const { files, analysisStateHistory: _, ...rest } = data;
  const announceChange = () => {
    void refetch();
    announce('The state was changed');
  };
  return (
    <>
      <div className="stack tight">
        <nav aria-label="Place" className="small">
          <Link to="/manage/studies">Studies</Link> <span className="faint">/</span>{' '}
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
                {WORDS[action][0]}
              </button>
            ))}
          </div>
        </div>
        <div className="row">
          <StateBadge state={data.analysisState} />
          <span className="soft">
            <Link to={`/manage/types/${encodeURIComponent(data.analysisType.name)}`}>{data.analysisType.name}</Link>,
            version {data.analysisType.version}
          </span>
        </div>
      </div>
      <div className="manage-columns">
        <section className="card stack" aria-labelledby="files">
          <h2 id="files">Files</h2>
          <DataTable
            label="List of files"
            headings={['Name', 'Type', 'Access', { number: 'Size' }, { hidden: 'Actions' }]}
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
                      Edit<span className="visually-hidden"> {file.fileName}</span>
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </DataTable>
        </section>
        <section className="card stack" aria-labelledby="history">
          <h2 id="history">History</h2>
          <Timeline analysis={data} />
        </section>
      </div>
      <section className="card stack" aria-labelledby="data">
        <div className="row spread">
          <h2 id="data">Data</h2>
          <CopyButton text={() => JSON.stringify(data, null, 2)} label="Copy JSON" />
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
            announce('The file was changed');
          }}
        />
      )}
      {asked && (
        <ConfirmDialog
          title={`${WORDS[asked][0]} this analysis?`}
          action={WORDS[asked][0]}
          onClose={() => setAsked(null)}
          onConfirm={() => changeState(studyId, analysisId, asked)}
          onDone={announceChange}
        >
          <p>{WORDS[asked][1]}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
