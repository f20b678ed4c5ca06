// One value of a record: in full, with a way to copy an identifier and to find more records with the same value.

import { canCount, type Catalogue, type Column } from '../api/catalogue';
import { CopyButton } from '../design/CopyButton';
import { Icon } from '../design/Icon';
import { START, writeState } from '../explore/urlState';
import { asRoot, leaf, type Value } from '../query/sqon';
import { Link } from '../shell/router';
import { texts } from '../texts';
import { fullText } from './fullText';

const IDENTIFIER = /(^|[._-])(id|uuid|md5|md5sum|accession)$|(Id|ID|Md5|Md5sum)$/;

interface FieldValueProps {
  catalogue: Catalogue;
  column: Column;
  value: unknown;
}

export function FieldValue({ catalogue, column, value }: FieldValueProps) {
  const { field } = column;
  const text = fullText(value, column);
  const exact = catalogue.exactField(field);
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  const canFindMore = isScalar && canCount(exact) && field !== catalogue.keyField;
  return (
    <span className="field-value">
      <span>{text}</span>
      {IDENTIFIER.test(field.name) && typeof value === 'string' && (
        <CopyButton text={() => String(value)} label={texts.record.copy(value)} isIconOnly />
      )}
      {canFindMore && (
        <Link
          className="button plain compact icon-only"
          to={addressOf(catalogue, exact.name, value)}
          aria-label={texts.record.moreWith(column.label, text)}
          title={texts.record.moreWithThisValue}
        >
          <Icon name="filter" size={14} />
        </Link>
      )}
    </span>
  );
}

function addressOf(catalogue: Catalogue, name: string, value: unknown): string {
  const filter = asRoot(leaf('in', name, [value as Value]));
  return `/explore/${encodeURIComponent(catalogue.id)}${writeState({ ...START, filter })}`;
}
