// What the server says about a payload before it is stored.

import { useQuery } from '@tanstack/react-query';

import { ApiError, messageOf } from '../api/client';
import { queryClient } from '../api/queryClient';
import { useSettled } from '../design/useSettled';
import { renderedType, submit } from '../manage/api';
import type { Schema } from '../manage/jsonSchema';
import { allowedAt } from '../manage/schemaParts';
import { type Violation, violationsIn } from '../manage/violations';
import { texts } from '../texts';

/** Why a payload is refused; nothing is wrong where both are empty. */
export interface Verdict {
  violations: Violation[];
  /** Anything else than violations of the schema. */
  reason: unknown;
}

/** Reads why the server refused a payload; each violation says what is allowed where the schema is known. */
export function verdictOf(error: unknown, root?: Schema): Verdict {
  if (!(error instanceof ApiError)) return { violations: [], reason: error };
  const violations = refusedFor(error.id, messageOf(error), root);
  return violations.length ? { violations, reason: null } : { violations, reason: error };
}

/** Returns the violations that a refusal names. */
export function refusedFor(errorId: string | undefined, message: string, root?: Schema): Violation[] {
  if (errorId !== 'schema.violation') return [];
  return violationsIn(message).map((violation) => (root === undefined ? violation : withAllowed(violation, root)));
}

const REFUSED_VALUE = / is not a valid enum value$/;

function withAllowed(violation: Violation, root: Schema): Violation {
  const { at, text } = violation;
  const allowed = REFUSED_VALUE.test(text) ? allowedAt(at, root) : '';
  return allowed ? { at, text: texts.submit.notValid(text.replace(REFUSED_VALUE, ''), allowed) } : violation;
}

/** Adds what is allowed to the violations of a payload, by the schema of its type; where that is unknown they stay. */
export async function explained(violations: Violation[], payload: string): Promise<Violation[]> {
  if (!violations.some(({ text }) => REFUSED_VALUE.test(text))) return violations;
  try {
    const { name = '', version } = (JSON.parse(payload) as { analysisType: { name?: string; version?: number } })
      .analysisType;
    const { schema = {} } = await queryClient.fetchQuery({
      queryKey: ['types', name, 'rendered', version],
      queryFn: ({ signal }) => renderedType(name, signal, version),
      staleTime: Infinity,
    });
    return violations.map((violation) => withAllowed(violation, schema));
  } catch {
    return violations;
  }
}

/** Asks the server about a payload, again whenever it has changed; undefined while there is no answer for this text. */
export function useVerdict(study: string, payload: string, isAsked: boolean, root?: Schema): Verdict | undefined {
  const settled = useSettled(payload);
  const { data } = useQuery({
    queryKey: ['verdict', study, settled],
    queryFn: () =>
      submit(study, settled, true).then(
        (): Verdict => ({ violations: [], reason: null }),
        (error: unknown) => verdictOf(error, root),
      ),
    enabled: isAsked && study !== '',
    staleTime: 0,
    gcTime: 0,
  });
  return isAsked && settled === payload ? data : undefined;
}
