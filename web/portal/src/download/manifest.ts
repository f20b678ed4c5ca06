// A manifest: the files behind the records, one line each, as transfer tools read it.

import type { Catalogue, Field } from '../api/catalogue';

/** The columns of a manifest, and the names by which catalogues may have them. */
const WANTED: [string, RegExp][] = [
  ['object_id', /^(object_?id)$/i],
  ['file_name', /^(file_?name|name)$/i],
  ['file_size', /^(file_?size|size)$/i],
  ['file_md5sum', /^(file_?md5_?sum|md5_?sum|md5)$/i],
  ['file_type', /^(file_?type|data_?type)$/i],
  ['study_id', /^(study_?id)$/i],
  ['analysis_id', /^(analysis_?id)$/i],
];

export interface Manifest {
  columns: { fieldName: string; displayName: string }[];
  /** The field that makes a line of its own for every file, where a record has several. */
  uniqueBy: string | null;
}

/** Returns how to make a manifest of a catalogue, or null where records have no files. */
export function manifestOf(catalogue: Catalogue): Manifest | null {
  const fields = [...catalogue.fields.values()].filter(
    ({ kind, isMultiField }) => kind !== 'container' && !isMultiField,
  );
  const object = fields.find(({ name }) => WANTED[0]?.[1].test(last(name)));
  if (!object) return null;
  const columns = WANTED.flatMap(([displayName, pattern]) => {
    const found = fields.filter(({ name }) => pattern.test(last(name)));
    const best = found.find((field) => isBeside(field, object)) ?? found.find(({ nestedIn }) => !nestedIn);
    return best ? [{ fieldName: best.name, displayName }] : [];
  });
  return { columns, uniqueBy: object.nestedIn ? object.name : null };
}

function last(name: string): string {
  return name.split('.').at(-1) ?? name;
}

function isBeside(field: Field, object: Field): boolean {
  const container = object.name.slice(0, -last(object.name).length);
  return field.name === `${container}${last(field.name)}`;
}
