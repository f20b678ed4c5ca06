// The fields whose values are identifiers.

import type { Catalogue, Field } from '../api/catalogue';

/** Returns them, the most likely one first: the key of the catalogue, then the fields of its matchers, then other ids. */
export function idFields(catalogue: Catalogue): Field[] {
  const looked = catalogue.matchers.flatMap(({ keyField, searchFields }) => [keyField, ...searchFields]);
  const named = [...catalogue.fields.values()]
    .filter(({ name }) => /(_id|Id|_name|md5|checksum)$/.test(name))
    .map(({ name }) => name);
  const names = new Set([...(catalogue.keyField ? [catalogue.keyField.name] : []), ...looked, ...named]);
  return [...names].flatMap((name) => {
    const field = catalogue.fields.get(name);
    return field && field.kind === 'terms' && !field.isMultiField ? [field] : [];
  });
}
