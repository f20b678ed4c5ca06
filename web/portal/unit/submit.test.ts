import { expect, test } from 'vitest';

import { check } from '../src/manage/jsonSchema';
import { allowedAt, allowedText, titleOf, wholeOf } from '../src/manage/schemaParts';
import { byField, emptyOf, formSchema, nodeOf, readNumber, withMember } from '../src/submit/formModel';
import { payloadsIn, readResults } from '../src/submit/payloads';
import { cellKey, elsewhere, messagesByCell, type Sheet, withCell } from '../src/submit/sheets';
import { refusedFor } from '../src/submit/verdict';

const TYPE = {
  options: { fileTypes: ['bam', 'cram'], externalValidations: [] },
  schema: {
    type: 'object',
    required: ['studyId', 'analysisType', 'files', 'experiment'],
    definitions: {
      file: { fileType: { type: 'string' } },
      count: { type: ['integer', 'null'], minimum: 0, title: 'Count' },
    },
    properties: {
      analysisId: { not: {} },
      studyId: { type: 'string' },
      analysisType: { type: 'object' },
      files: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          required: ['fileName', 'fileType'],
          properties: { fileName: { type: 'string' }, fileType: { $ref: '#/definitions/file/fileType' } },
        },
      },
      experiment: {
        allOf: [{ type: 'object', required: ['kind'], properties: { kind: { const: 'WGS' } } }],
        properties: { reads: { $ref: '#/definitions/count', description: 'How many' }, when: { format: 'date' } },
        if: { required: ['reads'] },
        then: { properties: { lane: { type: 'integer' } } },
      },
      info: { type: 'object' },
      notes: { oneOf: [{ const: 'a', title: 'Alpha' }, { const: 'b' }, { type: 'null' }] },
    },
  },
};

test('a form has a field for everything that a schema can have', () => {
  const root = formSchema(TYPE);
  const whole = nodeOf(root, root);
  if (whole.kind !== 'object') throw new Error('expected an object');
  expect(whole.members.map(({ name, isRequired }) => [name, isRequired])).toEqual([
    ['files', true],
    ['experiment', true],
    ['info', false],
    ['notes', false],
  ]);
  const kinds = Object.fromEntries(whole.members.map(({ name, schema }) => [name, nodeOf(schema, root)]));
  expect(kinds.info).toEqual({ kind: 'json' });
  expect(kinds.notes).toEqual({ kind: 'choice', values: ['a', 'b'], titles: ['Alpha', undefined] });
  const { experiment, files } = kinds;
  if (experiment?.kind !== 'object' || files?.kind !== 'list') throw new Error('expected an object and a list');
  expect(experiment.members.map(({ name, title, allowed }) => [name, title, allowed])).toEqual([
    ['reads', 'Count', '0 or more'],
    ['when', 'When', 'a date such as 2024-01-31'],
    ['kind', 'Kind', ''],
    ['lane', 'Lane', ''],
  ]);
  const file = nodeOf(files.items, root);
  const fileType = file.kind === 'object' ? file.members[1]?.schema : undefined;
  expect(fileType && nodeOf(fileType, root)).toEqual({ kind: 'choice', values: ['bam', 'cram'], titles: [] });
});

test('an empty form has what can only be one thing, and its gaps are said at their fields', () => {
  const root = formSchema(TYPE);
  const empty = emptyOf(root, root);
  expect(empty).toEqual({ files: [{}], experiment: { kind: 'WGS' } });
  expect([...byField(check(empty, root))]).toEqual([
    ['#/files/0/fileName', ['This is required.']],
    ['#/files/0/fileType', ['This is required.']],
  ]);
  const full = withMember(
    { files: [{ fileName: 'a', fileType: 'bam' }], experiment: { kind: 'WGS' } },
    'info',
    undefined,
  );
  expect(check(full, root)).toEqual([]);
});

test('a schema that contains itself ends', () => {
  const root = {
    type: 'object',
    required: ['next'],
    properties: { next: { $ref: '#' }, twin: { allOf: [{ $ref: '#/properties/twin' }] } },
  };
  expect(JSON.stringify(emptyOf(root, root)).length).toBeLessThan(1000);
  expect(wholeOf(root.properties.twin, root)).toBeDefined();
});

test('names of members become words', () => {
  const names = ['libraryStrategy', 'fileMd5sum', 'donorID', 'primary_site', 'age'];
  expect(names.map((name) => titleOf(name, {}))).toEqual([
    'Library strategy',
    'File md5sum',
    'Donor ID',
    'Primary site',
    'Age',
  ]);
});

test('numbers are read as they are typed, and not rounded', () => {
  expect(['', '12', '-1.50', '1e3', '1.', 'many', '9007199254740993'].map(readNumber)).toEqual([
    undefined,
    12,
    -1.5,
    1000,
    1,
    'many',
    '9007199254740993',
  ]);
});

test('a violation says what is allowed', () => {
  const root = {
    properties: { files: { items: { properties: { fileAccess: { enum: ['open', 'controlled'] } } } } },
  };
  expect(allowedAt('#/files/3/fileAccess', root)).toBe('one of open, controlled');
  expect(refusedFor('schema.violation', '#/files/3/fileAccess: secret is not a valid enum value', root)).toEqual([
    { at: '#/files/3/fileAccess', text: 'secret is not valid: one of open, controlled' },
  ]);
  expect(refusedFor('schema.violation', '#/a: ,#/b: x')).toHaveLength(2);
  expect(refusedFor('duplicate.files', '#/a: b')).toEqual([]);
  expect(allowedText({ minimum: 0, maximum: 1, pattern: '^a' })).toBe('0 to 1, matches ^a');
});

test('payloads are found in arrays, in lines and one after the other, with all their digits', () => {
  const found = (text: string) => payloadsIn(text).payloads;
  expect(found('{"a": "}{"}')).toEqual(['{"a": "}{"}']);
  expect(found('{"a":1}\n{"b":[{}]}\n')).toEqual(['{"a":1}', '{"b":[{}]}']);
  expect(found('[{"a":12345678901234567890}, {"b":"\\"]"}]')).toEqual(['{"a":12345678901234567890}', '{"b":"\\"]"}']);
  expect(found('{\n "a": 1\n}{"b":2}')).toHaveLength(2);
  expect(payloadsIn('{"a":1}\n{"b":}').mistake).toMatch(/^Payload 2 is not JSON/);
  expect(payloadsIn('{"a":1').mistake).toMatch(/^This is not JSON/);
  expect(payloadsIn('a,b\n1,2').mistake).toMatch(/outside of any payload/);
  expect(payloadsIn('').mistake).toBeNull();
});

test('each payload of a batch has its result', () => {
  const answer = [
    { index: 0, status: 'OK', analysisId: 'x' },
    { index: 1, status: 'ERROR', errorId: 'schema.violation', message: '[A::b] - #/files: expected type: Array' },
    { index: 2, status: 'ERROR', errorId: 'duplicate.files', message: '[A::b] - It is there already' },
  ].map((line) => JSON.stringify(line));
  expect(readResults(answer.join('\n'), 3)).toEqual([
    { analysisId: 'x', violations: [], reason: null },
    { analysisId: null, violations: [{ at: '#/files', text: 'expected type: Array' }], reason: null },
    { analysisId: null, violations: [], reason: 'It is there already' },
  ]);
  expect(() => readResults('', 3)).toThrow('0 of 3');
});

test('a cell is corrected, and has what is said about it', () => {
  const sheets: Sheet[] = [
    {
      name: 'files',
      columns: [{ name: 'fileAccess', isRequired: true, kind: 'text', allowed: ['open'] }],
      rows: [
        { row: 2, cells: ['secret'] },
        { row: 5, cells: ['open'] },
      ],
    },
  ];
  expect(withCell(sheets, 'files', 2, 0, 'open')[0]?.rows[0]).toEqual({ row: 2, cells: ['open'] });
  const messages = messagesByCell([
    { sheet: 'files', row: 2, column: 'fileAccess', message: 'secret is not valid: one of open' },
    { sheet: 'files', row: 5, message: 'It is stored already' },
    { message: 'There is no analysis' },
  ]);
  expect(messages.get(cellKey('files', 2, 'fileAccess'))).toEqual(['secret is not valid: one of open']);
  expect(messages.get(cellKey('files', 5))).toEqual(['It is stored already']);
  const missing = { sheet: 'files', row: 2, column: 'fileSize', message: 'This is required' };
  const shown = { sheet: 'files', row: 2, column: 'fileAccess', message: 'x' };
  expect(elsewhere([missing, missing, shown, { message: 'There is no analysis' }], sheets)).toEqual([
    'files, row 2, fileSize: This is required',
    'There is no analysis',
  ]);
});
