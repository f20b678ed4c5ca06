import { expect, test } from 'vitest';

import { pythonConditions } from '../src/download/pythonCode';
import { snippets, type Taken } from '../src/download/snippets';
import { type Group, leaf, type Sqon } from '../src/query/sqon';
import { field, sampleCatalogue } from './helpers';

const catalogue = sampleCatalogue({
  'donors.specimens': field('Specimens', 'nested'),
  'donors.specimens.type': field('Type', 'keyword'),
  'donors.specimens.grade': field('Grade', 'keyword'),
});
const quoted: Group = { op: 'and', content: [leaf('in', 'title.keyword', ['it\'s "new"\\'])] };

function taken(more: Partial<Taken> = {}): Taken {
  const fields = ['file_id', 'donors.gender'].flatMap((name) => catalogue.findField(name) ?? []);
  const sort = [{ fieldName: 'size', desc: true }];
  return { catalogue, filter: quoted, sort, fields, origin: 'http://h', total: 5, hasKey: false, ...more };
}

function code(name: string, more: Partial<Taken> = {}): string {
  return snippets(taken(more)).find((snippet) => snippet.name === name)?.code ?? '';
}

test('curl asks for the whole file, with every character as it is', () => {
  expect(code('curl')).toBe(`# Every row, as CSV.
curl -sS --fail-with-body --get 'http://h/files/download' \\
  --data-urlencode 'fileType=csv' \\
  --data-urlencode 'filters={"op":"and","content":[{"op":"in","content":{"fieldName":"title.keyword","value":["it'\\''s \\"new\\"\\\\"]}}]}' \\
  --data-urlencode 'columns=file_id,donors.gender' \\
  --data-urlencode 'sort=-size'
`);
});

test('a file that is cut says so, and one that may be longer asks for all rows', () => {
  expect(code('curl', { total: 174 })).toContain('# The first 100 of 174 rows');
  expect(code('R', { total: 174 })).toContain('# The first 100 of 174 rows');
  const more = { ...catalogue, download: { maxRows: 100, allowMore: true } };
  expect(code('curl', { total: 174, catalogue: more })).toContain("--data-urlencode 'maxRows=174'");
  expect(code('URL', { total: 174, catalogue: more })).toContain('&maxRows=174');
});

test('the address has the filter as it is', () => {
  const address = new URL(code('URL'));
  expect(JSON.parse(address.searchParams.get('filters') ?? '')).toEqual(quoted);
});

test('the command line asks for every record', () => {
  expect(code('cantata', { filter: null })).toBe(`# Every record.
cantata query 'files' --server 'http://h' \\
  --columns 'file_id,donors.gender' \\
  --sort 'size:desc' \\
  --limit 0 --format tsv
`);
});

test('Python uses the package', () => {
  expect(code('Python')).toBe(`# Every record. The package: pip install "cantata-client[pandas]"
# \`for record in search\` and search.to_polars() need no pandas.
from cantata import Cantata, field

catalogue = Cantata("http://h").catalogue("files")
search = catalogue.search(
    where=(field("title.keyword") == "it's \\"new\\"\\\\"),
    columns=["file_id", "donors.gender"],
    sort=["-size"],
)
frame = search.to_pandas()
print(frame.shape)
`);
  expect(code('Python', { filter: null, fields: [], sort: [] })).toContain('catalogue.search(\n)\n');
});

test('R reads the file by its address', () => {
  const address = new URLSearchParams({ fileType: 'csv', columns: 'file_id,donors.gender', sort: '-size' }).toString();
  expect(code('R', { filter: null })).toBe(`# Every row, as CSV.
address <- "http://h/files/download?${address}"
records <- read.csv(address, check.names = FALSE, na.strings = "")
nrow(records)
`);
});

test('the key is in no code, but used where there is one', () => {
  for (const name of ['Python', 'R', 'curl', 'cantata']) {
    expect(code(name, { hasKey: true })).toContain('# The variable CANTATA_KEY of the environment has your key.\n');
    expect(code(name)).not.toContain('CANTATA_KEY');
  }
  expect(code('curl', { hasKey: true })).toContain('-H "Authorization: Bearer $CANTATA_KEY"');
});

test('conditions mean what the filter means', () => {
  const female = leaf('in', 'donors.gender', ['Female']);
  const old = leaf('gte', 'donors.age', 70);
  const type = leaf('in', 'donors.specimens.type', ['Primary']);
  const grade = leaf('in', 'donors.specimens.grade', ['G3', 'G4']);
  const cases: [Sqon, string][] = [
    [leaf('in', 'file_type', ['a', '__missing__']), 'field("file_type").is_in(["a", None])'],
    [leaf('in', 'file_type', ['__missing__']), 'field("file_type").is_missing()'],
    [leaf('not-in', 'file_type', ['__missing__']), 'field("file_type").is_present()'],
    [leaf('in', 'file_type', ['set_id:x']), 'field("file_type").in_set("x")'],
    [leaf('not-in', 'file_type', ['a']), '(field("file_type") != "a")'],
    [leaf('some-not-in', 'donors.gender', ['a', 'b']), 'field("donors.gender").not_in(["a", "b"])'],
    [leaf('all', 'file_type', ['a', 'b']), 'field("file_type").has_all(["a", "b"])'],
    [leaf('between', 'size', [1, 2]), 'field("size").between(1, 2)'],
    [leaf('in', 'is_open', true), '(field("is_open") == True)'],
    [
      { op: 'wildcard', content: { fieldNames: ['title', 'file_id'], value: 'x*' } },
      'field("title", "file_id").matches("x*")',
    ],
    [{ op: 'fuzzy', content: { fieldNames: ['title'], value: 'x' } }, 'field("title").is_like("x", "AUTO")'],
    // A pattern, and "some element has none of these", have no form of their own.
    [leaf('in', 'file_type', ['V*']), 'sqon({"op": "in", "content": {"fieldName": "file_type", "value": ["V*"]}})'],
    [
      leaf('not-in', 'donors.gender', ['a']),
      'sqon({"op": "not-in", "content": {"fieldName": "donors.gender", "value": ["a"]}})',
    ],
    [{ op: 'not', content: [female, old] }, '~((field("donors.gender") == "Female") | (field("donors.age") >= 70))'],
    [
      { op: 'and', pivot: 'donors', content: [female, old] },
      'element("donors", (field("donors.gender") == "Female"), (field("donors.age") >= 70))',
    ],
    [{ op: 'and', content: [female, old] }, 'apart((field("donors.gender") == "Female"), (field("donors.age") >= 70))'],
    [{ op: 'or', content: [female, old] }, '((field("donors.gender") == "Female") | (field("donors.age") >= 70))'],
  ];
  for (const [part, python] of cases) {
    const filter: Group = { op: 'and', content: [part] };
    expect(pythonConditions(filter, catalogue.nesting)).toBe(python);
  }
  const lines = pythonConditions({ op: 'and', content: [female, leaf('gt', 'size', 1)] }, catalogue.nesting);
  expect(lines).toBe('(\n        (field("donors.gender") == "Female")\n        & (field("size") > 1)\n    )');
  // Python would bind the two conditions on specimens to one of them.
  const within: Group = { op: 'and', pivot: 'donors', content: [female, type, grade] };
  expect(pythonConditions(within, catalogue.nesting)).toMatch(/^sqon\(\{"op": "and", /);
  const outside: Group = { op: 'and', pivot: 'donors', content: [female, leaf('in', 'file_type', ['VCF'])] };
  expect(pythonConditions(outside, catalogue.nesting)).toMatch(/^sqon\(\{"op": "and", /);
});
