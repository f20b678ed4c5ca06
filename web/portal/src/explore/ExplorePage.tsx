// The page of a catalogue: filters beside the result, the filter as a sentence above it.

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';

import type { Catalogue } from '../api/catalogue';
import { graphql } from '../api/client';
import { Dialog } from '../design/Dialog';
import { bytes, count, counted, nounFor, plural } from '../design/format';
import { Icon } from '../design/Icon';
import { Empty, ErrorNotice, Loading, Notice, Skeleton, useSlow } from '../design/Notice';
import { withFacets } from '../facets/chosenFacets';
import { FacetPanel } from '../facets/FacetPanel';
import { QueryBar } from '../query/QueryBar';
import { QuickSearch } from '../query/QuickSearch';
import { NotFound } from '../shell/App';
import { announce } from '../shell/announce';
import { useTitle } from '../shell/branding';
import { useCatalogue } from '../shell/directory';
import { Link, useRouter } from '../shell/router';
import { useSetNames } from '../sets/useSetNames';
import { BasketBar } from '../table/BasketBar';
import { shownColumns } from '../table/columns';
import { useDensity } from '../table/density';
import { Pager } from '../table/Pager';
import { ResultTable } from '../table/ResultTable';
import { texts } from '../texts';
import { type Explore as ExploreValue, ExploreContext, useExplore } from './context';
import { Toolbar } from './Toolbar';
import { type ExploreState, fromStart, readState, writeState } from './urlState';
import { useView } from './useView';
import { extentRequest, isByRelevance, isOfNetwork, readExtent } from './viewQuery';
import './explore.css';

const ChartsView = lazy(() => import('../charts/ChartsView'));
const NetworkView = lazy(() => import('../network/NetworkView'));

export default function ExplorePage({ rest: [id, ...others] }: { rest: string[] }) {
  const { data, error, retry } = useCatalogue(id ?? '');
  useTitle(data?.label ?? '');
  if (!id || others.length) return <NotFound />;
  if (error)
    return (
      <div className="page">
        <ErrorNotice error={error} retry={retry} title={texts.explore.notShown} />
      </div>
    );
  if (!data) return <Loading what={texts.explore.theCatalogue} />;
  return <Explore key={data.id} catalogue={data} />;
}

function Explore({ catalogue: configured }: { catalogue: Catalogue }) {
  const { search, navigate } = useRouter();
  const { state, problem } = useMemo(() => readState(search), [search]);
  const catalogue = useMemo(() => withFacets(configured, state), [configured, state]);
  const columns = useMemo(() => shownColumns(catalogue, state.columns), [catalogue, state.columns]);
  const ofNetwork = isOfNetwork(catalogue, state);
  const extent = useQuery({
    queryKey: ['extent', catalogue.id, catalogue.facets.map(({ field }) => field.name), ofNetwork],
    queryFn: async ({ signal }) => {
      const { query, variables } = extentRequest(catalogue, ofNetwork);
      return readExtent(catalogue, await graphql(catalogue.graphqlPath, query, variables, signal), ofNetwork);
    },
    // Nodes come and go.
    staleTime: ofNetwork ? 60_000 : Infinity,
    placeholderData: keepPreviousData,
  });
  const fields = useMemo(() => columns.map(({ field }) => field), [columns]);
  const view = useView(catalogue, state, fields, extent.data?.bins);
  const setNames = useSetNames(catalogue, state.filter);
  const change = (next: ExploreState) => navigate(`/explore/${encodeURIComponent(catalogue.id)}${writeState(next)}`);
  const value: ExploreValue = {
    catalogue,
    state,
    view,
    extent: extent.data,
    setNames,
    change,
    setFilter: (filter) => change(fromStart(state, { filter })),
  };
  const total = view.answer?.total;
  useEffect(() => {
    if (total !== undefined && !view.loading) announce(texts.explore.found(counted(total, catalogue.documentType)));
  }, [total, view.loading, search, catalogue.documentType]);
  const error = extent.error ?? view.error;
  return (
    <ExploreContext value={value}>
      <div className="explore">
        <aside className="explore-side" aria-label={texts.explore.filters}>
          <FacetPanel />
        </aside>
        <div className="explore-main">
          <div className="row spread wrap explore-head">
            <div className="grow">
              <h1>{catalogue.label}</h1>
              {catalogue.description && <p className="soft explore-about">{catalogue.description}</p>}
              <Link className="small" to={`/dictionary/${encodeURIComponent(catalogue.id)}`}>
                {texts.explore.dictionary}
              </Link>
            </div>
            <QuickSearch />
          </div>
          {problem && (
            <Notice kind="warning">
              <p>{problem}</p>
            </Notice>
          )}
          <QueryBar />
          <ResultHead columns={columns} hasFailed={error !== null} />
          {error && (
            <ErrorNotice
              error={error}
              retry={extent.error ? extent.refetch : view.retry}
              title={texts.explore.notFetched}
            />
          )}
          <Result columns={columns} hasFailed={error !== null} />
        </div>
      </div>
    </ExploreContext>
  );
}

function ResultHead({ columns, hasFailed }: { columns: ReturnType<typeof shownColumns>; hasFailed: boolean }) {
  const { catalogue, view, extent, state } = useExplore();
  const [open, setOpen] = useState(false);
  const total = view.answer?.total;
  const size = view.answer?.bytes;
  const slow = useSlow(view.loading);
  // How many there are without the filter; of a network that is not known.
  const all = extent && state.filter && !view.answer?.network ? extent.total : null;
  return (
    <div className="row wrap spread result-head">
      <div className="row">
        <button type="button" className="button facets-opener" onClick={() => setOpen(true)}>
          <Icon name="filter" />
          {texts.explore.filters}
        </button>
        <p className="result-count" aria-busy={view.loading}>
          {hasFailed ? (
            <span className="faint">{texts.explore.noAnswer}</span>
          ) : total === undefined ? (
            <span className="skeleton" style={{ width: 150, height: 22 }} />
          ) : (
            <>
              <strong className="number">{count(total)}</strong> {nounFor(total, catalogue.documentType)}
              {all !== null && <span className="faint"> {texts.explore.of(count(all))}</span>}
              {size !== null && size !== undefined && size > 0 && (
                <span className="faint result-bytes" title={`${count(size)} B`}>
                  {' '}
                  · {bytes(size)}
                </span>
              )}
              {state.view === 'table' && total > 1 && isByRelevance(state) && (
                <span className="faint">{texts.explore.byRelevance}</span>
              )}
            </>
          )}
        </p>
        <span className={`progress-dot ${view.loading && total !== undefined ? 'on' : ''}`} aria-hidden="true" />
        {slow && <span className="faint small">{texts.explore.waiting}</span>}
      </div>
      <Toolbar columns={columns} />
      {open && (
        <Dialog
          title={texts.explore.filters}
          className="facet-drawer"
          onClose={() => setOpen(false)}
          footer={
            <button type="button" className="button primary grow" onClick={() => setOpen(false)}>
              {total === undefined
                ? texts.explore.showResult
                : texts.explore.show(counted(total, catalogue.documentType))}
            </button>
          }
        >
          <FacetPanel />
        </Dialog>
      )}
    </div>
  );
}

function Result({ columns, hasFailed }: { columns: ReturnType<typeof shownColumns>; hasFailed: boolean }) {
  const { catalogue, state, view, setFilter } = useExplore();
  const [density] = useDensity();
  // The previous rows belong to another filter and would mislead.
  if (hasFailed) return null;
  const placeholder = (
    <div className="card">
      <Skeleton lines={14} height={18} />
    </div>
  );
  if (!view.answer) return placeholder;
  if (state.view === 'network' && view.answer.network)
    return (
      <Suspense fallback={placeholder}>
        <NetworkView />
      </Suspense>
    );
  if (catalogue.suppressedBelow !== null && state.view === 'table') {
    return (
      <Notice kind="plain">
        <strong>{texts.explore.countsOnly}</strong>
        <p>{texts.explore.countsOnlyWhy(catalogue.suppressedBelow)}</p>
      </Notice>
    );
  }
  if (view.answer.total === 0) {
    return (
      <div className="card">
        <Empty icon="search" title={texts.explore.noMatch(plural(catalogue.documentType))}>
          <p>{state.filter ? texts.explore.noMatchWhy : texts.explore.empty}</p>
          {state.filter && (
            <button type="button" className="button" onClick={() => setFilter(null)}>
              {texts.explore.clear}
            </button>
          )}
        </Empty>
      </div>
    );
  }
  if (state.view === 'charts')
    return (
      <Suspense fallback={placeholder}>
        <ChartsView />
      </Suspense>
    );
  return (
    <div>
      <BasketBar columns={columns} />
      <ResultTable key={density} columns={columns} density={density} />
      <Pager />
    </div>
  );
}
