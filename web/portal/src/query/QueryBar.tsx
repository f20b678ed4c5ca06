// The filter as a sentence of chips that can be edited in place.

import { useEffect, useRef, useState } from 'react';

import type { Catalogue } from '../api/catalogue';
import { plural } from '../design/format';
import { Icon } from '../design/Icon';
import { MenuItem, Popover } from '../design/Popover';
import { useExplore } from '../explore/context';
import { texts } from '../texts';
import { apartWords, elementNoun, elementWords, phrase, sentence } from './describe';
import {
  bindAt,
  joinNext,
  negate,
  type Path,
  replaceAt,
  setPivot,
  switchGroup,
  takeApart,
  ungroup,
  withoutValue,
} from './edit';
import { apartIn } from './elements';
import { SqonDialog } from './SqonDialog';
import { type Group, isGroup, type Leaf, parse, type Sqon, stringify } from './sqon';
import { useUndo } from './useUndo';
import './query.css';

/** How many values of a condition are shown one by one. */
const MAX_VALUES = 8;

export function QueryBar() {
  const { catalogue, state, setFilter, setNames } = useExplore();
  const [editing, setEditing] = useState(false);
  const { undo, redo } = useUndo(stringify(state.filter), (text) => setFilter(parse(text)));
  const bar = useRef<HTMLElement>(null);
  const before = useRef(state.filter);
  useEffect(() => {
    // Removing the focused chip would lose the focus; it moves to the bar.
    const isChanged = before.current !== state.filter;
    if (isChanged && document.activeElement === document.body) bar.current?.focus({ preventScroll: true });
    before.current = state.filter;
  }, [state.filter]);
  const noun = plural(catalogue.documentType);
  return (
    <section className="query-bar" aria-label={texts.query.filter} ref={bar} tabIndex={-1}>
      <div className="query-sentence">
        {state.filter ? (
          <>
            <span className="visually-hidden">{sentence(state.filter, catalogue, setNames)}</span>
            <span className="soft">{texts.query.where(noun)}</span>
            {state.filter.pivot ? (
              <Part node={state.filter} path={[]} root={state.filter} isLast apartIn={null} />
            ) : (
              <GroupParts group={state.filter} path={[]} root={state.filter} />
            )}
          </>
        ) : (
          <span className="soft">{texts.query.all(noun)}</span>
        )}
      </div>
      <div className="row query-tools">
        <button
          type="button"
          className="button plain compact icon-only"
          aria-label={texts.query.undo}
          title={texts.query.undo}
          disabled={!undo}
          onClick={undo ?? undefined}
        >
          <Icon name="undo" />
        </button>
        <button
          type="button"
          className="button plain compact icon-only"
          aria-label={texts.query.redo}
          title={texts.query.redo}
          disabled={!redo}
          onClick={redo ?? undefined}
        >
          <Icon name="redo" />
        </button>
        <button type="button" className="button plain compact" onClick={() => setEditing(true)}>
          <Icon name="code" />
          {texts.query.editAsText}
        </button>
        {state.filter && (
          <button type="button" className="button plain compact" onClick={() => setFilter(null)}>
            {texts.query.clearAll}
          </button>
        )}
      </div>
      {editing && <SqonDialog onClose={() => setEditing(false)} />}
    </section>
  );
}

interface PartProps {
  root: Group;
  path: Path;
}

/** The parts of a group with “and” or “or” between them, which a click switches. */
function GroupParts({ group, path, root }: PartProps & { group: Group }) {
  const { catalogue, setFilter } = useExplore();
  // What a negated group binds is denied of one element as a whole.
  const isJoined = group.op === 'and' || (group.op === 'not' && group.pivot);
  const [joint, other] = isJoined ? [texts.query.and, texts.query.or] : [texts.query.or, texts.query.and];
  const apart = [...apartIn(group, catalogue.nesting)];
  return group.content.map((part, index) => (
    // Parts have no identity but their position.
    <span key={index} className="query-part">
      {index > 0 &&
        (group.op === 'not' ? (
          <span className="query-joint fixed">{joint}</span>
        ) : (
          <button
            type="button"
            className="query-joint"
            aria-label={texts.query.changeJoint(joint, other)}
            title={texts.query.changeTo(other)}
            onClick={() => setFilter(switchGroup(root, path))}
          >
            {joint}
          </button>
        ))}
      <Part
        node={part}
        path={[...path, index]}
        root={root}
        isLast={index === group.content.length - 1}
        apartIn={apart.find(([, indexes]) => indexes.includes(index))?.[0] ?? null}
      />
    </span>
  ));
}

interface PlacedProps extends PartProps {
  isLast: boolean;
  /** The container of which other parts beside this one speak too, without being bound to it. */
  apartIn: string | null;
}

function Part({ node, ...place }: PlacedProps & { node: Sqon }) {
  const { catalogue, setFilter } = useExplore();
  const { path, root, apartIn: container } = place;
  if (!isGroup(node))
    return (
      <>
        {container && (
          <ElementButton
            text={apartWords(container, catalogue)}
            action={texts.query.bindAction(elementNoun(container, catalogue))}
            onClick={() => setFilter(bindAt(root, path.slice(0, -1), container, catalogue.nesting))}
          />
        )}
        <LeafChip leaf={node} {...place} />
      </>
    );
  const isNegated = node.op === 'not';
  const pivot = node.op === 'or' ? null : node.pivot;
  return (
    <span className="query-group" role="group" aria-label={isNegated ? texts.query.noneOf : texts.query.group}>
      {pivot ? (
        <ElementButton
          text={elementWords(pivot, catalogue, isNegated)}
          action={texts.query.takeApartAction(elementNoun(pivot, catalogue))}
          onClick={() => setFilter(takeApart(root, path))}
        />
      ) : (
        isNegated && <span className="query-not">{texts.query.not}</span>
      )}
      <span className="query-bracket" aria-hidden="true">
        (
      </span>
      <GroupParts group={node} path={path} root={root} />
      <span className="query-bracket" aria-hidden="true">
        )
      </span>
      <PartMenu node={node} {...place} />
    </span>
  );
}

/** Says of which element the conditions after it speak; a click takes them apart or binds them. */
function ElementButton({ text, action, onClick }: { text: string; action: string; onClick: () => void }) {
  return (
    <button
      type="button"
      className="query-element"
      aria-label={`${text}; ${action}`}
      title={action.charAt(0).toUpperCase() + action.slice(1)}
      onClick={onClick}
    >
      {text}
    </button>
  );
}

function LeafChip({ leaf, ...place }: PlacedProps & { leaf: Leaf }) {
  const { path, root } = place;
  const { catalogue, setFilter, setNames } = useExplore();
  const { subject, verb, values, joint } = phrase(leaf, catalogue, setNames);
  const shown = values.slice(0, MAX_VALUES);
  const canDrop = leaf.op === 'in' || leaf.op === 'not-in' || leaf.op === 'some-not-in' || leaf.op === 'all';
  return (
    <span className="chip">
      <span className="chip-subject">{subject}</span>
      <span className="chip-verb">{verb}</span>
      {shown.map(({ value, text }, index) => (
        <span key={String(value)} className="row chip-part">
          {index > 0 && <span className="chip-verb">{joint}</span>}
          {canDrop && values.length > 1 ? (
            <button
              type="button"
              className="chip-value"
              title={texts.query.removePart(text)}
              onClick={() => setFilter(withoutValue(root, path, value))}
            >
              {text}
              <Icon name="close" size={11} />
              <span className="visually-hidden">{texts.query.andRemove}</span>
            </button>
          ) : (
            <span className="chip-value">{text}</span>
          )}
        </span>
      ))}
      {values.length > shown.length && (
        <span className="chip-verb">{texts.query.andMore(values.length - shown.length)}</span>
      )}
      <PartMenu node={leaf} {...place} />
      <button
        type="button"
        className="chip-remove"
        aria-label={texts.query.removePart(subject)}
        title={texts.query.remove}
        onClick={() => setFilter(replaceAt(root, path, null))}
      >
        <Icon name="close" size={13} />
      </button>
    </span>
  );
}

function PartMenu({ node, path, root, isLast, apartIn: container }: PlacedProps & { node: Sqon }) {
  const { catalogue, setFilter } = useExplore();
  const isNested = (field: string) => (catalogue.findField(field)?.nestedIn ?? null) !== null;
  const apply = (close: () => void, next: Group | null) => {
    close();
    setFilter(next);
  };
  const pivots = isGroup(node) && node.op !== 'or' ? sharedContainers(node, catalogue) : [];
  return (
    <Popover
      label={texts.query.changeCondition}
      face={<Icon name="more" size={14} />}
      className="chip-menu"
      align="start"
    >
      {(close) => (
        <>
          <MenuItem onSelect={() => apply(close, negate(root, path, isNested))}>
            {isGroup(node) && node.op === 'not' ? texts.query.removeNot : texts.query.turnAround}
          </MenuItem>
          {!isLast && (
            <MenuItem onSelect={() => apply(close, joinNext(root, path, 'or'))}>{texts.query.joinByOr}</MenuItem>
          )}
          {!isLast && (
            <MenuItem onSelect={() => apply(close, joinNext(root, path, 'and'))}>{texts.query.joinByAnd}</MenuItem>
          )}
          {container && (
            <MenuItem onSelect={() => apply(close, bindAt(root, path.slice(0, -1), container, catalogue.nesting))}>
              {texts.query.bind(elementNoun(container, catalogue))}
            </MenuItem>
          )}
          {isGroup(node) && node.op !== 'not' && !node.pivot && (
            <MenuItem onSelect={() => apply(close, ungroup(root, path))}>{texts.query.takeBracketsAway}</MenuItem>
          )}
          {isGroup(node) &&
            pivots.map((pivot) => (
              <MenuItem
                key={pivot}
                onSelect={() => apply(close, setPivot(root, path, node.pivot === pivot ? null : pivot))}
              >
                {texts.query.inOne(catalogue.fields.get(pivot)?.label ?? pivot, node.pivot === pivot)}
              </MenuItem>
            ))}
          <div className="menu-rule" />
          <MenuItem icon="trash" onSelect={() => apply(close, replaceAt(root, path, null))}>
            {texts.query.remove}
          </MenuItem>
        </>
      )}
    </Popover>
  );
}

/** Returns the nested containers that hold the fields of all conditions of a group. */
function sharedContainers(group: Group, catalogue: Catalogue): string[] {
  const fields = group.content.flatMap((part) =>
    isGroup(part) ? [] : 'fieldName' in part.content ? [part.content.fieldName] : [],
  );
  if (fields.length < 2 || fields.length < group.content.length) return [];
  const nested = [...catalogue.fields.values()].filter(({ type }) => type === 'nested').map(({ name }) => name);
  return nested.filter((container) => fields.every((field) => field.startsWith(`${container}.`)));
}
