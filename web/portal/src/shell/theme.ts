// The colour theme: the system's, unless the user chose one.

import { useEffect, useState } from 'react';

export type Theme = 'light' | 'dark';

const NAME = 'cantata-theme';
const dark = window.matchMedia('(prefers-color-scheme: dark)');

function current(): Theme {
  const chosen = localStorage.getItem(NAME);
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return dark.matches ? 'dark' : 'light';
}

/** Shows the theme before the first paint. */
export function applyTheme(): void {
  document.documentElement.dataset.theme = current();
}

export function useTheme(): [Theme, () => void] {
  const [theme, setTheme] = useState(current);
  useEffect(() => {
    const update = () => setTheme(current());
    dark.addEventListener('change', update);
    return () => dark.removeEventListener('change', update);
  }, []);
  useEffect(applyTheme, [theme]);
  const toggle = () => {
    localStorage.setItem(NAME, theme === 'dark' ? 'light' : 'dark');
    setTheme(current());
  };
  return [theme, toggle];
}
