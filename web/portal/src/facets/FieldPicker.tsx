// Chooses some of many fields: those chosen above, and a search among the others below.

import { useId, useState } from 'react';

import type { Facet } from '../api/catalogue';
import { texts } from '../texts';

/** How many fields are offered before a search narrows them down. */
const MAX_OFFERED = 60;

interface FieldPickerProps {
  title: string;
  chosen: Facet[];
  all: Facet[];
  onToggle: (facet: Facet) => void;
  /** Goes back to what is configured; null where nothing was changed. */
  onReset: (() => void) | null;
}

export function FieldPicker({ title, chosen, all, onToggle, onReset }: FieldPickerProps) {
  const [search, setSearch] = useState('');
  const id = useId();
  const names = new Set(chosen.map(({ field }) => field.name));
  const text = search.trim().toLowerCase();
  const others = all.filter(
    ({ field, label }) => !names.has(field.name) && `${label} ${field.name}`.toLowerCase().includes(text),
  );
  const row = (facet: Facet, isChosen: boolean) => (
    <li key={facet.field.name} className="columns-row">
      <label className="row" title={facet.field.name}>
        <input type="checkbox" checked={isChosen} onChange={() => onToggle(facet)} />
        <span className="columns-name">{facet.label}</span>
      </label>
    </li>
  );
  return (
    <div className="columns-panel stack">
      <div className="row spread">
        <strong>{title}</strong>
        <button type="button" className="button plain compact" disabled={!onReset} onClick={onReset ?? undefined}>
          {texts.facets.reset}
        </button>
      </div>
      <ul>{chosen.map((facet) => row(facet, true))}</ul>
      <div className="field">
        <label htmlFor={id}>{texts.facets.addField}</label>
        <input
          id={id}
          type="search"
          placeholder={texts.facets.findField}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      </div>
      <ul>
        {others.slice(0, MAX_OFFERED).map((facet) => row(facet, false))}
        {others.length === 0 && <li className="faint small">{text ? texts.facets.noField : texts.facets.allChosen}</li>}
      </ul>
    </div>
  );
}
