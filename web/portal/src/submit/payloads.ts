// Many payloads: in one text, and sent in one request.

import { ApiError, messageOf, send } from '../api/client';
import type { Violation } from '../manage/violations';
import { texts } from '../texts';
import { explained, refusedFor } from './verdict';

/**
 * Returns the payloads of a text: one, a JSON array, or one after the other, as in NDJSON. Each keeps its text, so that
 * numbers keep their digits.
 */
export function payloadsIn(text: string): { payloads: string[]; mistake: string | null } {
  const payloads: string[] = [];
  const level = /^\s*\[/.test(text) ? 1 : 0;
  let depth = 0;
  let begin = -1;
  let between = '';
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (sign === '"') {
      if (begin < 0) between += sign;
      for (at += 1; at < text.length && text[at] !== '"'; at += 1) if (text[at] === '\\') at += 1;
    } else if (sign === '{' || sign === '[') {
      if (depth === level && begin < 0) begin = at;
      depth += 1;
    } else if (sign === '}' || sign === ']') {
      depth -= 1;
      if (depth === level && begin >= 0) {
        payloads.push(text.slice(begin, at + 1));
        begin = -1;
      }
    } else if (begin < 0) between += sign;
  }
  if (begin >= 0) payloads.push(text.slice(begin));
  return { payloads, mistake: mistakeIn(payloads, between) };
}

/** Says why a text is not one payload, or null. */
export function mistakeOf(text: string): string | null {
  const { payloads, mistake } = payloadsIn(text);
  if (mistake !== null || payloads.length === 1) return mistake;
  return texts.submit.notOnePayload(payloads.length);
}

function mistakeIn(payloads: string[], between: string): string | null {
  const words = texts.submit;
  for (const [index, payload] of payloads.entries()) {
    try {
      JSON.parse(payload);
    } catch (error) {
      const reason = messageOf(error);
      return payloads.length > 1 ? words.payloadNotJson(index + 1, reason) : words.notJson(reason);
    }
  }
  const other = between.replace(/[\s,]+/g, '');
  return other ? words.notJson(words.outsideOfPayloads(other.slice(0, 20))) : null;
}

/** What became of a payload, or would become of it. */
export interface PayloadResult {
  analysisId: string | null;
  violations: Violation[];
  /** Why it was refused, unless for violations. */
  reason: string | null;
}

interface BatchLine {
  index: number;
  status: 'OK' | 'ERROR';
  analysisId?: string;
  errorId?: string;
  message?: string;
}

/** Sends all payloads in one request, to be stored or only to be checked; returns a result for each. */
export async function submitAll(study: string, payloads: string[], isCheck: boolean): Promise<PayloadResult[]> {
  // A text has no line break within a string, so every break is space.
  const body = payloads.map((payload) => `${payload.replace(/[\r\n]+/g, ' ')}\n`).join('');
  const path = `/submit/${encodeURIComponent(study)}/batch${isCheck ? '?validateOnly=true' : ''}`;
  const response = await send(path, { method: 'POST', body, contentType: 'application/x-ndjson' });
  const results = readResults(await response.text(), payloads.length);
  return Promise.all(
    results.map(async (result, index) => ({
      ...result,
      violations: await explained(result.violations, payloads[index] ?? ''),
    })),
  );
}

/** Reads the lines of an answer. */
export function readResults(answer: string, expected: number): PayloadResult[] {
  const results = answer
    .split('\n')
    .filter(Boolean)
    .map((line) => resultOf(JSON.parse(line) as BatchLine));
  if (results.length < expected) throw new ApiError(texts.submit.missingAnswers(results.length, expected), 0);
  return results;
}

function resultOf({ status, analysisId, errorId, message = '' }: BatchLine): PayloadResult {
  if (status === 'OK') return { analysisId: analysisId ?? null, violations: [], reason: null };
  const said = message.replace(/^\[[^\]]*\] - /, '');
  const violations = refusedFor(errorId, said);
  return { analysisId: null, violations, reason: violations.length ? null : said };
}

/** Says whether nothing is wrong. */
export function isGood({ violations, reason }: PayloadResult): boolean {
  return violations.length === 0 && reason === null;
}

/** Writes JSON over several lines. */
export function pretty(text: string): string {
  try {
    // Numbers beyond doubles would lose digits by being read and written again.
    return /\d{16,}/.test(text) ? text : JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
