// Names, texts, logo and colours that the operator configured.

import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';

import { json } from '../api/client';
import { texts } from '../texts';
import type { Theme } from './theme';

export interface Branding {
  name: string;
  /** The heading of the home page. */
  headline: string;
  introduction: string;
  /** A line at the foot of every page. */
  footer: string;
  links: { label: string; url: string }[];
  /** The path of the logo on the server; without one, the portal has its own. */
  logo: string;
  /** The colour of links and buttons, in each theme; without one, the portal has its own. */
  colours: Partial<Record<Theme, string>>;
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

const DEFAULTS: Omit<Branding, 'headline' | 'introduction'> = {
  name: 'Cantata',
  footer: '',
  links: [],
  logo: '',
  colours: {},
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
  const { headline, introduction } = texts.shell;
  return { ...DEFAULTS, headline, introduction, ...data };
}

/** Sets the title of the window. */
export function useTitle(title: string): void {
  const { name } = useBranding();
  useEffect(() => {
    document.title = title ? `${title} · ${name}` : name;
  }, [title, name]);
}

/** Returns the colours of the design that follow from one. */
export function accentColours(accent: string, theme: Theme): Record<string, string> {
  const [away, onAccent] = theme === 'dark' ? ['white', '#10161b'] : ['black', '#ffffff'];
  const mixed = (share: number, other: string) => `color-mix(in srgb, ${accent} ${share}%, ${other})`;
  return {
    '--accent': accent,
    '--accent-strong': mixed(75, away),
    '--accent-soft': mixed(14, 'var(--surface)'),
    '--accent-line': mixed(40, 'var(--surface)'),
    '--on-accent': onAccent,
    '--bar': mixed(50, 'var(--surface)'),
    '--bar-soft': mixed(20, 'var(--surface)'),
    '--series-0': accent,
  };
}

/** Shows the pages in the configured colours. */
export function useColours(theme: Theme): void {
  const { colours } = useBranding();
  const accent = colours[theme];
  useEffect(() => {
    if (!accent) return;
    const { style } = document.documentElement;
    const chosen = accentColours(accent, theme);
    for (const [name, value] of Object.entries(chosen)) style.setProperty(name, value);
    return () => {
      for (const name of Object.keys(chosen)) style.removeProperty(name);
    };
  }, [accent, theme]);
}
