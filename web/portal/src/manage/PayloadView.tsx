// A payload with each violation at its line.

import { useMemo } from 'react';

import { texts } from '../texts';
import { lineOf, places, type Violation } from './violations';

export function PayloadView({ text, violations }: { text: string; violations: Violation[] }) {
  const byLine = useMemo(() => {
    const found = places(text);
    const lines = new Map<number, Violation[]>();
    for (const violation of violations) {
      const line = lineOf(found, violation.at);
      lines.set(line, [...(lines.get(line) ?? []), violation]);
    }
    return lines;
  }, [text, violations]);
  return (
    <div className="payload" tabIndex={0} role="region" aria-label={texts.manage.violations.inPayload}>
      {text.split('\n').map((line, index) => {
        const said = byLine.get(index);
        return (
          // Lines have no identity but their number.
          <div key={index}>
            <div className={`payload-line ${said ? 'wrong' : ''}`}>
              <span>{index + 1}</span>
              <span>{line || ' '}</span>
            </div>
            {said && (
              <ul className="payload-said">
                {said.map((each) => (
                  <li key={each.at + each.text}>
                    <code>{each.at}</code> {each.text}
                  </li>
                ))}
              </ul>
            )}
          </div>
        );
      })}
    </div>
  );
}
