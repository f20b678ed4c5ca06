// Chooses the analysis type of what is submitted.

import { useQuery } from '@tanstack/react-query';

import { SelectField } from '../design/Field';
import { ErrorNotice } from '../design/Notice';
import { typeVersionsQuery } from '../manage/api';
import { texts } from '../texts';

interface TypeChoiceProps {
  label: string;
  chosen: string;
  onChoose: (name: string) => void;
}

export function TypeChoice({ label, chosen, onChoose }: TypeChoiceProps) {
  const { data, error, refetch } = useQuery(typeVersionsQuery);
  const names = [...new Set(data?.map(({ name }) => name))].sort();
  return (
    <>
      <SelectField label={label} value={names.includes(chosen) ? chosen : ''} onChange={onChoose}>
        <option value="" disabled>
          {texts.submit.analysisType}
        </option>
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </SelectField>
      {error && <ErrorNotice error={error} retry={refetch} title={texts.submit.typesNotFetched} />}
    </>
  );
}
