// All facets of a catalogue, with a search over their names.

import { useId, useState } from 'react';

import type { Facet } from '../api/catalogue';
import { Icon } from '../design/Icon';
import { Skeleton } from '../design/Notice';
import { Popover } from '../design/Popover';
import { useExplore } from '../explore/context';
import { hasOwn, withoutField } from '../query/edit';
import { texts } from '../texts';
import { countable } from './chosenFacets';
import { FieldPicker } from './FieldPicker';
import { RangeFacet } from './RangeFacet';
import { TermsFacet } from './TermsFacet';
import './facets.css';

export function FacetPanel() {
  const { catalogue, state, view, change } = useExplore();
  const [search, setSearch] = useState('');
  const id = useId();
  const text = search.trim().toLowerCase();
  const chosen = catalogue.facets.filter(({ inPanel }) => inPanel);
  const facets = chosen.filter(({ label, field }) => !text || `${label} ${field.name}`.toLowerCase().includes(text));
  const toggle = (facet: Facet) => {
    const rest = chosen.filter((each) => each.field !== facet.field);
    const next = rest.length < chosen.length ? rest : [...chosen, facet];
    change({ ...state, facets: next.map(({ field }) => field.name) });
  };
  return (
    <div className={`facets ${view.error ? 'outdated' : ''}`}>
      <div className="facets-search">
        <Icon name="search" />
        <label className="visually-hidden" htmlFor={id}>
          {texts.facets.find}
        </label>
        <input
          id={id}
          type="search"
          placeholder={texts.facets.findAmong(chosen.length)}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <Popover
          label={texts.facets.choose}
          face={<Icon name="edit" />}
          className="button plain compact icon-only"
          panelClass="facets-picker"
        >
          {() => (
            <FieldPicker
              title={texts.facets.filters}
              chosen={chosen}
              all={countable(catalogue)}
              onToggle={toggle}
              onReset={state.facets ? () => change({ ...state, facets: null }) : null}
            />
          )}
        </Popover>
      </div>
      {!view.answer && view.loading && (
        <div className="facet">
          <Skeleton lines={12} />
        </div>
      )}
      {view.answer &&
        facets.map((facet) => <FacetSection key={facet.field.name} facet={facet} isFound={text !== ''} />)}
      {facets.length === 0 && (
        <p className="facet soft">{text ? texts.facets.noneCalled(search) : texts.facets.none}</p>
      )}
    </div>
  );
}

function FacetSection({ facet, isFound }: { facet: Facet; isFound: boolean }) {
  const { state, setFilter, extent, catalogue, view } = useExplore();
  const { field, label } = facet;
  const used = hasOwn(state.filter, field.name);
  const [open, setOpen] = useState(facet.show || used);
  const id = useId();
  const isOpen = open || isFound;
  const bins = extent?.bins.get(field.name);
  const clear = () => setFilter(withoutField(state.filter, field.name, catalogue.nesting));
  const around = field.nestedIn ? catalogue.fields.get(field.nestedIn)?.label : undefined;
  return (
    <section className="facet" aria-labelledby={id}>
      <div className="facet-head">
        <h3 id={id}>
          <button type="button" className="facet-title" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            <Icon name={isOpen ? 'down' : 'right'} size={14} />
            <span className="grow">
              {label}
              {around && !label.includes(around) && <span className="facet-around"> {around}</span>}
            </span>
          </button>
        </h3>
        {used && (
          <button type="button" className="button plain compact" onClick={clear}>
            {texts.facets.clear}
            <span className="visually-hidden"> {label}</span>
          </button>
        )}
      </div>
      {isOpen &&
        (bins ? (
          <RangeFacet key={JSON.stringify(bins.edges)} field={field} label={label} bins={bins} />
        ) : view.answer?.terms.has(field.name) ? (
          <TermsFacet field={field} label={label} />
        ) : (
          <p className="facet-none">{texts.facets.noValues}</p>
        ))}
    </section>
  );
}
