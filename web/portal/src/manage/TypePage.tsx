// The versions of an analysis type, two of them side by side.

import { useQuery } from '@tanstack/react-query';
import { useId, useMemo, useState } from 'react';

import type { AnalysisType } from '../api/types';
import { Icon } from '../design/Icon';
import { ErrorNotice, Skeleton } from '../design/Notice';
import { ScrollX } from '../design/ScrollX';
import { useTitle } from '../shell/branding';
import { Link } from '../shell/router';
import { texts } from '../texts';
import { versionsOf } from './api';
import { diff } from './diff';
import { differences } from './typeDictionary';

export default function TypePage({ name }: { name: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['types', name],
    queryFn: ({ signal }) => versionsOf(name, signal),
  });
  const [pair, setPair] = useState<[number, number] | null>(null);
  const id = useId();
  const words = texts.manage.type;
  useTitle(name);
  if (error) return <ErrorNotice error={error} retry={refetch} title={words.cannotBeShown} />;
  if (!data) return <Skeleton lines={12} />;
  const [right, left] = pair ? [pair[1], pair[0]] : [data[0]?.version ?? 1, data[1]?.version ?? data[0]?.version ?? 1];
  const find = (version: number) => data.find((each) => each.version === version);
  const choice = (side: string, label: string, value: number, onChoose: (version: number) => void) => (
    <div className="field">
      <label htmlFor={`${id}${side}`}>{label}</label>
      <select id={`${id}${side}`} value={value} onChange={(event) => onChoose(Number(event.target.value))}>
        {data.map(({ version }) => (
          <option key={version} value={version}>
            {words.version(version)}
          </option>
        ))}
      </select>
    </div>
  );
  return (
    <>
      <div className="stack tight">
        <nav aria-label={texts.manage.place} className="small">
          <Link to="/manage/types">{texts.manage.areas.types}</Link> <span className="faint">/ {name}</span>
        </nav>
        <div className="row wrap spread">
          <h1>{name}</h1>
          <div className="row wrap">
            <Link className="button" to={`/manage/types/${encodeURIComponent(name)}/dictionary?version=${right}`}>
              <Icon name="book" />
              {words.dictionary}
            </Link>
            <Link className="button" to={`/manage/types/${encodeURIComponent(name)}/edit`}>
              <Icon name="edit" />
              {words.makeNext}
            </Link>
          </div>
        </div>
      </div>
      <section className="card stack" aria-label={words.comparison}>
        <div className="row wrap">
          {choice('left', words.compare, left, (version) => setPair([version, right]))}
          {choice('right', words.compareWith, right, (version) => setPair([left, version]))}
        </div>
        <Words left={find(left)} right={find(right)} />
        <Comparison left={find(left)} right={find(right)} />
      </section>
    </>
  );
}

/** How two versions differ, in words. */
function Words({ left, right }: { left: AnalysisType | undefined; right: AnalysisType | undefined }) {
  const said = useMemo(() => (left && right ? differences(left, right) : []), [left, right]);
  if (!left || !right || left.version === right.version) return null;
  return (
    <div className="stack tight">
      <h2>{texts.manage.type.whatDiffers(right.version, left.version)}</h2>
      {said.length ? (
        <ul aria-label={texts.manage.type.differences}>
          {said.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      ) : (
        <p className="soft">{texts.manage.type.noDifference}</p>
      )}
    </div>
  );
}

function textOf(type: AnalysisType | undefined): string {
  return type ? JSON.stringify({ options: type.options, schema: type.schema }, null, 2) : '';
}

function Comparison({ left, right }: { left: AnalysisType | undefined; right: AnalysisType | undefined }) {
  const words = texts.manage.type;
  const rows = diff(textOf(left), textOf(right));
  const isSame = rows.every((row) => row.left === row.right);
  return (
    <ScrollX label={words.twoVersions}>
      {isSame && left?.version !== right?.version && <p className="soft">{words.areSame}</p>}
      <table className="diff">
        <thead>
          <tr>
            <th scope="col">{left && words.version(left.version)}</th>
            <th scope="col">{right && words.version(right.version)}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // Lines have no identity but their number.
            <tr key={index}>
              <td className={row.left !== row.right && row.left !== null ? 'removed' : ''}>{row.left}</td>
              <td className={row.left !== row.right && row.right !== null ? 'added' : ''}>{row.right}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}
