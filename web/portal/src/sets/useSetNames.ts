// The names of the sets that a filter mentions.

import { useMemo } from 'react';

import type { Catalogue } from '../api/catalogue';
import type { Group } from '../query/sqon';
import { useLoaded } from '../shell/useLoaded';
import { listSets } from './api';

export function useSetNames(catalogue: Catalogue, filter: Group | null): ReadonlyMap<string, string> {
  const mentioned = [...new Set(JSON.stringify(filter ?? '').match(/set_id:[^"]+/g) ?? [])].join(' ');
  const { data } = useLoaded(`${catalogue.id} ${mentioned}`, async (signal) =>
    mentioned ? listSets(catalogue, signal) : [],
  );
  return useMemo(
    () => new Map((data ?? []).flatMap(({ setId, name }) => (name ? [[setId, name] as const] : []))),
    [data],
  );
}
