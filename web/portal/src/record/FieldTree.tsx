// The fields of a document by their display names; objects and lists of objects are sections.

import type { Catalogue, Column } from '../api/catalogue';
import { words } from '../api/catalogue';
import { FieldValue } from './FieldValue';

export type Document = { [name: string]: unknown };

interface PartProps {
  catalogue: Catalogue;
  document: Document;
  /** The path of the object, with a dot at its end. */
  at?: string;
}

function isObject(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function FieldTree({ catalogue, document, at = '' }: PartProps) {
  const entries = Object.entries(document).filter(([, value]) => value !== null && value !== undefined);
  const plain = entries.filter(([, value]) => !isObject(value) && !(Array.isArray(value) && value.some(isObject)));
  const parts = entries.filter((entry) => !plain.includes(entry));
  return (
    <div className="stack">
      {plain.length > 0 && (
        <dl className="fields card">
          {plain.map(([name, value]) => (
            <div key={name}>
              <dt title={at + name}>{labelOf(catalogue, at + name)}</dt>
              <dd>
                <FieldValues catalogue={catalogue} path={at + name} value={value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {parts.map(([name, value]) => {
        const list = (Array.isArray(value) ? value : [value]).filter(isObject);
        const label = labelOf(catalogue, at + name);
        return (
          <section key={name} className="field-part">
            <h2>
              {label}
              {Array.isArray(value) && <span className="badge">{list.length}</span>}
            </h2>
            {list.map((element, index) => (
              // Elements have no identity but their position.
              <div key={index} className={Array.isArray(value) ? 'field-element' : ''}>
                <FieldTree catalogue={catalogue} document={element} at={`${at}${name}.`} />
              </div>
            ))}
          </section>
        );
      })}
    </div>
  );
}

function labelOf(catalogue: Catalogue, path: string): string {
  return catalogue.fields.get(path)?.label ?? words(path.split('.').at(-1) ?? path);
}

function FieldValues({ catalogue, path, value }: { catalogue: Catalogue; path: string; value: unknown }) {
  const values: unknown[] = (Array.isArray(value) ? value : [value])
    .flat(5)
    .filter((each) => each !== null && each !== '');
  const field = catalogue.fields.get(path);
  if (!field || values.length === 0) return values.map(String).join(', ') || '–';
  const known = catalogue.columns.find((column) => column.field === field);
  const column: Column = known ?? {
    field,
    label: field.label,
    displayType: field.displayType,
    displayFormat: null,
    show: true,
    sortable: false,
    canChangeShow: true,
  };
  // Values of a list have no identity but their position.
  return values.map((each, index) => <FieldValue key={index} catalogue={catalogue} column={column} value={each} />);
}
