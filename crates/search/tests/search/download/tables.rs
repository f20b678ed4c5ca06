//! Parquet, Arrow and XLSX: the rows and values are those of CSV and JSON lines, whatever the filter.

use std::io::Cursor;

use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;
use bytes::Bytes;
use calamine::{Data, Reader, Xlsx};
use cantata_tabular::json_row;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Map, Value, json};

use super::support::{Fixture, bytes, sample_keys};

/// How many random filters are tried; `TABLE_FILTERS=1000` tries more.
const FILTERS: usize = 40;

const COLUMNS: [&str; 9] = [
    "id",
    "object_id",
    "size",
    "is_open",
    "tags",
    UNDECLARED,
    "donors.donor_id",
    "donors.age",
    "donors.specimens.samples.score",
];

/// A field that has lists in some documents, of which nothing tells.
const UNDECLARED: &str = "access-level";

const TAGS: [&str; 3] = ["x", "y", "z"];

type Row = Map<String, Value>;

async fn file(fixture: &Fixture, file: Value) -> Vec<u8> {
    bytes(fixture.begin(&json!({ "chunkSize": 7, "files": [file] })).await.unwrap()).await
}

fn parquet_rows(file: Vec<u8>) -> Vec<Row> {
    let batches = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(file)).unwrap().build().unwrap();
    batches.flat_map(|batch| rows(&batch.unwrap())).collect()
}

fn arrow_rows(file: &[u8]) -> Vec<Row> {
    let batches = StreamReader::try_new(file, None).unwrap();
    batches.flat_map(|batch| rows(&batch.unwrap())).collect()
}

fn rows(batch: &RecordBatch) -> Vec<Row> {
    (0..batch.num_rows()).map(|row| json_row(batch, row)).collect()
}

/// Returns the values at a path, as JSON lines have those of a nested field.
fn values_at(value: &Value, path: &[&str]) -> Vec<Value> {
    match (value, path.split_first()) {
        (Value::Null, _) => vec![],
        (Value::Array(elements), _) => elements.iter().flat_map(|element| values_at(element, path)).collect(),
        (value, Some((name, rest))) => values_at(&value[*name], rest),
        (value, None) => vec![value.clone()],
    }
}

/// Makes a list of the undeclared field: JSON has it as the document does, a columnar file as all its rows need it.
fn with_list(mut row: Row) -> Value {
    let values = values_at(&row.remove(UNDECLARED).unwrap_or_default(), &[]);
    row.insert(UNDECLARED.to_owned(), Value::Array(values));
    Value::Object(row)
}

/// Returns a row of a columnar file in the form of JSON lines.
fn flat(mut row: Row) -> Value {
    let mut donors = Row::new();
    let nested = row.remove("donors").unwrap_or_default();
    for path in COLUMNS.iter().filter_map(|column| column.strip_prefix("donors.")) {
        let values = values_at(&nested, &path.split('.').collect::<Vec<_>>());
        donors.insert(format!("donors.{path}"), Value::Array(values));
    }
    for column in ["size", "is_open"] {
        row.entry(column).or_insert(Value::Null);
    }
    row.extend(donors);
    with_list(row)
}

/// Returns a row of JSON lines as a line of CSV.
fn csv_line(row: &Value) -> String {
    let text = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Number(number) => number.as_i64().map_or_else(
            || number.as_f64().filter(|n| n.fract() == 0.0).map_or(number.to_string(), |n| format!("{n}")),
            |integer| integer.to_string(),
        ),
        other => other.to_string(),
    };
    let cells = COLUMNS.iter().map(|column| match &row[*column] {
        Value::Array(values) => {
            let joined = values.iter().map(text).collect::<Vec<_>>().join(", ");
            if joined.contains(',') { format!("\"{joined}\"") } else { joined }
        }
        single => text(single),
    });
    cells.collect::<Vec<_>>().join(",")
}

fn random_documents(random: &mut StdRng) -> Vec<Value> {
    let mut documents = Vec::new();
    for id in 0..60 {
        let mut donors = Vec::new();
        for _ in 0..random.random_range(0..3) {
            let mut donor = json!({ "donor_id": format!("DO{}", random.random_range(0..9)) });
            if random.random_bool(0.7) {
                donor["age"] = json!(random.random_range(0..90));
            }
            let count = random.random_range(0..3);
            let samples: Vec<Value> =
                (0..count).map(|_| json!({ "score": f64::from(random.random_range(-5..5_i32)) / 4.0 })).collect();
            donor["specimens"] = json!([{ "specimen_type": "normal", "samples": samples }]);
            donors.push(donor);
        }
        let tags = &TAGS[..random.random_range(0..=TAGS.len())];
        let mut document = json!({
            "_id": format!("{id:03}"), "object_id": format!("FI{}", id % 10), "donors": donors, "tags": tags,
        });
        if random.random_bool(0.8) {
            document["size"] = json!(random.random_range(-3..1_i64 << 60));
            document["is_open"] = json!(random.random_bool(0.5));
        }
        match random.random_range(0..4) {
            0 => document[UNDECLARED] = json!("p"),
            1 => document[UNDECLARED] = json!(["q"]),
            2 if id % 5 == 0 => document[UNDECLARED] = json!(["p", null, "q"]),
            _ => {}
        }
        documents.push(document);
    }
    documents
}

fn random_filter(random: &mut StdRng, depth: u32) -> Value {
    let leaf =
        |op: &str, field: &str, value: Value| json!({ "op": op, "content": { "fieldName": field, "value": value } });
    match random.random_range(0..if depth == 0 { 5_usize } else { 8 }) {
        0 => leaf("in", "object_id", json!([format!("FI{}", random.random_range(0..12))])),
        1 => leaf("in", "tags", json!([TAGS[random.random_range(0..TAGS.len())]])),
        2 => leaf("gte", "size", json!(random.random_range(0..1_i64 << 60))),
        3 => leaf("lte", "donors.age", json!(random.random_range(0..90))),
        4 => leaf("in", "is_open", json!([random.random_bool(0.5)])),
        which => {
            let parts: Vec<Value> = (0..2).map(|_| random_filter(random, depth - 1)).collect();
            let operator = ["and", "or", "not"][which - 5];
            json!({ "op": operator, "content": parts })
        }
    }
}

#[tokio::test]
async fn every_format_has_the_same_rows_and_values() {
    let filters = std::env::var("TABLE_FILTERS").map_or(FILTERS, |count| count.parse().unwrap());
    let mut random = StdRng::seed_from_u64(25);
    let fixture = Fixture::new(sample_keys(), &random_documents(&mut random)).await;
    for number in 0..filters {
        let sqon = random_filter(&mut random, 2);
        let request =
            |file_type: &str| json!({ "fileType": file_type, "columns": COLUMNS, "sqon": sqon, "maxRows": 1000 });
        let lines = String::from_utf8(file(&fixture, request("jsonl")).await).unwrap();
        let expected: Vec<Value> = lines.lines().map(|line| with_list(serde_json::from_str(line).unwrap())).collect();
        let parquet = parquet_rows(file(&fixture, request("parquet")).await);
        let parquet: Vec<Value> = parquet.into_iter().map(flat).collect();
        assert_eq!(parquet, expected, "filter {number}: {sqon}");
        let arrow: Vec<Value> = arrow_rows(&file(&fixture, request("arrow")).await).into_iter().map(flat).collect();
        assert_eq!(arrow, expected, "filter {number}: {sqon}");
        let csv = String::from_utf8(file(&fixture, request("csv")).await).unwrap();
        let csv: Vec<&str> = csv.split("\r\n").skip(1).filter(|line| !line.is_empty()).collect();
        assert_eq!(csv, parquet.iter().map(csv_line).collect::<Vec<_>>(), "filter {number}: {sqon}");
    }
}

#[tokio::test]
async fn nested_fields_are_lists_of_structs() {
    let fixture = Fixture::sample().await;
    let columns = json!(["object_id", "donors.age", "donors.specimens.samples.sample_id", "donors.donor_id"]);
    let found = parquet_rows(file(&fixture, json!({ "fileType": "parquet", "columns": columns })).await);
    let donors = json!([
        { "age": 40, "specimens": [
            { "samples": [{ "sample_id": "SA1" }, { "sample_id": "SA2" }] }, { "samples": [{ "sample_id": "SA3" }] },
        ], "donor_id": "DO1" },
        { "age": 0, "specimens": [], "donor_id": "DO2" },
    ]);
    assert_eq!(Value::Object(found[0].clone()), json!({ "object_id": "FI1", "donors": donors }));
    assert_eq!(Value::Object(found[2].clone()), json!({ "object_id": "FI3", "donors": [] }));
    let whole = parquet_rows(file(&fixture, json!({ "fileType": "parquet", "columns": ["donors"] })).await);
    assert_eq!(
        whole[1]["donors"],
        json!([
            { "donor_id": "DO3", "specimens": [{ "samples": [{ "sample_id": "SA4", "score": -1.25 }] }] }
        ])
    );
    let by_donor = json!({ "fileType": "parquet", "uniqueBy": "donors.donor_id", "columns": columns });
    let by_donor = parquet_rows(file(&fixture, by_donor).await);
    assert_eq!(by_donor.len(), 3);
    assert_eq!(by_donor[0]["donors.age"], json!(40));
    assert_eq!(by_donor[0]["donors.specimens"][1], json!({ "samples": [{ "sample_id": "SA3" }] }));
}

/// The catalogue was loaded before it had documents, so it knows of lists as little as that of a cluster.
#[tokio::test]
async fn lists_that_nobody_declared_have_all_values_in_every_format() {
    let mapping = json!({ "properties": {
        "name": { "type": "keyword" }, "sites": { "type": "keyword" }, "sizes": { "type": "long" },
        "score": { "type": "double" },
        "donors": { "type": "nested", "properties": {
            "aliases": { "type": "keyword" }, "age": { "type": "long" },
        } },
    } });
    let documents = [
        json!({
            "_id": "1", "name": "a", "sites": ["lung", "skin"], "sizes": [1, 2, 3], "score": 0.5,
            "donors": [{ "aliases": ["x", "y"], "age": 4 }, { "aliases": "z" }],
        }),
        json!({ "_id": "2", "name": ["b"], "sites": "liver", "sizes": 7 }),
        json!({ "_id": "3" }),
    ];
    let expected = [
        json!({
            "id": "1", "name": "a", "sites": ["lung", "skin"], "sizes": [1, 2, 3], "score": 0.5,
            "donors": [{ "aliases": ["x", "y"], "age": 4 }, { "aliases": ["z"] }],
        }),
        json!({ "id": "2", "name": "b", "sites": ["liver"], "sizes": [7], "donors": [] }),
        json!({ "id": "3", "sites": [], "sizes": [], "donors": [] }),
    ];
    let columns = json!(["id", "name", "sites", "sizes", "score", "donors.aliases", "donors.age"]);
    for keys in [json!({}), json!({ "extended": [{ "fieldName": "sites", "isArray": false }] })] {
        let fixture = Fixture::with_mapping(keys, mapping.clone(), &documents).await;
        let request = |file_type: &str| json!({ "fileType": file_type, "columns": columns });
        let objects = |rows: Vec<Row>| rows.into_iter().map(Value::Object).collect::<Vec<_>>();
        assert_eq!(objects(parquet_rows(file(&fixture, request("parquet")).await)), expected);
        assert_eq!(objects(arrow_rows(&file(&fixture, request("arrow")).await)), expected);
        let csv = String::from_utf8(file(&fixture, request("csv")).await).unwrap();
        let rows: Vec<&str> = csv.split("\r\n").skip(1).collect();
        assert_eq!(rows, [r#"1,a,"lung, skin","1, 2, 3",0.5,"x, y, z",4"#, "2,b,liver,7,,,", "3,,,,,,", ""]);
        let lines = String::from_utf8(file(&fixture, request("jsonl")).await).unwrap();
        let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        for (line, row) in lines.iter().zip(&expected) {
            for field in ["name", "sites", "sizes", "score"] {
                assert_eq!(values_at(line, &[field]), values_at(row, &[field]), "{field}");
            }
        }
        let mut one = request("parquet");
        one["sqon"] = json!({ "op": "in", "content": { "fieldName": "name", "value": ["b"] } });
        let single = json!({ "id": "2", "name": "b", "sites": "liver", "sizes": 7, "donors": [] });
        assert_eq!(objects(parquet_rows(file(&fixture, one).await)), [single]);
    }
}

#[tokio::test]
async fn a_value_that_is_not_of_its_type_is_null() {
    let mapping = json!({ "properties": { "age": { "type": "long", "ignore_malformed": true } } });
    let ages = [("1", json!("unknown")), ("2", json!("12")), ("3", json!(5))];
    let documents = ages.map(|(id, age)| json!({ "_id": id, "age": age }));
    let fixture = Fixture::with_mapping(json!({}), mapping, &documents).await;
    let found = parquet_rows(file(&fixture, json!({ "fileType": "parquet", "columns": ["id", "age"] })).await);
    let expected = [json!({ "id": "1" }), json!({ "id": "2", "age": 12 }), json!({ "id": "3", "age": 5 })];
    assert_eq!(found.into_iter().map(Value::Object).collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn whole_numbers_are_integers_unless_one_has_a_fraction() {
    let mapping = json!({ "properties": { "age": { "type": "long" }, "size": { "type": "long" } } });
    let ages = [("1", json!(1)), ("2", json!(0.5)), ("3", json!([2, "2.5"])), ("4", json!(7.0))];
    let documents = ages.map(|(id, age)| json!({ "_id": id, "age": age, "size": 1_i64 << 60 }));
    let fixture = Fixture::with_mapping(json!({}), mapping, &documents).await;
    let request = |ids: &[&str]| {
        let sqon = json!({ "op": "in", "content": { "fieldName": "_id", "value": ids } });
        json!({ "fileType": "parquet", "columns": ["age", "size"], "sqon": sqon })
    };
    let size = 1_i64 << 60;
    let found = parquet_rows(file(&fixture, request(&["1", "2"])).await);
    let found: Vec<Value> = found.into_iter().map(Value::Object).collect();
    assert_eq!(found, [json!({ "age": 1.0, "size": size }), json!({ "age": 0.5, "size": size })]);
    let found = parquet_rows(file(&fixture, request(&["1", "4"])).await);
    let found: Vec<Value> = found.into_iter().map(Value::Object).collect();
    assert_eq!(found, [json!({ "age": 1, "size": size }), json!({ "age": 7, "size": size })]);
    let found = parquet_rows(file(&fixture, request(&["3", "4"])).await);
    assert_eq!((&found[0]["age"], &found[1]["age"]), (&json!([2.0, 2.5]), &json!([7.0])));
}

#[tokio::test]
async fn a_large_file_has_several_row_groups_and_all_rows() {
    let mut random = StdRng::seed_from_u64(1);
    let documents: Vec<Value> = (0..600)
        .map(|id| {
            let name: String = (0..20_000).map(|_| random.random_range('a'..='z')).collect();
            json!({ "_id": format!("{id:04}"), "object_id": format!("FI{id}"), "file_name": name })
        })
        .collect();
    let fixture = Fixture::new(sample_keys(), &documents).await;
    let request = json!({ "fileType": "parquet", "columns": ["object_id", "file_name"], "maxRows": 1000 });
    let download = fixture.begin(&json!({ "files": [request] })).await.unwrap();
    assert_eq!(
        (download.file_name.as_str(), download.content_type),
        ("file.parquet", "application/vnd.apache.parquet")
    );
    let file = Bytes::from(bytes(download).await);
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    assert!(builder.metadata().num_row_groups() > 1, "{} row groups", builder.metadata().num_row_groups());
    let found: Vec<Row> = builder.build().unwrap().flat_map(|batch| rows(&batch.unwrap())).collect();
    assert_eq!(found.len(), documents.len());
    for (found, document) in found.iter().zip(&documents) {
        assert_eq!((&found["object_id"], &found["file_name"]), (&document["object_id"], &document["file_name"]));
    }
}

#[tokio::test]
async fn a_sheet_has_labels_numbers_and_texts() {
    let fixture = Fixture::sample().await;
    let columns = json!([
        { "fieldName": "object_id", "displayName": "Object" }, "size", "is_open", "access-level", "tags", "donors.age"
    ]);
    let sheet = file(&fixture, json!({ "fileType": "xlsx", "columns": columns })).await;
    let mut workbook = Xlsx::<Cursor<Vec<u8>>>::new(Cursor::new(sheet)).unwrap();
    let name = workbook.sheet_names().remove(0);
    let cells = workbook.worksheet_range(&name).unwrap();
    let row = |index: usize| cells.rows().nth(index).unwrap().to_vec();
    let text = |text: &str| Data::String(text.to_owned());
    assert_eq!(row(0)[..3], [text("Object"), text("Size"), text("Is Open")]);
    let first = [text("FI1"), Data::Float(5e9), Data::Bool(true), text("Open access"), text("x, y"), text("40, 0")];
    assert_eq!(row(1), first);
    assert_eq!(row(3), [text("FI3"), Data::Empty, Data::Empty, Data::Empty, Data::Empty, Data::Empty]);
}

#[tokio::test]
async fn an_unknown_format_names_all_of_them() {
    let fixture = Fixture::sample().await;
    let message = fixture.refusal(&json!({ "files": [{ "fileType": "ods" }] })).await.to_string();
    assert!(["\"parquet\"", "\"arrow\"", "\"xlsx\""].iter().all(|name| message.contains(name)), "{message}");
}
