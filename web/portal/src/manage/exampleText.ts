// Builds an example string that a schema accepts.

/** What a text of a format may look like. */
const FORMATS: Record<string, string> = {
  date: '2024-01-31',
  'date-time': '2024-01-31T12:00:00Z',
  email: 'somebody@example.org',
  ipv4: '192.0.2.1',
  uri: 'https://example.org/',
  uuid: '00000000-0000-4000-8000-000000000000',
};

/** Returns a text that the keywords of a schema allow, empty where nothing is asked of it or nothing could be found. */
export function exampleText({ examples, format, minLength, pattern }: Record<string, unknown>): string {
  const shown = Array.isArray(examples) ? (examples as unknown[]) : [];
  const made = typeof pattern === 'string' ? shortest(pattern) : '';
  const filled = 'x'.repeat(typeof minLength === 'number' ? Math.min(minLength, 100) : 0);
  const candidates = [...shown, FORMATS[String(format)], made, filled, ''];
  const isFit = (text: unknown): text is string =>
    typeof text === 'string' && text.length >= filled.length && (typeof pattern !== 'string' || matches(pattern, text));
  return candidates.find(isFit) ?? '';
}

function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return false;
  }
}

/** One character or class of a plain pattern, and how often it comes. */
const STEP = /\[(\^?(?:\\.|[^\]])+)\]|\\(.)|([^\\[\](){}|*+?.^$])|(\.)/y;
const TIMES = /\{(\d+)(?:,\d*)?\}|([*+?])/y;
const CLASSES: Record<string, string> = { d: '0', w: 'a', s: ' ' };

/** Makes the shortest text of a pattern without groups and alternatives; of others it makes none. */
function shortest(pattern: string): string {
  const body = pattern.replace(/^\^/, '').replace(/\$$/, '');
  let text = '';
  let at = 0;
  while (at < body.length) {
    STEP.lastIndex = at;
    const step = STEP.exec(body);
    if (!step) return '';
    TIMES.lastIndex = STEP.lastIndex;
    const times = TIMES.exec(body);
    at = times ? TIMES.lastIndex : STEP.lastIndex;
    const [, inClass, escaped, plain] = step;
    const one = inClass ? firstOf(inClass) : escaped ? (CLASSES[escaped] ?? escaped) : (plain ?? 'x');
    const least = times?.[1] ? Number(times[1]) : times && times[2] !== '+' ? 0 : 1;
    text += one.repeat(Math.min(least, 200));
  }
  return text;
}

/** Returns a character of a class. */
function firstOf(inClass: string): string {
  if (inClass.startsWith('^')) return 'x';
  const isNumber = inClass.includes('0-9') && !/[aA]-[zZ]/.test(inClass);
  if (isNumber) return '0';
  return inClass.startsWith('\\') ? (CLASSES[inClass[1] ?? ''] ?? inClass[1] ?? '') : (inClass[0] ?? '');
}
