import { expect, test } from 'vitest';

import type { Analysis } from '../src/api/types';
import { differences, typeDictionaryCsv, typeFields } from '../src/manage/typeDictionary';
import { isFound } from '../src/manage/useAnalyses';

const options = { fileTypes: [] as string[], externalValidations: [] };

const schema = {
  type: 'object',
  required: ['experiment'],
  definitions: { access: { enum: ['open', 'controlled'], description: 'Who may read it' } },
  properties: {
    experiment: {
      type: 'object',
      required: ['reads'],
      properties: {
        reads: { type: 'integer', minimum: 1, title: 'Number of reads', examples: [1000] },
        day: { type: ['string', 'null'], format: 'date' },
        tags: { type: 'array', items: { type: 'string', maxLength: 5 } },
      },
    },
    files: {
      type: 'array',
      minItems: 1,
      items: { type: 'object', properties: { access: { $ref: '#/definitions/access' } } },
    },
  },
};

test('every field of a type is described', () => {
  const fields = typeFields(schema);
  const row = (path: string) => fields.find((field) => field.path === path);
  expect(fields.map(({ path }) => path)).toEqual([
    'experiment',
    'experiment.reads',
    'experiment.day',
    'experiment.tags',
    'files',
    'files[].access',
  ]);
  expect(row('experiment.reads')).toEqual({
    path: 'experiment.reads',
    title: 'Number of reads',
    meaning: '',
    type: 'whole number',
    isRequired: true,
    allowed: '1 or more',
    example: '1000',
  });
  expect(row('experiment.day')?.type).toBe('date, or null');
  expect(row('experiment.tags')).toMatchObject({ type: 'list of text', allowed: 'at most 5 characters' });
  expect(row('files')).toMatchObject({ type: 'list of object', allowed: 'at least 1 element' });
  expect(row('files[].access')).toMatchObject({ meaning: 'Who may read it', allowed: 'one of open, controlled' });
  expect(typeDictionaryCsv(fields).split('\r\n')).toHaveLength(fields.length + 2);
});

test('two versions are compared in words', () => {
  const { experiment, files } = schema.properties;
  const { reads, tags } = experiment.properties;
  const after = {
    ...schema,
    definitions: { access: { enum: ['open', 'registered'], description: 'Who may read it' } },
    properties: {
      experiment: {
        ...experiment,
        required: ['tags'],
        properties: {
          reads: { ...reads, type: 'number', minimum: 0 },
          tags,
          lane: { type: 'object', properties: { a: {} } },
        },
      },
      files,
    },
  };
  expect(differences({ schema, options }, { schema: after, options: { ...options, fileTypes: ['bam'] } })).toEqual([
    '“experiment.lane” is new: object, optional.',
    '“experiment.day” is gone.',
    '“experiment.reads” was whole number, and is number.',
    '“experiment.reads” is no longer required.',
    '“experiment.reads” allowed 1 or more, and now allows 0 or more.',
    '“experiment.tags” is required now.',
    '“files[].access” also allows registered.',
    '“files[].access” no longer allows controlled.',
    'Files can be of bam; before, of any type.',
  ]);
  expect(differences({ schema, options }, { schema, options })).toEqual([]);
});

test('an analysis is found by its files', () => {
  const analysis = {
    analysisId: 'AN-1',
    analysisType: { name: 'reads', version: 1 },
    title: 'Biopsy of a Lung',
    files: [{ fileName: 'Tumour.bam', objectId: 'o1' }],
  } as unknown as Analysis;
  expect(['an-1', 'lung', 'tumour', 'o1', 'reads'].every((text) => isFound(analysis, text))).toBe(true);
  expect(isFound(analysis, 'nothing')).toBe(false);
});
