// The search box of a catalogue: offers values of facets and of records while the user types; Enter filters by
// everything that contains the text.

import { useEffect, useId, useRef, useState } from 'react';

import type { Catalogue } from '../api/catalogue';
import { count } from '../design/format';
import { Icon } from '../design/Icon';
import { Marked } from '../design/Marked';
import { useExplore } from '../explore/context';
import { texts } from '../texts';
import { withPart, withValue } from './edit';
import { canFind, containing, type Finding } from './findings';
import type { Group } from './sqon';
import { MIN_LENGTH, useFindings } from './useFindings';

export function QuickSearch() {
  const { catalogue, state, setFilter } = useExplore();
  const [text, setText] = useState('');
  const [at, setAt] = useState(-1);
  const [open, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const wanted = text.trim();
  const { groups, isLooking } = useFindings(catalogue, wanted);
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
  if (!canFind(catalogue)) return null;
  const offered = groups.flatMap(({ findings }) => findings);
  const take = (filter: Group | null) => {
    setFilter(filter);
    setText('');
    setAt(-1);
    setOpen(false);
  };
  const takeValue = ({ field, value }: Finding) =>
    take(withValue(state.filter, catalogue.exactField(field).name, value, catalogue.nesting));
  const takeAll = () => wanted && take(withPart(state.filter, containing(catalogue, wanted), catalogue.nesting));
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setOpen(true);
      const number = offered.length;
      if (number)
        setAt((before) =>
          event.key === 'ArrowDown' ? ((before + 2) % (number + 1)) - 1 : ((before + number + 1) % (number + 1)) - 1,
        );
    } else if (event.key === 'Enter') {
      event.preventDefault();
      const chosen = offered[at];
      if (chosen) takeValue(chosen);
      else takeAll();
    } else if (event.key === 'Escape') {
      setOpen(false);
      setAt(-1);
    }
  };
  const shows = open && wanted !== '';
  return (
    <div
      className="quick-search"
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false);
      }}
    >
      <Icon name="search" />
      <label className="visually-hidden" htmlFor={id}>
        {texts.query.search(catalogue.label)}
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
          <div role="listbox" id={`${id}-list`} aria-label={texts.query.matches}>
            {groups.map(({ path, label, findings }, group) => (
              <div key={path} role="group" aria-labelledby={`${id}-group-${group}`}>
                <div id={`${id}-group-${group}`} className="quick-group" role="presentation">
                  {label}
                </div>
                {findings.map((finding) => {
                  const index = offered.indexOf(finding);
                  return (
                    <div
                      key={finding.value}
                      id={`${id}-${index}`}
                      role="option"
                      aria-selected={index === at}
                      className="menu-item"
                      onPointerDown={(event) => {
                        event.preventDefault();
                        takeValue(finding);
                      }}
                    >
                      <span className="grow quick-value">
                        <Marked text={finding.text} wanted={wanted} />
                      </span>
                      {/* Beside other conditions fewer records would be found. */}
                      {finding.records !== null && !state.filter && (
                        <span className="faint small number">{count(finding.records)}</span>
                      )}
                    </div>
                  );
                })}
              </div>
            ))}
          </div>
          {offered.length === 0 && (
            <p className="quick-none">
              {wanted.length < MIN_LENGTH
                ? texts.query.keepTyping
                : isLooking
                  ? texts.query.looking
                  : texts.query.noMatch}
            </p>
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
              <span className="grow">{texts.query.everythingWith(wanted)}</span>
              <kbd>{texts.query.enterKey}</kbd>
            </button>
          )}
        </div>
      )}
    </div>
  );
}

function placeholder({ quickFields, facets }: Catalogue): string {
  const labels = [...new Set([...quickFields, ...facets.map(({ field }) => field)].map(({ label }) => label))];
  return texts.query.searchIn(labels.slice(0, 2).join(', '), labels.length > 2);
}
