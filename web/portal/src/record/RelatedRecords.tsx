// Links to records that share an identifier with this one, in every catalogue.

import { skipToken, useQuery } from '@tanstack/react-query';

import type { Catalogue } from '../api/catalogue';
import { count, nounFor } from '../design/format';
import { START, writeState } from '../explore/urlState';
import { asRoot } from '../query/sqon';
import { useCatalogue, useDirectory } from '../shell/directory';
import { Link } from '../shell/router';
import { texts } from '../texts';
import type { Document } from './FieldTree';
import { countRelations, relationFilter, relationsOf } from './related';

interface RelatedProps {
  catalogue: Catalogue;
  document: Document;
}

export function RelatedRecords({ catalogue, document }: RelatedProps) {
  const { data } = useDirectory();
  const ids = Object.keys(data?.catalogs ?? {});
  return (
    <ul className="related" aria-label={texts.record.related}>
      {ids.map((id) => (
        <RelatedIn key={id} id={id} own={catalogue} document={document} />
      ))}
    </ul>
  );
}

/** What is related in one catalogue; a catalogue that cannot be searched has nothing. */
function RelatedIn({ id, own, document }: { id: string; own: Catalogue; document: Document }) {
  const { data: target } = useCatalogue(id);
  const relations = target ? relationsOf(document, own, target) : [];
  const { data: counted = [] } = useQuery({
    queryKey: ['related', id, relations.map(({ field, values }) => [field.name, values])],
    queryFn: target ? ({ signal }) => countRelations(target, relations, signal) : skipToken,
  });
  if (!target) return null;
  // The record itself is not related to itself.
  const least = target.id === own.id ? 2 : 1;
  return counted
    .filter(({ records }) => records >= least)
    .map((relation) => {
      const { field, values, records } = relation;
      const filter = asRoot(relationFilter(target, relation));
      return (
        <li key={field.name}>
          <Link to={`/explore/${encodeURIComponent(id)}${writeState({ ...START, filter })}`}>
            <strong className="number">{count(records)}</strong>{' '}
            {texts.record.relatedBy(nounFor(records, target.documentType), field.label, values)}
          </Link>
        </li>
      );
    });
}
