// What was stored, with the way to it.

import { counted } from '../design/format';
import { Notice } from '../design/Notice';
import { Link } from '../shell/router';

/** How many analyses are named; of more than these only the number is. */
const MAX_NAMED = 20;

export function StoredNotice({ study, ids }: { study: string; ids: string[] }) {
  const address = `/manage/studies/${encodeURIComponent(study)}`;
  const [only] = ids;
  if (ids.length === 1 && only)
    return (
      <Notice kind="good">
        <p>
          <strong>Submitted.</strong> The analysis is <Link to={`${address}/${only}`}>{only}</Link>, not published yet.
        </p>
      </Notice>
    );
  return (
    <Notice kind="good">
      <p>
        <strong>Submitted.</strong> {counted(ids.length, 'analysis')} are in <Link to={address}>{study}</Link>, not
        published yet.
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
