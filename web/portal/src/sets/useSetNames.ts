// The names of the sets that a filter mentions.

import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';

import type { Catalogue } from '../api/catalogue';
import type { Group } from '../query/sqon';
import { listSets } from './api';

export function useSetNames(catalogue: Catalogue, filter: Group | null): ReadonlyMap<string, string> {
  const mentioned = [...new Set(JSON.stringify(filter ?? '').match(/set_id:[^"]+/g) ?? [])].join(' ');
  const { data } = useQuery({
    queryKey: ['sets', catalogue.id, mentioned],
    queryFn: ({ signal }) => listSets(catalogue, signal),
    enabled: mentioned !== '',
  });
  return useMemo(
    () => new Map((data ?? []).flatMap(({ setId, name }) => (name ? [[setId, name] as const] : []))),
    [data],
  );
}
