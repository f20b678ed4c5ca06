// What the fields of a form share.

import { createContext, useContext } from 'react';

import type { Schema } from '../manage/jsonSchema';

interface FormScope {
  root: Schema;
  /** What is wrong at a place. */
  mistakesAt: (place: string) => string[];
  /** A field has had the focus; from now on its mistakes are shown. */
  touch: (place: string) => void;
  /** Says that the text of a field cannot be read, or null when it can. */
  setUnreadable: (place: string, reason: string | null) => void;
}

export const FormScopeContext = createContext<FormScope | null>(null);

export function useFormScope(): FormScope {
  const scope = useContext(FormScopeContext);
  if (!scope) throw new Error('There is no form around this field.');
  return scope;
}
