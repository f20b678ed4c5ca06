// A search over all catalogues at once; a match leads to its records.

import { useId, useState } from 'react';

import { count } from '../design/format';
import { Icon } from '../design/Icon';
import { Marked } from '../design/Marked';
import { START, writeState } from '../explore/urlState';
import { withPart, withValue } from '../query/edit';
import { canFind, containing } from '../query/findings';
import type { Group } from '../query/sqon';
import { MIN_LENGTH, useFindings } from '../query/useFindings';
import { useCatalogue } from '../shell/directory';
import { Link } from '../shell/router';
import { texts } from '../texts';

export function HomeSearch({ ids }: { ids: string[] }) {
  const [text, setText] = useState('');
  const id = useId();
  const wanted = text.trim();
  return (
    <div className="home-search" role="search">
      <div className="quick-search">
        <Icon name="search" />
        <label className="visually-hidden" htmlFor={id}>
          {texts.home.search}
        </label>
        <input
          id={id}
          type="search"
          autoComplete="off"
          placeholder={texts.home.searchHint}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      {wanted.length >= MIN_LENGTH && (
        <div className="home-findings">
          {ids.map((each) => (
            <CatalogueFindings key={each} id={each} text={wanted} />
          ))}
        </div>
      )}
    </div>
  );
}

/** What a text finds in one catalogue; nothing of a catalogue that cannot be searched. */
function CatalogueFindings({ id, text }: { id: string; text: string }) {
  const { data: catalogue } = useCatalogue(id);
  const { groups, isLooking } = useFindings(catalogue, text);
  if (!catalogue || !canFind(catalogue)) return null;
  const to = (filter: Group | null) => `/explore/${encodeURIComponent(id)}${writeState({ ...START, filter })}`;
  return (
    <section className="card" aria-label={texts.home.matches(catalogue.label)} aria-busy={isLooking}>
      <h2>{catalogue.label}</h2>
      {groups.length === 0 && <p className="soft">{isLooking ? texts.home.looking : texts.home.noMatch}</p>}
      {groups.map(({ path, label, findings }) => (
        <div key={path}>
          <h3 className="label">{label}</h3>
          <ul>
            {findings.map(({ field, value, text: shown, records }) => (
              <li key={value}>
                <Link
                  className="home-value"
                  to={to(withValue(null, catalogue.exactField(field).name, value, catalogue.nesting))}
                >
                  <span className="home-name">
                    <Marked text={shown} wanted={text} />
                  </span>
                  {records !== null && <span className="number small faint">{count(records)}</span>}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
      {groups.length > 0 && (
        <Link to={to(withPart(null, containing(catalogue, text), catalogue.nesting))}>
          {texts.home.everything(text)}
        </Link>
      )}
    </section>
  );
}
