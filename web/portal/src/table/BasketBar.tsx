// What can be done with the selected records: look at them, save them as a set, download them or their manifest.

import { lazy, Suspense, useState } from 'react';

import { counted } from '../design/format';
import { Icon } from '../design/Icon';
import { type Explore, ExploreContext, useExplore } from '../explore/context';
import { asRoot, leaf } from '../query/sqon';
import { texts } from '../texts';
import { useBasket } from './basket';
import type { ShownColumn } from './columns';

const DownloadDialog = lazy(() => import('../download/DownloadDialog'));
const SaveSetDialog = lazy(() => import('../sets/SaveSetDialog'));

export function BasketBar({ columns }: { columns: ShownColumn[] }) {
  const explore = useExplore();
  const { catalogue, state, view, setFilter } = explore;
  const { keys, clear } = useBasket(catalogue.id);
  const [sheet, setSheet] = useState<'download' | 'set' | null>(null);
  if (keys.size === 0 || !catalogue.keyField) return null;
  const filter = asRoot(leaf('in', catalogue.exactField(catalogue.keyField).name, [...keys]));
  // The dialogs take what is in the basket in place of what the page shows.
  const basket: Explore = {
    ...explore,
    state: { ...state, filter },
    view: { ...view, answer: view.answer && { ...view.answer, total: keys.size } },
  };
  const close = () => setSheet(null);
  return (
    <section className="basket row wrap" aria-label={texts.table.selectedRecords}>
      <strong>{texts.table.selected(counted(keys.size, catalogue.documentType))}</strong>
      <span className="grow" />
      <button type="button" className="button compact" onClick={() => setFilter(filter)}>
        <Icon name="eye" size={14} />
        {texts.table.showOnly}
      </button>
      {catalogue.hasSets && (
        <button type="button" className="button compact" onClick={() => setSheet('set')}>
          <Icon name="set" size={14} />
          {texts.table.saveAsSet}
        </button>
      )}
      <button type="button" className="button compact" onClick={() => setSheet('download')}>
        <Icon name="download" size={14} />
        {texts.table.download}
      </button>
      <button type="button" className="button plain compact" onClick={clear}>
        {texts.table.selectNone}
      </button>
      <ExploreContext value={basket}>
        <Suspense fallback={null}>
          {sheet === 'download' && <DownloadDialog columns={columns} onClose={close} />}
          {sheet === 'set' && <SaveSetDialog onClose={close} />}
        </Suspense>
      </ExploreContext>
    </section>
  );
}
