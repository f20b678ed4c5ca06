// Pages through the records: by number up to the result window of the catalogue, by cursor beyond it.

import { count } from '../design/format';
import { Icon } from '../design/Icon';
import { useExplore } from '../explore/context';
import { type ExploreState, fromStart, SIZES } from '../explore/urlState';
import { texts } from '../texts';
import { numbers } from './pageNumbers';

export function Pager() {
  const { catalogue, state, view, change } = useExplore();
  const total = view.answer?.total ?? 0;
  const rows = view.answer?.rows ?? [];
  const first = (state.page - 1) * state.size + 1;
  const last = Math.max(1, Math.ceil(total / state.size));
  const reachable = Math.min(last, Math.floor(catalogue.window / state.size));
  const byNumber = (page: number): ExploreState => ({ ...state, page, after: null, before: null });
  const next = () =>
    change({
      ...byNumber(state.page + 1),
      ...(isBeyond(catalogue.window, state, 1) ? { after: rows.at(-1)?.cursor ?? null } : {}),
    });
  const previous = () =>
    change({
      ...byNumber(state.page - 1),
      ...(isBeyond(catalogue.window, state, -1) ? { before: rows[0]?.cursor ?? null } : {}),
    });
  return (
    <nav className="pager" aria-label={texts.table.pages}>
      <label className="row small soft">
        <span className="wide-only">{texts.table.rows}</span>
        <span className="visually-hidden">{texts.table.rowsPerPage}</span>
        <select value={state.size} onChange={(event) => change(fromStart(state, { size: Number(event.target.value) }))}>
          {SIZES.map((size) => (
            <option key={size} value={size}>
              {size}
            </option>
          ))}
        </select>
      </label>
      <span className="grow" />
      <span className="number soft small">
        {rows.length ? texts.table.ofTotal(count(first), count(first + rows.length - 1), count(total)) : ''}
      </span>
      <button type="button" className="button compact" disabled={state.page === 1 || view.loading} onClick={previous}>
        <Icon name="left" size={14} />
        {texts.table.previous}
      </button>
      {last > 1 &&
        numbers(state.page, reachable).map((page, index) =>
          page === null ? (
            <span key={`gap ${index}`} className="faint" aria-hidden="true">
              …
            </span>
          ) : (
            <button
              key={page}
              type="button"
              className="button plain compact number pager-page"
              aria-label={texts.table.page(count(page))}
              aria-current={page === state.page ? 'page' : undefined}
              onClick={() => change(byNumber(page))}
            >
              {count(page)}
            </button>
          ),
        )}
      <button type="button" className="button compact" disabled={state.page >= last || view.loading} onClick={next}>
        {texts.table.next}
        <Icon name="right" size={14} />
      </button>
    </nav>
  );
}

function isBeyond(window: number, { page, size }: ExploreState, step: number): boolean {
  return (page + step) * size > window;
}
