// The rules for external validations of analysis types, those of the server (`crates/metadata/src/external`).
//
// Nothing is refused here that the server would take: filters in paths are left to it.

import type { ExternalValidation } from '../api/types';
import { texts } from '../texts';

const MAX_PATH_BYTES = 1000;
/** How often a path may search all descendants. */
const MAX_DESCENTS = 3;

const SELECTOR = String.raw`\s*(?:\*\s*|[-\d:][-\d:\s]*|'(?:[^'\\]|\\.)*'\s*|"(?:[^"\\]|\\.)*"\s*)`;
const BRACKET = String.raw`\[${SELECTOR}(?:,${SELECTOR})*\]`;
const PATH = new RegExp(String.raw`^(?:\.{0,2}${BRACKET}|\.{1,2}[^.[( ]+)*(?:\.{1,2}(?:length|size)\(\))?$`, 's');
const FILTER = /\[\s*\?|\[[^\]]*,\s*\?/;

/** Reads external validations from text; an empty text has none. */
export function readValidations(text: string): { value?: ExternalValidation[]; mistake?: string } {
  if (!text.trim()) return { value: [] };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { mistake: texts.manage.editor.notJson((error as Error).message) };
  }
  const list: unknown[] = Array.isArray(value) ? value : [null];
  return list.every(isValidation) ? { value: list } : { mistake: texts.manage.externalRules.expectedList };
}

function isValidation(value: unknown): value is ExternalValidation {
  if (typeof value !== 'object' || value === null) return false;
  const { url, jsonPath, ...others } = value as Record<string, unknown>;
  return typeof url === 'string' && typeof jsonPath === 'string' && Object.keys(others).length === 0;
}

/** Returns everything that is wrong with external validations. */
export function problemsOfValidations(validations: ExternalValidation[]): string[] {
  const rules = texts.manage.externalRules;
  return validations.flatMap(({ url, jsonPath }, index) => {
    const at = `#/options/externalValidations/${index}`;
    const reason = problemOfUrl(url);
    return [
      ...(isPath(jsonPath) ? [] : [`${at}/jsonPath: ${rules.noPath(jsonPath)}`]),
      ...(reason === null ? [] : [`${at}/url: ${rules.cannotBeUsed(reason)}`]),
    ];
  });
}

function isPath(path: string): boolean {
  const trimmed = path.replace(/ +$/, '');
  if (new TextEncoder().encode(path).length > MAX_PATH_BYTES) return false;
  if (trimmed === '' || trimmed === '$' || trimmed.startsWith('/')) return false;
  if (FILTER.test(trimmed)) return true;
  const dotted = /^\$[.[]/.test(trimmed) ? trimmed.slice(1) : `.${trimmed}`;
  return PATH.test(dotted) && dotted.split('..').length <= MAX_DESCENTS + 1;
}

/** Returns why a url cannot be filled and requested, or null. */
function problemOfUrl(template: string): string | null {
  const rules = texts.manage.externalRules;
  const unknown = template.match(/\{[^{}]+\}/g)?.find((token) => token !== '{value}' && token !== '{study}');
  if (unknown) return rules.unknownToken(unknown);
  // The server must be the same whatever is filled in.
  const [one, other] = ['a', 'b'].map((word) => addressOf(template.replaceAll(/\{(?:value|study)\}/g, word)));
  if (!one || !other) return rules.noAddress;
  const strange = [one, other].find(({ protocol }) => protocol !== 'http:' && protocol !== 'https:');
  if (strange) return rules.wrongScheme(strange.protocol.slice(0, -1));
  if (serverOf(one) !== serverOf(other)) return rules.variableServer;
  if (one.username || one.password) return rules.hasPassword;
  return null;
}

function addressOf(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

function serverOf({ protocol, username, password, host }: URL): string {
  return [protocol, username, password, host].join(' ');
}
