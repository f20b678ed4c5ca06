// The fields of a form: one for each member of a schema, with what is wrong with it below.

import { useId } from 'react';

import { singular } from '../design/format';
import { Icon } from '../design/Icon';
import type { Schema } from '../manage/jsonSchema';
import { texts } from '../texts';
import { Control } from './FormControl';
import {
  emptyElement,
  emptyOf,
  type FormNode,
  type Json,
  type JsonObject,
  type Member,
  nodeOf,
  withMember,
} from './formModel';
import { useFormScope } from './formScope';

interface FieldProps {
  member: Member;
  /** The place of the value, such as `#/files/0/fileName`. */
  at: string;
  value: Json | undefined;
  onChange: (value: Json | undefined) => void;
}

/** The fields of an object, one below the other. */
export function Members({ members, at, value, onChange }: Omit<FieldProps, 'member'> & { members: Member[] }) {
  const object = objectOf(value);
  return (
    <div className="form-grid">
      {members.map((member) => (
        <MemberField
          key={member.name}
          member={member}
          at={`${at}/${member.name}`}
          value={object[member.name]}
          onChange={(next) => onChange(withMember(object, member.name, next))}
        />
      ))}
    </div>
  );
}

function objectOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

function MemberField(props: FieldProps) {
  const { root } = useFormScope();
  const node = nodeOf(props.member.schema, root);
  if (node.kind === 'object') return <ObjectField {...props} members={node.members} />;
  if (node.kind === 'list') return <ListField {...props} items={node.items} />;
  return <ScalarField {...props} node={node} />;
}

function Star({ isRequired }: { isRequired: boolean }) {
  return (
    isRequired && (
      <span className="required-mark" aria-hidden="true">
        {' '}
        *
      </span>
    )
  );
}

function Mistakes({ at }: { at: string }) {
  return useFormScope()
    .mistakesAt(at)
    .map((text) => (
      <p key={text} className="mistake">
        {text}
      </p>
    ));
}

function Hint({ member: { description, allowed } }: { member: Member }) {
  const text = [description, allowed].filter(Boolean).join(' · ');
  return text && <p className="hint">{text}</p>;
}

function ObjectField({ member, members, at, value, onChange }: FieldProps & { members: Member[] }) {
  const { root } = useFormScope();
  if (value === undefined)
    return (
      <div className="form-wide">
        <button type="button" className="button compact" onClick={() => onChange(emptyOf(member.schema, root) ?? {})}>
          <Icon name="plus" />
          {texts.submit.add(member.title)}
        </button>
        <Mistakes at={at} />
      </div>
    );
  return (
    <fieldset className="form-part form-wide">
      <legend>
        {member.title}
        <Star isRequired={member.isRequired} />
      </legend>
      <Hint member={member} />
      <Mistakes at={at} />
      <Members members={members} at={at} value={value} onChange={onChange} />
      {!member.isRequired && (
        <div>
          <button type="button" className="button plain compact" onClick={() => onChange(undefined)}>
            <Icon name="trash" />
            {texts.submit.remove(member.title)}
          </button>
        </div>
      )}
    </fieldset>
  );
}

function ListField({ member, items, at, value, onChange }: FieldProps & { items: Schema }) {
  const { root } = useFormScope();
  const elements = Array.isArray(value) ? value : [];
  const one = singular(member.title);
  const set = (next: Json[]) => onChange(next.length || member.isRequired ? next : undefined);
  return (
    <fieldset className="form-part form-wide">
      <legend>
        {member.title}
        <Star isRequired={member.isRequired} />
      </legend>
      <Hint member={member} />
      <Mistakes at={at} />
      {elements.map((element, index) => (
        // Elements have no identity but their place.
        <div key={index} className="form-element">
          <MemberField
            member={{
              name: String(index),
              schema: items,
              title: `${one} ${index + 1}`,
              description: '',
              allowed: '',
              isRequired: true,
            }}
            at={`${at}/${index}`}
            value={element}
            onChange={(next) => set(elements.with(index, next ?? ''))}
          />
          <button
            type="button"
            className="button plain compact icon-only"
            aria-label={texts.submit.remove(`${one} ${index + 1}`)}
            title={texts.submit.remove(`${one} ${index + 1}`)}
            onClick={() => set(elements.toSpliced(index, 1))}
          >
            <Icon name="trash" />
          </button>
        </div>
      ))}
      <div>
        <button
          type="button"
          className="button compact"
          onClick={() => onChange([...elements, emptyElement(items, root)])}
        >
          <Icon name="plus" />
          {texts.submit.add(one)}
        </button>
      </div>
    </fieldset>
  );
}

function ScalarField({ node, member, at, value, onChange }: FieldProps & { node: FormNode }) {
  const { mistakesAt, touch } = useFormScope();
  const id = useId();
  const isWrong = mistakesAt(at).length > 0;
  return (
    <div className={`field ${node.kind === 'json' ? 'form-wide' : ''}`}>
      <label htmlFor={id}>
        {member.title}
        <Star isRequired={member.isRequired} />
      </label>
      <Control
        node={node}
        at={at}
        value={value}
        onChange={onChange}
        shared={{
          id,
          required: member.isRequired,
          'aria-invalid': isWrong,
          'aria-describedby': `${id}-note`,
          onBlur: () => touch(at),
        }}
      />
      <div id={`${id}-note`}>
        <Mistakes at={at} />
        <Hint member={member} />
      </div>
    </div>
  );
}
