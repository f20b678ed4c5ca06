// A facet of values: the number of records for each, and which are included or excluded.

import { useQuery } from '@tanstack/react-query';
import { useId, useMemo, useState } from 'react';

import type { Field } from '../api/catalogue';
import { graphql } from '../api/client';
import { count, MISSING, valueText } from '../design/format';
import { Icon } from '../design/Icon';
import { type Bucket, readValues } from '../explore/answer';
import { useExplore } from '../explore/context';
import { isOfNetwork, valuesRequest } from '../explore/viewQuery';
import { barOf, type Share, textOf, valueShares } from '../network/shares';
import { type FieldFilter, filterOf, toggled, withFilter } from '../query/edit';
import type { Value } from '../query/sqon';
import { texts } from '../texts';

/** How many values are shown before “Show all”. */
const MAX_SHOWN = 6;
/** From how many values on a facet has a search box. */
const MIN_SEARCHABLE = 8;
/** How many values are fetched for “Show all”, and how many of them are shown at once. */
const MAX_VALUES = 10_000;
const MAX_LISTED = 300;

interface TermsFacetProps {
  field: Field;
  label: string;
}

export function TermsFacet({ field, label }: TermsFacetProps) {
  const { catalogue, state, setFilter, view } = useExplore();
  const [search, setSearch] = useState('');
  const [all, setAll] = useState(false);
  const counts = view.answer?.terms.get(field.name);
  const filter = useMemo(() => filterOf(state.filter, field.name), [state.filter, field.name]);
  const text = search.trim().toLowerCase();
  const isCut = counts !== undefined && counts.distinct > counts.buckets.length;
  const more = useAllValues(field, isCut && (text !== '' || all));
  const buckets = useMemo(
    () => withChosen(more ?? counts?.buckets ?? [], filter.values),
    [more, counts, filter.values],
  );
  const found = text ? buckets.filter(({ value }) => valueText(value, field).toLowerCase().includes(text)) : buckets;
  const shown = all || text ? found.slice(0, MAX_LISTED) : firstOf(found, filter.values);
  const most = Math.max(1, ...buckets.map((bucket) => bucket.count));
  const apply = (next: FieldFilter) => setFilter(withFilter(state.filter, field.name, next, catalogue.nesting));
  const distinct = Math.max(counts?.distinct ?? 0, buckets.length);

  return (
    <div className="facet-body">
      {distinct > MIN_SEARCHABLE && <FacetSearch label={label} search={search} onChange={setSearch} />}
      {(filter.values.length > 0 || text) && <Tools label={label} filter={filter} found={found} onChange={apply} />}
      {shown.length === 0 && <p className="facet-none">{text ? texts.facets.nothingFound : texts.facets.noValues}</p>}
      <ul>
        {shown.map(({ value, count: records }) => (
          <ValueRow
            key={String(value)}
            text={valueText(value, field)}
            count={records}
            share={records / most}
            nodes={valueShares(view.answer?.network, field.name, value)}
            isMissing={value === MISSING}
            isChosen={filter.values.includes(value)}
            isExcluding={filter.mode === 'exclude'}
            onToggle={() => apply(toggled(filter, value))}
          />
        ))}
      </ul>
      {!text && distinct > MAX_SHOWN && (
        <button type="button" className="facet-more" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? texts.facets.fewer : texts.facets.showAll(count(distinct))}
          <span className="visually-hidden">{texts.facets.valuesOf(label)}</span>
        </button>
      )}
    </div>
  );
}

/** Returns the first values and all chosen ones. */
function firstOf(buckets: Bucket[], chosen: Value[]): Bucket[] {
  return buckets.filter(({ value }, index) => index < MAX_SHOWN || chosen.includes(value));
}

/** A chosen value stays in the list when no record has it any more, so that it can be deselected. */
function withChosen(buckets: Bucket[], chosen: Value[]): Bucket[] {
  const known = new Set(buckets.map(({ value }) => value));
  const gone = chosen.filter((value) => !known.has(value) && !/^set_id:|\*/.test(String(value)));
  return [...buckets, ...gone.map((value) => ({ value, count: 0 }))];
}

/** Fetches all values of a facet when the user searches among them. */
function useAllValues(field: Field, isWanted: boolean): Bucket[] | undefined {
  const { catalogue, state } = useExplore();
  const ofNetwork = isOfNetwork(catalogue, state);
  const { data } = useQuery({
    queryKey: ['values', catalogue.id, field.graphqlName, state.filter, ofNetwork],
    queryFn: async ({ signal }) => {
      const { query, variables } = valuesRequest(catalogue, state, field, MAX_VALUES);
      const answer = await graphql<Record<string, unknown>>(catalogue.graphqlPath, query, variables, signal);
      return readValues(catalogue, answer, field, ofNetwork);
    },
    enabled: isWanted,
  });
  return isWanted ? data : undefined;
}

function FacetSearch({ label, search, onChange }: { label: string; search: string; onChange: (text: string) => void }) {
  const id = useId();
  return (
    <div className="facet-search">
      <label className="visually-hidden" htmlFor={id}>
        {texts.facets.search(label)}
      </label>
      <Icon name="search" size={14} />
      <input
        id={id}
        type="search"
        placeholder={texts.facets.searchValues}
        value={search}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}

interface ToolsProps {
  label: string;
  filter: FieldFilter;
  found: Bucket[];
  onChange: (next: FieldFilter) => void;
}

/** Buttons to include or exclude the chosen values, and to select all that were found. */
function Tools({ label, filter, found, onChange }: ToolsProps) {
  const values = found.map(({ value }) => value);
  const hasAll = values.length > 0 && values.every((value) => filter.values.includes(value));
  const all = () =>
    onChange({
      ...filter,
      values: hasAll
        ? filter.values.filter((value) => !values.includes(value))
        : [...new Set([...filter.values, ...values])],
    });
  return (
    <div className="row wrap facet-tools">
      <div className="segments" role="group" aria-label={texts.facets.chosen(label)}>
        <button
          type="button"
          aria-pressed={filter.mode === 'include'}
          onClick={() => onChange({ ...filter, mode: 'include' })}
        >
          {texts.facets.include}
        </button>
        <button
          type="button"
          aria-pressed={filter.mode === 'exclude'}
          onClick={() => onChange({ ...filter, mode: 'exclude' })}
        >
          {texts.facets.exclude}
        </button>
      </div>
      <button type="button" className="button plain compact" onClick={all}>
        {hasAll ? texts.facets.selectNone : texts.facets.selectAll}
      </button>
    </div>
  );
}

interface ValueRowProps {
  text: string;
  count: number;
  share: number;
  isChosen: boolean;
  isExcluding: boolean;
  isMissing: boolean;
  nodes: Share[];
  onToggle: () => void;
}

function ValueRow({ text, count: records, share, isChosen, isExcluding, isMissing, nodes, onToggle }: ValueRowProps) {
  const out = isChosen && isExcluding;
  return (
    <li>
      <label className={`facet-value ${out ? 'out' : ''} ${isMissing ? 'missing' : ''}`} title={textOf(nodes)}>
        <input type="checkbox" checked={isChosen} onChange={onToggle} className={out ? 'excluding' : ''} />
        <span className="facet-text" title={text}>
          {text}
          {out && <span className="visually-hidden">{texts.facets.excluded}</span>}
        </span>
        <span className="facet-count number">{count(records)}</span>
        <span className="facet-bar" aria-hidden="true">
          <span style={{ width: `${share * 100}%`, background: barOf(nodes, 'right') }} />
        </span>
      </label>
    </li>
  );
}
