// What was stored, with the way to it.

import { counted } from '../design/format';
import { Notice } from '../design/Notice';
import { Link } from '../shell/router';
import { texts } from '../texts';

/** How many analyses are named; of more than these only the number is. */
const MAX_NAMED = 20;

export function StoredNotice({ study, ids }: { study: string; ids: string[] }) {
  const address = `/manage/studies/${encodeURIComponent(study)}`;
  const [only] = ids;
  const words = texts.submit.stored;
  if (ids.length === 1 && only)
    return (
      <Notice kind="good">
        <p>
          <strong>{words.title}</strong> {words.one.before} <Link to={`${address}/${only}`}>{only}</Link>
          {words.one.after}
        </p>
      </Notice>
    );
  return (
    <Notice kind="good">
      <p>
        <strong>{words.title}</strong> {words.many.before(counted(ids.length, 'analysis'))}{' '}
        <Link to={address}>{study}</Link>
        {words.many.after}
      </p>
      {ids.length <= MAX_NAMED && (
        <ul>
          {ids.map((id) => (
            <li key={id}>
              <Link className="mono" to={`${address}/${id}`}>
                {id}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Notice>
  );
}
