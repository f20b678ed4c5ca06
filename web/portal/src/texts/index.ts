// The words of the pages, in the language of the reader. A page reads `texts` while it renders, never while its module
// is loaded: the language is known only after that. Names of fields, values and messages of the server stay as they are.

import type { Texts } from './en';

/** The languages by their own names. Each has one file, which is loaded only if it is shown. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;

export type Language = keyof typeof LANGUAGES;

const STORED = 'cantata.language';

const LOADERS: Record<Language, () => Promise<{ texts: Texts }>> = {
  en: () => import('./en'),
  de: () => import('./de'),
};

export let texts: Texts;

function isLanguage(code: string): code is Language {
  return code in LANGUAGES;
}

/** Returns what the reader chose, else the first language of the browser that there is. */
export function language(): Language {
  const codes = [localStorage.getItem(STORED) ?? '', ...navigator.languages.map((code) => code.slice(0, 2))];
  return codes.find(isLanguage) ?? 'en';
}

/** Loads the words; nothing may be rendered before it. */
export async function loadTexts(code: Language): Promise<void> {
  texts = (await LOADERS[code]()).texts;
}

/** Shows the portal in another language. */
export function chooseLanguage(code: Language): void {
  localStorage.setItem(STORED, code);
  location.reload();
}
