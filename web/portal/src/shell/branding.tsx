// Names and texts that the operator configured.

import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';

import { json } from '../api/client';

export interface Branding {
  name: string;
  /** The heading of the home page. */
  headline: string;
  introduction: string;
  /** A line at the foot of every page. */
  footer: string;
  links: { label: string; url: string }[];
  version: string;
  scopes: Scopes;
  /** Whether changes need a key. */
  authentication: boolean;
}

/** The names of scopes on this server. */
export interface Scopes {
  /** The scope to write a study, with `{study}` where its id stands. */
  study: string;
  /** The scope for everything. */
  system: string;
}

const DEFAULTS: Branding = {
  name: 'Cantata',
  headline: 'Find the data you need',
  introduction:
    'Filter, compare and take away the records of every study in this catalogue. Nothing to install, nothing to learn first.',
  footer: '',
  links: [],
  version: '',
  scopes: { study: 'STUDY.{study}.WRITE', system: 'song.WRITE' },
  authentication: true,
};

export function useBranding(): Branding {
  const { data } = useQuery({
    queryKey: ['branding'],
    queryFn: ({ signal }) => json<Partial<Branding>>('/portal/settings.json', { signal }),
    staleTime: Infinity,
  });
  return { ...DEFAULTS, ...data };
}

/** Sets the title of the window. */
export function useTitle(title: string): void {
  const { name } = useBranding();
  useEffect(() => {
    document.title = title ? `${title} · ${name}` : name;
  }, [title, name]);
}
