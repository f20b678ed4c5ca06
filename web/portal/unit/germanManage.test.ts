import { expect, test } from 'vitest';

import { check } from '../src/manage/jsonSchema';
import { differences } from '../src/manage/typeDictionary';
import { byField } from '../src/submit/formModel';
import { refusedFor } from '../src/submit/verdict';
import { loadTexts } from '../src/texts';

await loadTexts('de');

const schema = {
  type: 'object',
  required: ['access', 'reads'],
  properties: {
    access: { enum: ['open', 'controlled'] },
    reads: { type: 'integer', minimum: 1 },
    tags: { type: 'array', minItems: 1, items: { type: 'string', maxLength: 5 } },
  },
};

test('what is missing is said at its field, by the portal and by the server, in German', () => {
  expect([...byField(check({ access: 'secret' }, schema))]).toEqual([
    ['#/reads', ['Dieses Feld ist ein Pflichtfeld.']],
    ['#/access', ['secret ist nicht gültig, erlaubt: einer der Werte open, controlled']],
  ]);
  const message = '#: required key [reads] not found,#/access: secret is not a valid enum value';
  expect([...byField(refusedFor('schema.violation', message, schema))]).toEqual([
    ['#/reads', ['Dieses Feld ist ein Pflichtfeld.']],
    ['#/access', ['secret ist nicht gültig, erlaubt: einer der Werte open, controlled']],
  ]);
});

test('two versions of a type are compared in German', () => {
  const options = { fileTypes: ['bam'], externalValidations: [] };
  const after = {
    ...schema,
    required: ['access'],
    properties: {
      access: { enum: ['open', 'registered'] },
      reads: { type: 'number', minimum: 0 },
      tags: { type: 'array', minItems: 1, items: { enum: ['a', 'b'] } },
      lane: { type: ['string', 'null'], format: 'date' },
    },
  };
  expect(differences({ schema, options }, { schema: after, options: { ...options, fileTypes: [] } })).toEqual([
    '„lane“ ist neu: Datum oder null, kein Pflichtfeld, ein Datum wie 2024-01-31.',
    '„access“ erlaubt zusätzlich registered.',
    '„access“ erlaubt nicht mehr controlled.',
    '„reads“ hat einen anderen Typ: vorher ganze Zahl, jetzt Zahl.',
    '„reads“ ist kein Pflichtfeld mehr.',
    '„reads“: erlaubt war mindestens 1, erlaubt ist jetzt mindestens 0.',
    '„tags“ hat einen anderen Typ: vorher Liste (Text), jetzt Liste (einer von mehreren Werten).',
    '„tags“: erlaubt war mindestens 1 Element; je Element höchstens 5 Zeichen, erlaubt ist jetzt mindestens 1 Element; je Element einer der Werte a, b.',
    'Erlaubte Dateitypen: jetzt beliebig, vorher bam.',
  ]);
});
