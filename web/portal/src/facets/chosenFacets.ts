// Which facets a page has: those configured or those that the user chose, and what its charts count besides.

import { canCount, type Catalogue, type Facet } from '../api/catalogue';
import type { ExploreState } from '../explore/urlState';

/** Returns a facet for every field that can be counted, configured ones first. */
export function countable({ facets, fields }: Catalogue): Facet[] {
  const known = new Set(facets.map(({ field }) => field.name));
  const others = [...fields.values()].filter((field) => canCount(field) && !known.has(field.name));
  return [...facets, ...others.map((field): Facet => ({ field, label: field.label, show: true, inPanel: false }))];
}

type FacetChoices = Pick<ExploreState, 'facets' | 'charts' | 'cross'>;

/** Returns a catalogue with the facets that an address asks for; null: as configured. */
export function withFacets(catalogue: Catalogue, { facets: chosen, charts, cross }: FacetChoices): Catalogue {
  if (!chosen && !charts && !cross) return catalogue;
  const all = new Map(countable(catalogue).map((facet) => [facet.field.name, facet]));
  const names = chosen ?? catalogue.facets.map(({ field }) => field.name);
  const drawn = [...(charts ?? []).map(({ field }) => field), ...(cross ? [cross.first, cross.second] : [])];
  const counted = [...new Set([...names, ...drawn])];
  const facets = counted.flatMap((name): Facet[] => {
    const facet = all.get(name);
    return facet ? [{ ...facet, inPanel: names.includes(name) }] : [];
  });
  return { ...catalogue, facets };
}
