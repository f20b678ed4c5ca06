// Actions on a result: table or charts, columns, link, code, set, download.

import { lazy, Suspense, useState } from 'react';

import { useSession } from '../api/session';
import { CopyButton } from '../design/CopyButton';
import { Icon, type IconName } from '../design/Icon';
import { Popover } from '../design/Popover';
import { stringify } from '../query/sqon';
import { useBranding } from '../shell/branding';
import { Link } from '../shell/router';
import { useCredential } from '../shell/signIn';
import { ColumnsPanel } from '../table/ColumnsPanel';
import type { ShownColumn } from '../table/columns';
import { texts } from '../texts';
import { useExplore } from './context';
import type { View } from './urlState';

const DownloadDialog = lazy(() => import('../download/DownloadDialog'));
const CodeDialog = lazy(() => import('../download/CodeDialog'));
const SaveSetDialog = lazy(() => import('../sets/SaveSetDialog'));
const SaveDefaultDialog = lazy(() => import('./SaveDefaultDialog'));

type Sheet = 'download' | 'code' | 'set' | 'default';

export function Toolbar({ columns }: { columns: ShownColumn[] }) {
  const { state, change, catalogue } = useExplore();
  const [sheet, setSheet] = useState<Sheet | null>(null);
  const close = () => setSheet(null);
  const views: [View, string, IconName][] = [
    ['table', texts.explore.table, 'table'],
    ['charts', texts.explore.charts, 'chart'],
  ];
  if (catalogue.networkFields) views.push(['network', texts.explore.network, 'link']);
  const canTake = catalogue.suppressedBelow === null;
  const { authentication } = useBranding();
  const isKnown = [useCredential(), useSession()?.person].some(Boolean);
  const hasChoice = state.facets !== null || state.columns !== null || state.sort !== null;
  const filterText = encodeURIComponent(stringify(state.filter));
  return (
    <div className="row wrap toolbar">
      <div className="segments" role="group" aria-label={texts.explore.view}>
        {views.map(([view, label, icon]) => (
          <button
            key={view}
            type="button"
            aria-pressed={state.view === view}
            onClick={() => change({ ...state, view })}
          >
            <Icon name={icon} />
            {label}
          </button>
        ))}
      </div>
      {state.view === 'table' && (
        <Popover label={texts.explore.columns} icon="columns">
          {() => <ColumnsPanel columns={columns} />}
        </Popover>
      )}
      {state.filter && (
        <Link className="button" to={`/compare/${encodeURIComponent(catalogue.id)}?a=${filterText}`}>
          <Icon name="chart" />
          <span className="tool-label">{texts.explore.compare}</span>
        </Link>
      )}
      {hasChoice && (isKnown || !authentication) && (
        <button type="button" className="button" onClick={() => setSheet('default')}>
          <Icon name="check" />
          <span className="tool-label">{texts.explore.saveDefault}</span>
        </button>
      )}
      <CopyButton
        text={() => window.location.href}
        label={texts.explore.copyLink}
        icon="link"
        className="button tool"
      />
      <button type="button" className="button" onClick={() => setSheet('code')}>
        <Icon name="code" />
        <span className="tool-label">{texts.explore.code}</span>
      </button>
      {canTake && catalogue.hasSets && (
        <button type="button" className="button" onClick={() => setSheet('set')}>
          <Icon name="set" />
          <span className="tool-label">{texts.explore.saveSet}</span>
        </button>
      )}
      {canTake && (
        <button type="button" className="button primary" onClick={() => setSheet('download')}>
          <Icon name="download" />
          {texts.explore.download}
        </button>
      )}
      <Suspense fallback={null}>
        {sheet === 'download' && <DownloadDialog columns={columns} onClose={close} />}
        {sheet === 'code' && <CodeDialog columns={columns} onClose={close} />}
        {sheet === 'set' && <SaveSetDialog onClose={close} />}
        {sheet === 'default' && <SaveDefaultDialog onClose={close} />}
      </Suspense>
    </div>
  );
}
