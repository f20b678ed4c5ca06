// Two filters of a catalogue beside each other.

import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';

import type { Catalogue } from '../api/catalogue';
import { graphql } from '../api/client';
import { ExportMenu } from '../charts/ExportMenu';
import { DataTable } from '../design/DataTable';
import { count, counted } from '../design/format';
import { Icon } from '../design/Icon';
import { ErrorNotice, Loading, Notice, Skeleton } from '../design/Notice';
import { saveFile } from '../download/stream';
import { START, writeState } from '../explore/urlState';
import { extentRequest, readExtent, type Request } from '../explore/viewQuery';
import { sentence } from '../query/describe';
import { type Group, parse, stringify } from '../query/sqon';
import { listSets } from '../sets/api';
import { NotFound } from '../shell/App';
import { useTitle } from '../shell/branding';
import { useCatalogue } from '../shell/directory';
import { Link, useRouter } from '../shell/router';
import { texts } from '../texts';
import {
  type Comparison as ComparisonNumbers,
  comparisonCsv,
  comparisonRequest,
  isNotable,
  readComparison,
  share,
} from './compare';
import { SideChoice } from './SideChoice';
import { probability } from './statistics';
import './compare.css';

export default function ComparePage({ rest: [id, ...others] }: { rest: string[] }) {
  const { data, error, retry } = useCatalogue(id ?? '');
  useTitle(data ? texts.compare.comparisonOf(data.label) : '');
  if (!id || others.length) return <NotFound />;
  if (error)
    return (
      <div className="page">
        <ErrorNotice error={error} retry={retry} title={texts.compare.cannotBeShown} />
      </div>
    );
  if (!data) return <Loading what={texts.compare.theCatalogue} />;
  return <Comparison catalogue={data} />;
}

/** Reads the filters of an address. */
function readSides(search: string): { sides: [Group | null, Group | null]; problem: string | null } {
  const given = new URLSearchParams(search);
  try {
    return { sides: [parse(given.get('a') ?? ''), parse(given.get('b') ?? '')], problem: null };
  } catch (error) {
    return { sides: [null, null], problem: texts.compare.filterLeftOut((error as Error).message) };
  }
}

async function fetchComparison(
  catalogue: Catalogue,
  sides: [Group | null, Group | null],
  signal: AbortSignal,
): Promise<ComparisonNumbers> {
  const ask = ({ query, variables }: Request) =>
    graphql<Record<string, unknown>>(catalogue.graphqlPath, query, variables, signal);
  const { bins } = readExtent(catalogue, await ask(extentRequest(catalogue)));
  return readComparison(catalogue, bins, await ask(comparisonRequest(catalogue, bins, ...sides)));
}

function Comparison({ catalogue }: { catalogue: Catalogue }) {
  const { search, navigate } = useRouter();
  const { sides, problem } = useMemo(() => readSides(search), [search]);
  const { data, error, refetch } = useQuery({
    queryKey: ['comparison', catalogue.graphqlPath, sides],
    queryFn: ({ signal }) => fetchComparison(catalogue, sides, signal),
    structuralSharing: false,
  });
  const { data: sets } = useQuery({
    queryKey: ['sets', catalogue.id],
    queryFn: ({ signal }) => listSets(catalogue, signal),
    enabled: catalogue.hasSets,
  });
  const setNames = new Map(sets?.flatMap(({ setId, name }) => (name ? [[setId, name] as const] : [])));
  const names = ['A', 'B'] as const;
  const { number } = texts.compare;
  const choose = (index: number, text: string) => {
    const [a = '', b = ''] = sides.map((side, at) => (at === index ? text : stringify(side)));
    navigate(`/compare/${encodeURIComponent(catalogue.id)}?${new URLSearchParams({ a, b }).toString()}`);
  };
  const save = () => {
    if (!data) return;
    saveFile(new Blob([comparisonCsv(data)], { type: 'text/csv' }), `${catalogue.id}-comparison.csv`);
  };
  return (
    <div className="page stack loose">
      <div className="stack tight">
        <nav aria-label={texts.compare.place} className="small">
          <Link to={`/explore/${encodeURIComponent(catalogue.id)}`}>{catalogue.label}</Link>{' '}
          <span className="faint">/</span> {texts.compare.comparison}
        </nav>
        <div className="row wrap spread">
          <h1>{texts.compare.comparisonOf(catalogue.label)}</h1>
          <button type="button" className="button" disabled={!data} onClick={save}>
            <Icon name="download" />
            CSV
          </button>
        </div>
      </div>
      {problem && (
        <Notice kind="warning">
          <p>{problem}</p>
        </Notice>
      )}
      <div className="compare-sides">
        {sides.map((filter, index) => (
          <section key={names[index]} className="card stack tight" aria-label={texts.compare.side(names[index] ?? '')}>
            <h2>
              {names[index]}
              {data && (
                <span className="faint number"> {counted(data.totals[index] ?? 0, catalogue.documentType)}</span>
              )}
            </h2>
            <Link to={`/explore/${encodeURIComponent(catalogue.id)}${writeState({ ...START, filter })}`}>
              {filter ? sentence(filter, catalogue, setNames) : texts.compare.everything}
            </Link>
            {sets && sets.length > 0 && (
              <SideChoice
                name={names[index] ?? ''}
                filter={filter}
                sets={sets}
                onChoose={(text) => choose(index, text)}
              />
            )}
          </section>
        ))}
      </div>
      {data && data.shared > 0 && (
        <Notice kind="plain">
          <p>{texts.compare.onBothSides(counted(data.shared, catalogue.documentType), data.shared === 1)}</p>
        </Notice>
      )}
      {error && <ErrorNotice error={error} retry={refetch} title={texts.compare.notFetched} />}
      {!data && !error && <Skeleton lines={12} />}
      {data?.facets.map((compared) => (
        <section key={compared.facet.field.name} className="stack tight">
          <div className="row">
            <h2>{compared.facet.label}</h2>
            <ExportMenu
              numbers={{
                title: compared.facet.label,
                rowsAre: compared.facet.label,
                series: [...names],
                rows: compared.values.map(({ text, counts }) => ({ label: text, counts })),
              }}
            />
          </div>
          {compared.p !== null && (
            <p className="small">{texts.compare.distributionDiffers(number(probability(compared.p)))}</p>
          )}
          <DataTable
            label={compared.facet.label}
            headings={[
              texts.compare.value,
              { number: 'A' },
              { number: texts.compare.shareOf('A') },
              { number: 'B' },
              { number: texts.compare.shareOf('B') },
              { number: 'p' },
            ]}
          >
            {compared.values.map(({ value, text, counts, p }) => (
              <tr key={String(value)}>
                <td>{text}</td>
                <td className="number">{count(counts[0])}</td>
                <td className="number">{number(share(counts[0], data.totals[0]))}</td>
                <td className="number">{count(counts[1])}</td>
                <td className="number">{number(share(counts[1], data.totals[1]))}</td>
                <td className="number">
                  {p !== null &&
                    (isNotable(p, compared) ? <strong>{number(probability(p))}</strong> : number(probability(p)))}
                </td>
              </tr>
            ))}
          </DataTable>
        </section>
      ))}
      <p className="soft small">{texts.compare.aboutP}</p>
    </div>
  );
}
