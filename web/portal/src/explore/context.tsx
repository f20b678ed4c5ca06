// What the parts of a catalogue's page share: the catalogue, the user's choices, and how to change them.

import { createContext, useContext } from 'react';

import type { Catalogue } from '../api/catalogue';
import type { Group } from '../query/sqon';
import type { ViewState } from './useView';
import type { ExploreState } from './urlState';
import type { Extent } from './viewQuery';

export interface Explore {
  catalogue: Catalogue;
  state: ExploreState;
  view: ViewState;
  extent: Extent | undefined;
  setNames: ReadonlyMap<string, string>;
  change: (next: ExploreState) => void;
  setFilter: (filter: Group | null) => void;
}

export const ExploreContext = createContext<Explore | null>(null);

export function useExplore(): Explore {
  const explore = useContext(ExploreContext);
  if (!explore) throw new Error('There is no catalogue around this component.');
  return explore;
}
