//! Submission sheets: a template of a random schema that is filled with random documents gives back these documents.
#![expect(clippy::unwrap_used, reason = "a test helper that fails should fail its test")]

use std::collections::HashMap;
use std::io::Cursor;
use std::sync::Arc;

use cantata_tabular::{FilledSheets, Sheet, SheetLayout, read_delimited_sheet, read_xlsx_sheets};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rust_xlsxwriter::Workbook;
use serde_json::{Map, Value, json};

const MAX_BYTES: u64 = 1 << 24;
const MAX_ROWS: usize = 10_000;

const NAMES: [&str; 9] = ["plain", "a.b", "c*", "#row", "d[e", "f\\g", "größe", "with space", "x/y"];

/// What a member is.
enum Model {
    /// A schema with its values.
    Cell {
        schema: Value,
        values: Vec<Value>,
    },
    Object(Vec<Member>),
    /// A list of objects, with its number among all lists.
    List {
        number: usize,
        members: Vec<Member>,
    },
}

struct Member {
    name: &'static str,
    is_required: bool,
    is_nullable: bool,
    model: Model,
}

/// Makes random schemas.
struct Generator<'r> {
    random: &'r mut StdRng,
    lists: usize,
    definitions: Map<String, Value>,
}

impl Generator<'_> {
    fn members(&mut self, depth: u32) -> Vec<Member> {
        let first = self.random.random_range(0..NAMES.len());
        let count = self.random.random_range(1..4);
        (0..count)
            .map(|index| {
                let model = self.model(depth);
                let is_cell = matches!(model, Model::Cell { .. });
                Member {
                    name: NAMES[(first + index) % NAMES.len()],
                    is_required: self.random.random_bool(0.5),
                    is_nullable: is_cell && self.random.random_bool(0.3),
                    model,
                }
            })
            .collect()
    }

    fn model(&mut self, depth: u32) -> Model {
        let cell = |schema: Value, values: Value| {
            let Value::Array(values) = values else { panic!("the values are a list") };
            Model::Cell { schema, values }
        };
        match self.random.random_range(0..if depth == 0 { 8 } else { 12 }) {
            0 => cell(
                json!({"type": "string"}),
                json!(["a", "007", " two  words ", "=1+1", "tab\tquote\"", "line\nbreak", "1;2"]),
            ),
            1 => cell(json!({"type": "integer"}), json!([0, -5, i64::MAX, u64::MAX])),
            2 => cell(json!({"type": "number"}), json!([0.5, -2.25, 1e21, 7])),
            3 => cell(json!({"type": "boolean"}), json!([true, false])),
            4 => cell(
                json!({"type": "string", "enum": ["open", "controlled", "a, b"]}),
                json!(["open", "controlled", "a, b"]),
            ),
            5 => cell(json!({"enum": [1, 2.5, "x", true]}), json!([1, 2.5, "x", true])),
            6 => cell(
                json!({"type": "array", "items": {"type": "string"}}),
                json!([[], ["a"], ["a", "b"], ["x;y", " z"], ["[1]"]]),
            ),
            7 => cell(json!({"type": "object"}), json!([{"a": [1, null]}, {"b": "c"}])),
            8 | 9 => Model::Object(self.members(depth - 1)),
            _ => {
                self.lists += 1;
                let number = self.lists;
                Model::List { number, members: self.members(depth - 1) }
            }
        }
    }

    /// Returns the schema of a member, sometimes behind a reference or in `allOf`.
    fn schema(&mut self, member: &Member) -> Value {
        let mut schema = match &member.model {
            Model::Cell { schema, .. } => schema.clone(),
            Model::Object(members) => self.object(members),
            Model::List { members, .. } => json!({"type": "array", "items": self.object(members)}),
        };
        if member.is_nullable {
            let name = schema["type"].clone();
            if name.is_string() {
                schema["type"] = json!([name, "null"]);
            }
            if let Some(values) = schema.get_mut("enum").and_then(Value::as_array_mut) {
                values.push(Value::Null);
            }
        }
        match self.random.random_range(0..4) {
            0 => {
                let name = format!("d{}", self.definitions.len());
                self.definitions.insert(name.clone(), schema);
                json!({"$ref": format!("#/definitions/{name}")})
            }
            1 => json!({"allOf": [schema], "description": "more"}),
            _ => schema,
        }
    }

    fn object(&mut self, members: &[Member]) -> Value {
        let properties: Map<String, Value> =
            members.iter().map(|member| (member.name.to_owned(), self.schema(member))).collect();
        let required: Vec<&str> =
            members.iter().filter(|member| member.is_required).map(|member| member.name).collect();
        json!({"type": "object", "properties": properties, "required": required})
    }
}

/// Makes a random object of which sheets can say everything; `is_always_there` unless it is in an optional one.
fn random_object(random: &mut StdRng, members: &[Member], is_always_there: bool) -> (Map<String, Value>, bool) {
    let mut object = Map::new();
    let mut has_content = false;
    for member in members {
        let is_there = is_always_there && member.is_required;
        let is_wanted = member.is_required || random.random_bool(0.6);
        let value = match &member.model {
            Model::Cell { values, .. } => {
                if member.is_nullable && member.is_required && random.random_bool(0.4) {
                    Value::Null
                } else if is_wanted {
                    has_content = true;
                    values[random.random_range(0..values.len())].clone()
                } else {
                    continue;
                }
            }
            Model::Object(inner) => {
                let (inner, has_inner) = random_object(random, inner, is_there);
                has_content |= has_inner;
                if !has_inner && !is_there {
                    continue;
                }
                Value::Object(inner)
            }
            Model::List { members: inner, .. } => {
                let count = if is_wanted { random.random_range(0..3) } else { 0 };
                if count == 0 && !is_there {
                    continue;
                }
                has_content |= count > 0;
                (0..count).map(|_| Value::Object(random_object(random, inner, true).0)).collect()
            }
        };
        object.insert(member.name.to_owned(), value);
    }
    (object, has_content)
}

fn column(path: &[&str]) -> String {
    let escape = |name: &str| {
        name.chars().flat_map(|c| "\\.*#[".contains(c).then_some('\\').into_iter().chain([c])).collect::<String>()
    };
    path.iter().map(|name| escape(name)).collect::<Vec<_>>().join(".")
}

fn cell_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values)
            if values.iter().all(|value| ["a", "b"].iter().any(|plain| value == plain)) && !values.is_empty() =>
        {
            values.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("; ")
        }
        other => other.to_string(),
    }
}

type Cells = HashMap<String, String>;

/// Fills sheets: the rows of each list for a workbook, and the lines of a table.
#[derive(Default)]
struct Filler {
    sheets: HashMap<usize, Vec<Cells>>,
    lines: Vec<Cells>,
    elements: usize,
}

impl Filler {
    fn add(&mut self, list: usize, prefix: &str, members: &[Member], value: &Value, parent: Option<&str>) {
        self.elements += 1;
        let name = format!("row {}", self.elements);
        let (mut cells, mut lists) = (Vec::new(), Vec::new());
        collect(members, value, &mut Vec::new(), &mut cells, &mut lists);
        let mut row: Cells = cells.iter().cloned().collect();
        row.insert("#row".to_owned(), name.clone());
        row.extend(parent.map(|parent| ("#parent".to_owned(), parent.to_owned())));
        self.sheets.entry(list).or_default().push(row);
        let mut line: Cells = cells.into_iter().map(|(column, text)| (join(prefix, &column), text)).collect();
        let marker = if prefix.is_empty() { "#row" } else { prefix };
        line.insert(marker.to_owned(), name.clone());
        self.lines.push(line);
        for (number, path, members, elements) in lists {
            let prefix = format!("{}[]", join(prefix, &path));
            for element in elements {
                self.add(number, &prefix, members, element, Some(&name));
            }
        }
    }
}

fn join(prefix: &str, column: &str) -> String {
    if prefix.is_empty() { column.to_owned() } else { format!("{prefix}.{column}") }
}

type InnerList<'m> = (usize, String, &'m [Member], &'m [Value]);

/// Collects the cells of an element, and the lists in it.
fn collect<'m>(
    members: &'m [Member],
    value: &'m Value,
    path: &mut Vec<&'m str>,
    cells: &mut Vec<(String, String)>,
    lists: &mut Vec<InnerList<'m>>,
) {
    for member in members {
        let Some(value) = value.get(member.name).filter(|value| !value.is_null()) else { continue };
        path.push(member.name);
        match &member.model {
            Model::Cell { .. } => cells.push((column(path), cell_text(value))),
            Model::Object(inner) => collect(inner, value, path, cells, lists),
            Model::List { number, members } => {
                lists.push((*number, column(path), members, value.as_array().unwrap()));
            }
        }
        path.pop();
    }
}

/// Returns a workbook with the columns of a template and these rows.
fn workbook(template: &[Sheet], rows: &HashMap<usize, Vec<Cells>>) -> Vec<u8> {
    let mut workbook = Workbook::new();
    for (number, sheet) in template.iter().enumerate() {
        let written = workbook.add_worksheet();
        written.set_name(&sheet.name).unwrap();
        for (column, name) in (0..).zip(&sheet.columns) {
            written.write_string(0, column, name).unwrap();
        }
        for (row, cells) in (1..).zip(rows.get(&number).into_iter().flatten()) {
            for (column, name) in (0..).zip(&sheet.columns) {
                if let Some(text) = cells.get(name.trim_end_matches(" *")) {
                    written.write_string(row, column, text).unwrap();
                }
            }
        }
    }
    workbook.save_to_buffer().unwrap()
}

fn table(template: &str, lines: &[Cells]) -> String {
    let columns = read_delimited_sheet(Cursor::new(template.to_owned().into_bytes()), b'\t', MAX_ROWS).unwrap();
    let mut table = template.to_owned();
    for line in lines {
        let cells = columns[0].columns.iter().map(|name| {
            let text = line.get(name.trim_end_matches(" *")).cloned().unwrap_or_default();
            format!("\"{}\"", text.replace('"', "\"\""))
        });
        table += &(cells.collect::<Vec<_>>().join("\t") + "\n");
    }
    table
}

#[track_caller]
fn assert_documents(filled: &FilledSheets, expected: &[Value], what: &str) {
    assert_eq!(filled.violations(), [], "{what}");
    assert_eq!(filled.documents(), expected, "{what}");
}

#[test]
fn filled_templates_of_random_schemas_give_back_what_was_filled_in() {
    let mut random = StdRng::seed_from_u64(8);
    for number in 0..200 {
        let mut generator = Generator { random: &mut random, lists: 0, definitions: Map::new() };
        let members = generator.members(3);
        let mut schema = generator.object(&members);
        schema["definitions"] = Value::Object(generator.definitions);
        let layout = Arc::new(SheetLayout::of_schema(&schema, &[], ("", &[])).unwrap());
        let documents: Vec<Value> =
            (0..3).map(|_| Value::Object(random_object(&mut random, &members, true).0)).collect();
        let mut filler = Filler::default();
        documents.iter().for_each(|document| filler.add(0, "", &members, document, None));

        let template = read_xlsx_sheets(&layout.xlsx_template().unwrap(), MAX_BYTES, MAX_ROWS).unwrap();
        let file = workbook(&template, &filler.sheets);
        let sheets = read_xlsx_sheets(&file, MAX_BYTES, MAX_ROWS).unwrap();
        assert_documents(&layout.read(sheets), &documents, &format!("XLSX of schema {number}: {schema:#}"));

        let file = table(&layout.tsv_template(), &filler.lines);
        let sheets = read_delimited_sheet(Cursor::new(file.into_bytes()), b'\t', MAX_ROWS).unwrap();
        assert_documents(&layout.read(sheets), &documents, &format!("TSV of schema {number}: {schema:#}"));
    }
}

fn files_schema() -> Value {
    json!({"type": "object", "required": ["files", "experiment"], "properties": {
        "studyId": {"type": "string"},
        "experiment": {"type": "object", "required": ["strategy"], "properties": {
            "strategy": {"enum": ["WGS", "WXS"]}, "insertSize": {"type": ["integer", "null"]},
        }},
        "files": {"type": "array", "items": {"type": "object", "required": ["fileName"], "properties": {
            "fileName": {"type": "string"}, "fileType": {"type": "string"}, "fileSize": {"type": "integer"},
        }}},
    }})
}

#[test]
fn violations_are_at_their_cells_with_what_is_allowed() {
    let types = ["bam".to_owned(), "vcf".to_owned()];
    let layout = Arc::new(SheetLayout::of_schema(&files_schema(), &["studyId"], ("files[].fileType", &types)).unwrap());
    assert_eq!(
        layout.tsv_template(),
        "#row\texperiment.strategy *\texperiment.insertSize\tfiles[]\tfiles[].fileName *\tfiles[].fileType\tfiles[].fileSize\n"
    );
    let table = "#row\texperiment.strategy\tfiles[].fileName\tfiles[].fileType\tfiles[].fileSize\textra\n\
                 one\tsecret\ta.bam\tbam\t12\t\n\
                 \t\tb.bam\tcram\tmany\tx\n\
                 one\tWGS\t\t\t\t\n";
    let sheets = read_delimited_sheet(Cursor::new(table), b'\t', MAX_ROWS).unwrap();
    let mut filled = layout.read(sheets);
    filled.add_schema_violation(0, "#/files/1/fileType", "is told already");
    filled.add_schema_violation(0, "#/files/0", "required key [fileName] not found");
    filled.add_schema_violation(1, "#/experiment", "required key [strategy] not found");
    filled.add_document_violation(1, "a file is stored already".to_owned());
    let found: Vec<_> = filled
        .violations()
        .iter()
        .map(|violation| (violation.cell.as_deref().unwrap_or_default(), violation.message.as_str()))
        .collect();
    assert_eq!(
        found,
        [
            ("F1", "the type has no column 'extra'; the template has all of them"),
            ("B2", "secret is not valid: one of WGS, WXS"),
            ("D3", "cram is not valid: one of bam, vcf"),
            ("E3", "many is not valid: a whole number is expected"),
            ("A4", "one is not valid: another row is called so; a row without #row has its number"),
            ("C2", "fileName is missing"),
            ("B4", "experiment.strategy is missing"),
            ("", "a file is stored already"),
        ]
    );
    assert_eq!(filled.violations()[1].allowed, Some(vec!["WGS".to_owned(), "WXS".to_owned()]));
    assert_eq!(filled.violations()[1].value.as_deref(), Some("secret"));
    assert_eq!(filled.row_of(1), Some((4, "one")));
}

#[test]
fn rows_of_lists_name_the_row_around_them() {
    let layout = Arc::new(SheetLayout::of_schema(&files_schema(), &["studyId"], ("", &[])).unwrap());
    let sheet = |name: &str, columns: &[&str], rows: &[&[&str]]| Sheet {
        name: name.to_owned(),
        columns: columns.iter().map(|column| (*column).to_owned()).collect(),
        rows: (2..)
            .zip(rows)
            .map(|(row, cells)| cantata_tabular::SheetLine {
                row,
                cells: cells.iter().map(|cell| (*cell).to_owned()).collect(),
            })
            .collect(),
    };
    let analyses = sheet("analyses", &["#row", "experiment.strategy *"], &[&["", "WGS"]]);
    let files = sheet("files", &["#parent", "fileName *"], &[&["", "a"], &["2", "b"], &["9", "c"]]);
    let filled = layout.read(vec![files, analyses.clone()]);
    assert_eq!(
        filled.documents(),
        [json!({"experiment": {"strategy": "WGS"}, "files": [{"fileName": "a"}, {"fileName": "b"}]})]
    );
    let messages: Vec<&str> = filled.violations().iter().map(|violation| violation.message.as_str()).collect();
    assert_eq!(messages, ["9 is not valid: no row of the sheet analyses is called so"]);
    let other = sheet("notes", &["x"], &[&["y"]]);
    let filled = layout.read(vec![analyses, other]);
    assert_eq!(filled.violation_count(), 1, "{:?}", filled.violations());
}

#[test]
fn schemas_of_any_kind_are_laid_out_or_refused() {
    let recursive = json!({"properties": {"node": {"$ref": "#/definitions/node"}}, "definitions": {
        "node": {"type": "object", "properties": {"name": {"type": "string"}, "next": {"$ref": "#/definitions/node"}}},
    }});
    let layout = Arc::new(SheetLayout::of_schema(&recursive, &[], ("", &[])).unwrap());
    assert_eq!(layout.tsv_template(), "#row\tnode.name\tnode.next\n");
    let mut doubling = Map::new();
    for level in 0..40 {
        let next = json!({"$ref": format!("#/definitions/l{}", level + 1)});
        doubling.insert(format!("l{level}"), json!({"allOf": [next, next], "properties": {"a": next, "b": next}}));
    }
    let doubling = json!({"properties": {"a": {"$ref": "#/definitions/l0"}}, "definitions": doubling});
    assert!(SheetLayout::of_schema(&doubling, &[], ("", &[])).is_err());
    for schema in [json!(true), json!({}), json!({"properties": {"a": false, "b": {"type": 5}, "": {}}})] {
        let layout = Arc::new(SheetLayout::of_schema(&schema, &[], ("", &[])).unwrap());
        layout.xlsx_template().unwrap();
    }
}

#[test]
fn cells_that_share_a_long_text_are_bounded() {
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet();
    for row in 0..500 {
        sheet.write_string(row, 0, "x".repeat(30_000)).unwrap();
    }
    let file = workbook.save_to_buffer().unwrap();
    assert!(file.len() < 50_000, "the text is in the file once");
    assert!(read_xlsx_sheets(&file, 1 << 20, MAX_ROWS).unwrap_err().to_string().contains("more text"));
    assert_eq!(read_xlsx_sheets(&file, MAX_BYTES, 499).unwrap_err().to_string(), "it has more than 499 rows");
    assert_eq!(read_xlsx_sheets(&file, MAX_BYTES, 500).unwrap()[0].rows.len(), 499);
}
