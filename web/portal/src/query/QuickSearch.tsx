// The search box: suggests single values while the user types; Enter filters by everything that contains the text.

import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';

import type { Catalogue, Field } from '../api/catalogue';
import { graphql } from '../api/client';
import { valueText } from '../design/format';
import { Icon } from '../design/Icon';
import { useExplore } from '../explore/context';
import { withPart } from './edit';
import { leaf, type Leaf } from './sqon';

interface Suggestion {
  field: Field;
  value: string;
}

/** How long typing must pause before suggestions are fetched. */
const DEBOUNCE_MS = 200;
/** From how many characters on there are suggestions. */
const MIN_LENGTH = 2;
const MAX_SUGGESTIONS = 8;

export function QuickSearch() {
  const { catalogue, state, setFilter } = useExplore();
  const [text, setText] = useState('');
  const [asked, setAsked] = useState('');
  const [at, setAt] = useState(-1);
  const [open, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text.trim()), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  useEffect(() => {
    const toSearch = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.closest('input, textarea, select, dialog');
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      input.current?.focus();
    };
    document.addEventListener('keydown', toSearch);
    return () => document.removeEventListener('keydown', toSearch);
  }, []);
  const { data: found = [], isFetching } = useQuery({
    queryKey: ['suggestions', catalogue.id, asked],
    queryFn: ({ signal }) => suggest(catalogue, asked, signal),
    enabled: asked.length >= MIN_LENGTH,
  });
  if (catalogue.quickFields.length === 0) return null;
  const offered = text.trim() && asked === text.trim() ? found : [];
  const take = (part: Leaf) => {
    setFilter(withPart(state.filter, part));
    setText('');
    setAt(-1);
    setOpen(false);
  };
  const takeAll = () => text.trim() && take(containing(catalogue, text.trim()));
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setOpen(true);
      const count = offered.length;
      if (count)
        setAt((before) =>
          event.key === 'ArrowDown' ? ((before + 2) % (count + 1)) - 1 : ((before + count + 1) % (count + 1)) - 1,
        );
    } else if (event.key === 'Enter') {
      event.preventDefault();
      const chosen = offered[at];
      if (chosen) take(leaf('in', chosen.field.name, [chosen.value]));
      else takeAll();
    } else if (event.key === 'Escape') {
      setOpen(false);
      setAt(-1);
    }
  };
  const shows = open && text.trim() !== '';
  return (
    <div
      className="quick-search"
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false);
      }}
    >
      <Icon name="search" />
      <label className="visually-hidden" htmlFor={id}>
        Search {catalogue.quickFields.map(({ label }) => label).join(', ')}
      </label>
      <input
        ref={input}
        id={id}
        type="search"
        role="combobox"
        aria-expanded={shows}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
        autoComplete="off"
        value={text}
        onKeyDown={onKeyDown}
        placeholder={placeholder(catalogue)}
        onFocus={() => setOpen(true)}
        onChange={(event) => {
          setText(event.target.value);
          setAt(-1);
          setOpen(true);
        }}
      />
      {shows && (
        <div className="menu-panel quick-panel">
          <ul role="listbox" id={`${id}-list`} aria-label="Matches">
            {offered.map(({ field, value }, index) => (
              <li
                key={`${field.name} ${value}`}
                id={`${id}-${index}`}
                role="option"
                aria-selected={index === at}
                className="menu-item"
                onPointerDown={(event) => {
                  event.preventDefault();
                  take(leaf('in', field.name, [value]));
                }}
              >
                <span className="grow quick-value">{valueText(value, field)}</span>
                <span className="faint small">{field.label}</span>
              </li>
            ))}
          </ul>
          {offered.length === 0 && (
            <p className="quick-none">{isFetching || asked !== text.trim() ? 'Looking…' : 'No match'}</p>
          )}
          {offered.length > 0 && (
            <button
              type="button"
              className="menu-item quick-all"
              tabIndex={-1}
              onPointerDown={(event) => {
                event.preventDefault();
                takeAll();
              }}
            >
              <Icon name="search" />
              <span className="grow">Everything with “{text.trim()}”</span>
              <kbd>Enter</kbd>
            </button>
          )}
        </div>
      )}
    </div>
  );
}

function placeholder({ quickFields }: Catalogue): string {
  const [first, second] = quickFields;
  return `Search ${[first, second].flatMap((field) => (field ? [field.label] : [])).join(', ')}${quickFields.length > 2 ? ' …' : ''}`;
}

function containing(catalogue: Catalogue, text: string): Leaf {
  const value = /[*?]/.test(text) ? text : `*${text}*`;
  return { op: 'wildcard', content: { fieldNames: catalogue.quickFields.map(({ name }) => name), value } };
}

/** Returns single values that contain a text, from the records that match it best. */
async function suggest(catalogue: Catalogue, text: string, signal: AbortSignal): Promise<Suggestion[]> {
  const names = catalogue.quickFields
    .filter(({ isMultiField }) => !isMultiField)
    .map(({ selection }) => selection)
    .join(' ');
  const type = catalogue.documentType;
  const query = `query Suggest($filters: JSON) { ${type} { hits(filters: $filters, first: 20, sort: [{fieldName: "_score", order: desc}], trackTotalHits: false) { edges { node { id ${names} } } } } }`;
  const answer = await graphql<Record<string, { hits: { edges: { node: Record<string, unknown> }[] } }>>(
    catalogue.graphqlPath,
    query,
    { filters: containing(catalogue, text) },
    signal,
  );
  const wanted = text.toLowerCase().replace(/[*?]/g, '');
  const found = new Map<string, Suggestion>();
  for (const { node } of answer[type]?.hits.edges ?? []) {
    for (const field of catalogue.quickFields) {
      for (const value of [node[field.graphqlName]].flat(3)) {
        const isMatch = typeof value === 'string' && value.toLowerCase().includes(wanted);
        if (isMatch) found.set(`${field.name} ${value}`, { field, value });
      }
    }
  }
  return [...found.values()].slice(0, MAX_SUGGESTIONS);
}
