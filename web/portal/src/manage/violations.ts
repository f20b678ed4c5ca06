// Maps the JSON pointers of a text to line numbers, and reads the violations of the server.

import { texts } from '../texts';

/** Returns the line, counted from 0, in which the value of each pointer begins. `#` is the whole text. */
export function places(text: string): Map<string, number> {
  const found = new Map<string, number>();
  let at = 0;
  let line = 0;
  const skip = () => {
    while (/\s/.test(text[at] ?? '')) {
      if (text[at] === '\n') line += 1;
      at += 1;
    }
  };
  const string = (): string => {
    const begin = at;
    at += 1;
    while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
    at += 1;
    try {
      return JSON.parse(text.slice(begin, at)) as string;
    } catch {
      return '';
    }
  };
  const members = (pointer: string, close: string, each: (index: number) => string) => {
    at += 1;
    for (let index = 0; at < text.length; index += 1) {
      skip();
      if (text[at] === close) break;
      value(`${pointer}/${each(index)}`);
      skip();
      if (text[at] === ',') at += 1;
      else break;
    }
    at += 1;
  };
  const value = (pointer: string) => {
    skip();
    if (!found.has(pointer)) found.set(pointer, line);
    if (text[at] === '{') {
      members(pointer, '}', () => {
        const begin = line;
        const name = string();
        skip();
        at += 1;
        found.set(`${pointer}/${name}`, begin);
        return name;
      });
    } else if (text[at] === '[') members(pointer, ']', String);
    else if (text[at] === '"') string();
    else while (at < text.length && !/[,\]}\s]/.test(text[at] ?? '')) at += 1;
  };
  value('#');
  return found;
}

export interface Violation {
  /** A pointer such as `#/files/0`. */
  at: string;
  text: string;
  /** The member that is not there, if that is what is wrong. */
  missing?: string;
}

/** Reads the violations out of the server's message, which has each as a pointer and a text. */
export function violationsIn(message: string): Violation[] {
  return message.split(/,(?=#)/).flatMap((part) => {
    const match = /^(#[^:]*):(.*)$/s.exec(part);
    return match?.[1] ? [violationAt(match[1], match[2]?.trim() ?? '')] : [];
  });
}

function violationAt(at: string, said: string): Violation {
  const words = texts.manage.violations;
  // Of a fixed value the server says only where it is wrong.
  if (!said) return { at, text: words.notExpected };
  const missing = /^required key \[(.+)\] not found$/.exec(said)?.[1];
  if (missing !== undefined) return { at, text: words.missing(missing), missing };
  const text = said
    .replace(/^extraneous key \[(.+)\] is not permitted$/, (_, name: string) => words.memberNotAllowed(name))
    .replace(/^expected type: (.+), found: (.+)$/, (_, expected: string, found: string) =>
      words.wrongType(expected, found),
    );
  return { at, text };
}

/** Returns the line of a pointer, or of its nearest ancestor that exists. */
export function lineOf(found: Map<string, number>, pointer: string): number {
  let place = pointer;
  while (!found.has(place) && place.includes('/')) place = place.slice(0, place.lastIndexOf('/'));
  return found.get(place) ?? 0;
}
