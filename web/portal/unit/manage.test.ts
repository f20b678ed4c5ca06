import { expect, test } from 'vitest';

import { layout } from '../src/charts/treemap';
import { diff } from '../src/manage/diff';
import { exampleOf } from '../src/manage/example';
import { exampleText } from '../src/manage/exampleText';
import { problemsOfValidations, readValidations } from '../src/manage/externalRules';
import { check } from '../src/manage/jsonSchema';
import { meaning, scopeOfStudy, scopeOfSystem } from '../src/manage/keys';
import { lineOf, places, violationsIn } from '../src/manage/violations';
import { problemsOf } from '../src/manage/typeRules';
import { leaf } from '../src/query/sqon';
import { combined } from '../src/sets/api';
import { readIds } from '../src/sets/idList';
import { filterOf } from '../src/sets/live';
import { exactCounts, regionsOf } from '../src/sets/regions';

test('violations are found in the message and at their lines', () => {
  const text =
    '{\n  "studyId": "A, #/b: c",\n  "files": [\n    {"fileName": "a"},\n    {\n      "fileSize": "x"\n    }\n  ]\n}';
  const found = places(text);
  const said = violationsIn(
    '#: required key [experiment] not found,#/files/1/fileSize: expected type: Integer, found: String',
  );
  expect(said).toEqual([
    { at: '#', text: '“experiment” is missing', missing: 'experiment' },
    { at: '#/files/1/fileSize', text: 'expected Integer, found String' },
  ]);
  expect(said.map(({ at }) => lineOf(found, at))).toEqual([0, 5]);
  expect(lineOf(found, '#/files/1/fileType')).toBe(4);
});

test('a payload is checked as the schema says', () => {
  const schema = {
    type: 'object',
    required: ['a'],
    definitions: { fraction: { type: 'number', minimum: 0, maximum: 1 } },
    properties: {
      a: { enum: ['x', 'y'] },
      b: { $ref: '#/definitions/fraction' },
      c: { type: 'array', minItems: 1, items: { type: ['string', 'null'] } },
    },
    additionalProperties: false,
  };
  expect(check({ a: 'x', b: 0.5, c: [null] }, schema)).toEqual([]);
  expect(check({ b: 2, c: [1], d: 1 }, schema).map(({ at }) => at)).toEqual(['#', '#/b', '#/c/0', '#']);
});

test('an example keeps to the schema it was made of', () => {
  const schema = {
    type: 'object',
    required: ['experiment', 'samples'],
    definitions: { s: { type: 'object', required: ['n'], properties: { n: { type: 'integer', minimum: 3 } } } },
    properties: {
      experiment: { type: 'object', required: ['tool'], properties: { tool: { enum: ['A', 'B'] } } },
      samples: { type: 'array', minItems: 1, items: { $ref: '#/definitions/s' } },
    },
  };
  const made = exampleOf({ name: 't', version: 2, schema }, 'S');
  expect(made).toEqual({
    experiment: { tool: 'A' },
    samples: [{ n: 3 }],
    studyId: 'S',
    analysisType: { name: 't', version: 2 },
  });
  expect(check(made, schema)).toEqual([]);
});

test('texts of an example have the form that is asked for', () => {
  const text = (schema: object) => exampleText({ type: 'string', ...schema });
  expect(text({})).toBe('');
  expect(text({ minLength: 2 })).toBe('xx');
  expect(text({ format: 'date' })).toBe('2024-01-31');
  expect(text({ pattern: '^DO[0-9]{7}$' })).toBe('DO0000000');
  expect(text({ pattern: '^[a-fA-F0-9]{32}$' })).toBe('0'.repeat(32));
  expect(text({ pattern: '^[0-9]+\\.[0-9]+\\.[0-9]+$' })).toBe('0.0.0');
  expect(text({ pattern: '^[A-Za-z0-9_\\.\\-\\[\\]\\(\\)]+$' })).toMatch(/^.$/);
  expect(text({ pattern: '^(a|b)$' })).toBe('');
  expect(text({ pattern: '^(a|b)$', examples: ['c', 'b'] })).toBe('b');
});

test('scopes are spelled as the server spells them, and read in words', () => {
  const scopes = { study: 'project/{study}:edit', system: 'everything.EDIT' };
  const words = (scope: string) => meaning(scope, scopes);
  expect(scopeOfStudy(scopes, 'A.B', 'write')).toBe('project/A.B:edit');
  expect(words(scopeOfStudy(scopes, 'A.B', 'write'))).toBe('read, submit to and change A.B');
  expect(words(scopeOfStudy(scopes, 'A.B', 'read'))).toBe('read A.B');
  expect(scopeOfSystem(scopes, 'read')).toBe('everything.READ');
  expect(words(scopeOfSystem(scopes, 'write'))).toBe('everything');
  expect(words('project/A.DENY')).toBe('never A');
  expect(words('of another server')).toBe('of another server');
});

test('a schema that breaks the rules is told why', () => {
  expect(
    problemsOf({ type: 'object', required: ['experiment'], properties: { experiment: { type: 'object' } } }),
  ).toEqual([]);
  expect(problemsOf({ type: 'array', properties: { files: {} } })).toHaveLength(4);
  expect(problemsOf({ type: 'object', required: ['experiment'], properties: 'x' })).toHaveLength(1);
});

test('an experiment is described as an object, directly, by a reference or in allOf', () => {
  const problems = (experiment: unknown, definitions: object = {}) =>
    problemsOf({ type: 'object', required: ['experiment'], properties: { experiment }, definitions });
  const reference = { $ref: '#/definitions/run' };
  for (const good of [reference, { allOf: [{}, reference] }, { $ref: '#run' }])
    expect(problems(good, { run: { type: ['object'] } })).toEqual([]);
  const text =
    '#/properties/experiment: it describes other values than objects, but experiment is an object; add "type": "object"';
  const wrong = [{}, { type: 'string' }, { type: ['object', 'null'] }, true, { $ref: '#/properties/experiment' }];
  for (const bad of [...wrong, { $ref: '#/definitions/%' }, { anyOf: [{ type: 'object' }] }])
    expect(problems(bad)).toEqual([text]);
});

test('definitions cannot have the names of the base schema', () => {
  const definitions = { analysisType: {}, common: {}, file: {}, files: {} };
  const schema = { type: 'object', required: ['experiment'], properties: { experiment: { type: 'object' } } };
  expect(problemsOf({ ...schema, definitions }).map((problem) => problem.split('”')[0])).toEqual([
    '“analysisType',
    '“common',
    '“file',
  ]);
});

test('paths of external validations are read as the server reads them', () => {
  const isPath = (jsonPath: string) => problemsOfValidations([{ url: 'https://h/{value}', jsonPath }]).length === 0;
  const good = ['experiment.donorId', 'samples[*].donorId', '$.samples[0]["a.b"]', '$[0]', 'a.[1:3]', '$..id'];
  const others = ['a.length()', "a['x','y'].b", 'samples[?(@.n == 1)].id', 'donor-id.ü ', 'a..b..c..d'];
  expect([...good, ...others].filter((path) => !isPath(path))).toEqual([]);
  const bad = ['', '$', ' ', '/samples/0', 'a b', 'a.', '..id', 'a[', 'a[]', 'a[x]', 'a(b)', 'a.length().b'];
  expect([...bad, 'a..b..c..d..e', 'x'.repeat(1001)].filter(isPath)).toEqual([]);
  expect(problemsOfValidations([{ url: 'https://h/', jsonPath: 'a[' }])).toEqual([
    "#/options/externalValidations/0/jsonPath: 'a[' is no path; write it like experiment.donorId or samples[*].donorId",
  ]);
});

test('urls of external validations are refused as the server refuses them', () => {
  const problem = (url: string) => problemsOfValidations([{ url, jsonPath: 'a' }])[0]?.split('cannot be used: ')[1];
  for (const url of ['https://h/{study}/{value}?v={value}', 'http://h/?a={}&b={{value}', 'http://h//{value}'])
    expect(problem(url)).toBeUndefined();
  expect(problem('https://h/{id}')).toBe(
    "it contains the unknown token '{id}', but only {value} and {study} can be filled in",
  );
  expect(problem('file:///{value}')).toBe("its scheme is 'file', but must be http or https");
  expect(problem('https://me:secret@h/{value}')).toMatch(/^it has a user or a password/);
  for (const url of ['h/{value}', 'http://h:{value}/']) expect(problem(url)).toMatch(/^it is not an address/);
  for (const url of ['http://{value}/', 'http://{study}.h/', 'http://{value}@h/', 'http:{value}'])
    expect(problem(url)).toMatch(/^\{value\} or \{study\} is part of the server's name/);
});

test('external validations are a list of objects with two texts', () => {
  expect(readValidations(' ')).toEqual({ value: [] });
  expect(readValidations('[{"url": "u", "jsonPath": "p"}]')).toEqual({ value: [{ url: 'u', jsonPath: 'p' }] });
  for (const text of ['{', '{}', '[null]', '[{"url": "u"}]', '[{"url": "u", "jsonPath": "p", "jsonpath": "q"}]'])
    expect(readValidations(text).mistake).toBeTruthy();
});

test('lines that differ stand beside each other', () => {
  expect(diff('a\nb\nc', 'a\nx\nc\nd')).toEqual([
    { left: 'a', right: 'a' },
    { left: 'b', right: 'x' },
    { left: 'c', right: 'c' },
    { left: null, right: 'd' },
  ]);
});

test('areas fill the whole in proportion', () => {
  const places = layout([6, 3, 2, 1], { x: 0, y: 0, width: 6, height: 4 });
  const areas = places.map(({ width, height }) => width * height);
  expect(areas.map((area) => Math.round(area * 100) / 100)).toEqual([12, 6, 4, 2]);
  expect(Math.max(...places.map(({ x, width }) => x + width))).toBeCloseTo(6);
});

test('lists of ids are read however they are separated', () => {
  expect(readIds('A, B;C\n"D"\tA\r\n')).toEqual(['A', 'B', 'C', 'D']);
});

test('sets are put together as filters', () => {
  const set = (setId: string) => ({
    setId,
    name: setId,
    size: 1,
    path: 'donors.id',
    type: 'file',
    createdAt: null,
    sqon: null,
  });
  expect(combined('difference', [set('a'), set('b'), set('c')])).toMatchObject({
    op: 'and',
    content: [{ op: 'in' }, { op: 'some-not-in' }, { op: 'some-not-in' }],
  });
  expect(combined('union', [set('a'), set('b'), set('c')])).toMatchObject({ op: 'or', content: [{}, {}, {}] });
});

test('the regions of a Venn diagram add up', () => {
  const atLeast = new Map([
    [1, 10],
    [2, 8],
    [3, 4],
    [4, 6],
    [5, 3],
    [6, 2],
    [7, 1],
  ]);
  const exact = exactCounts(atLeast);
  expect(Object.fromEntries(exact)).toEqual({ 1: 4, 2: 3, 3: 3, 4: 2, 5: 2, 6: 1, 7: 1 });
  expect(regionsOf(2)).toEqual([1, 2, 3]);
});

test('a set has a filter that can be opened live, unless it is a long list', () => {
  const sqon = leaf('in', 'site', ['Lung']);
  expect(filterOf({ sqon })).toEqual({ op: 'and', content: [sqon] });
  expect(filterOf({ sqon: { op: 'and', content: [] } })).toBeNull();
  expect(filterOf({ sqon: null })).toBeUndefined();
  expect(filterOf({ sqon: { op: 'nonsense' } })).toBeUndefined();
  expect(filterOf({ sqon: leaf('in', 'id', ['x'.repeat(3000)]) })).toBeUndefined();
});
