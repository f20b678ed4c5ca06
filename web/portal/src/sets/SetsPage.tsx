// All saved sets by catalogue: open, share, rename, delete and combine them.

import { useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import type { Catalogue } from '../api/catalogue';
import { CopyButton } from '../design/CopyButton';
import { DataTable } from '../design/DataTable';
import { count, counted, moment } from '../design/format';
import { ConfirmDialog } from '../design/FormDialog';
import { Icon } from '../design/Icon';
import { Empty, ErrorNotice, Loading, Skeleton } from '../design/Notice';
import { MenuItem, Popover } from '../design/Popover';
import { writeState, START } from '../explore/urlState';
import { asRoot, stringify } from '../query/sqon';
import { useTitle } from '../shell/branding';
import { catalogueQuery, useDirectory } from '../shell/directory';
import { href, Link } from '../shell/router';
import { texts } from '../texts';
import { deleteSet, listSets, membersOf, type SavedSet } from './api';
import { CombineDialog } from './CombineDialog';
import { IdListDialog } from './IdListDialog';
import { countLive, filterOf } from './live';
import { RenameDialog } from './RenameDialog';

export default function SetsPage() {
  useTitle(texts.sets.sets);
  const directory = useDirectory();
  const ids = Object.keys(directory.data?.catalogs ?? {});
  const results = useQueries({ queries: ids.map((id) => catalogueQuery(id, directory.data)) });
  if (directory.error)
    return (
      <div className="page">
        <ErrorNotice error={directory.error} retry={directory.refetch} />
      </div>
    );
  if (directory.isPending || results.some(({ isPending }) => isPending)) return <Loading what={texts.sets.theSets} />;
  const catalogues = results.flatMap(({ data }) => data ?? []);
  return (
    <div className="page stack loose">
      <div>
        <h1>{texts.sets.sets}</h1>
        <p className="soft">{texts.sets.about}</p>
      </div>
      {catalogues.length === 0 && (
        <Empty icon="set" title={texts.sets.nothing}>
          <p>{texts.sets.noCatalogue}</p>
        </Empty>
      )}
      {catalogues.map((catalogue) =>
        catalogue.hasSets ? (
          <CatalogueSets key={catalogue.id} catalogue={catalogue} />
        ) : (
          <section key={catalogue.id} className="card stack" aria-labelledby={`sets-${catalogue.id}`}>
            <h2 id={`sets-${catalogue.id}`}>{catalogue.label}</h2>
            <p className="soft">
              {texts.sets.turnedOff.before} <code>enableSets</code> {texts.sets.turnedOff.after}
            </p>
          </section>
        ),
      )}
    </div>
  );
}

type Open = { kind: 'upload' } | { kind: 'combine' } | { kind: 'rename' | 'delete'; set: SavedSet } | null;

function CatalogueSets({ catalogue }: { catalogue: Catalogue }) {
  const sets = useQuery({ queryKey: ['sets', catalogue.id], queryFn: ({ signal }) => listSets(catalogue, signal) });
  const [chosen, setChosen] = useState<string[]>([]);
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const reset = () => {
    setChosen([]);
    void sets.refetch();
  };
  const live = useQuery({
    queryKey: ['sets', catalogue.id, 'live', sets.data?.map(({ setId }) => setId)],
    queryFn: ({ signal }) => countLive(catalogue, sets.data ?? [], signal),
    enabled: sets.data !== undefined,
  });
  const picked = chosen.flatMap((id) => sets.data?.find(({ setId }) => setId === id) ?? []);
  return (
    <section className="card stack" aria-labelledby={`sets-${catalogue.id}`}>
      <div className="row wrap spread">
        <h2 id={`sets-${catalogue.id}`}>{catalogue.label}</h2>
        <div className="row wrap">
          <button
            type="button"
            className="button"
            disabled={picked.length < 2}
            title={texts.sets.combineHint}
            onClick={() => setOpen({ kind: 'combine' })}
          >
            <Icon name="set" />
            {texts.sets.combine}
          </button>
          {picked[0] && picked[1] && picked.length === 2 && (
            <Link className="button" to={compareAddress(catalogue, picked[0], picked[1])}>
              <Icon name="chart" />
              {texts.sets.compare}
            </Link>
          )}
          <button type="button" className="button" onClick={() => setOpen({ kind: 'upload' })}>
            <Icon name="upload" />
            {texts.sets.fromIds}
          </button>
        </div>
      </div>
      {sets.error && <ErrorNotice error={sets.error} retry={sets.refetch} title={texts.sets.keepsNone} />}
      {sets.isPending && <Skeleton lines={3} />}
      {sets.data?.length === 0 && (
        <p className="soft">
          {texts.sets.noneYet}{' '}
          <Link to={`/explore/${encodeURIComponent(catalogue.id)}`}>{texts.sets.explore(catalogue.label)}</Link>{' '}
          {texts.sets.andSave}
        </p>
      )}
      {sets.data && sets.data.length > 0 && (
        <DataTable
          label={texts.sets.sets}
          headings={[
            { hidden: texts.sets.choose },
            texts.sets.name,
            texts.sets.field,
            { number: texts.sets.values },
            texts.sets.live,
            texts.sets.saved,
            { hidden: texts.sets.actions },
          ]}
        >
          {sets.data.map((set) => {
            const address = addressOf(catalogue, set);
            const name = set.name || set.setId.slice(0, 8);
            return (
              <tr key={set.setId}>
                <td>
                  <input
                    type="checkbox"
                    aria-label={texts.sets.chooseSet(name)}
                    checked={chosen.includes(set.setId)}
                    onChange={() =>
                      setChosen(
                        chosen.includes(set.setId) ? chosen.filter((id) => id !== set.setId) : [...chosen, set.setId],
                      )
                    }
                  />
                </td>
                <td>
                  <Link to={address}>{name}</Link>
                </td>
                <td>{catalogue.fields.get(set.path)?.label ?? set.path}</td>
                <td className="number">{count(set.size)}</td>
                <td>
                  <LiveLink catalogue={catalogue} set={set} name={name} total={live.data?.get(set.setId)} />
                </td>
                <td className="soft">{set.createdAt ? moment(Number(set.createdAt) || set.createdAt) : ''}</td>
                <td>
                  <div className="row set-actions">
                    <CopyButton
                      className="button plain compact"
                      text={() => window.location.origin + href(address)}
                      label={texts.sets.copyLink}
                      icon="link"
                    />
                    <Popover
                      label={texts.sets.moreAbout(name)}
                      face={<Icon name="more" />}
                      className="button plain compact icon-only"
                    >
                      {(shut) => (
                        <>
                          <MenuItem
                            icon="edit"
                            onSelect={() => {
                              shut();
                              setOpen({ kind: 'rename', set });
                            }}
                          >
                            {texts.sets.rename}
                          </MenuItem>
                          <MenuItem
                            icon="trash"
                            onSelect={() => {
                              shut();
                              setOpen({ kind: 'delete', set });
                            }}
                          >
                            {texts.sets.delete}
                          </MenuItem>
                        </>
                      )}
                    </Popover>
                  </div>
                </td>
              </tr>
            );
          })}
        </DataTable>
      )}
      {open?.kind === 'upload' && <IdListDialog catalogue={catalogue} onClose={close} onSaved={reset} />}
      {open?.kind === 'combine' && picked.length > 1 && (
        <CombineDialog catalogue={catalogue} sets={picked} onClose={close} onSaved={reset} />
      )}
      {open?.kind === 'rename' && <RenameDialog catalogue={catalogue} set={open.set} onClose={close} onDone={reset} />}
      {open?.kind === 'delete' && (
        <ConfirmDialog
          title={texts.sets.deleteThis}
          action={texts.sets.delete}
          onClose={close}
          onConfirm={() => deleteSet(catalogue, open.set.setId)}
          onDone={reset}
        >
          <p>{texts.sets.willBeGone(open.set.name ?? '', count(open.set.size))}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}

interface LiveLinkProps {
  catalogue: Catalogue;
  set: SavedSet;
  name: string;
  /** How many records its filter finds now, once that is known. */
  total: number | undefined;
}

function LiveLink({ catalogue, set, name, total }: LiveLinkProps) {
  const filter = filterOf(set);
  if (filter === undefined) return <span className="faint">{texts.sets.fixedOnly}</span>;
  return (
    <Link to={`/explore/${encodeURIComponent(catalogue.id)}${writeState({ ...START, filter })}`}>
      {total === undefined ? texts.sets.open : counted(total, catalogue.documentType)}
      <span className="visually-hidden">{texts.sets.nameLive(name)}</span>
    </Link>
  );
}

function compareAddress(catalogue: Catalogue, first: SavedSet, second: SavedSet): string {
  const [a, b] = [first, second].map((set) => encodeURIComponent(stringify(asRoot(membersOf(set)))));
  return `/compare/${encodeURIComponent(catalogue.id)}?a=${a}&b=${b}`;
}

function addressOf(catalogue: Catalogue, set: SavedSet): string {
  return `/explore/${encodeURIComponent(catalogue.id)}${writeState({ ...START, filter: asRoot(membersOf(set)) })}`;
}
