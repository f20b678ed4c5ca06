//! `cantata import`: every form of input, what is refused, what is kept, and going on after an interruption.

use std::collections::BTreeMap;
use std::io::Read;
use std::process::Stdio;
use std::time::Duration;

use cantata_demo::catalogue::{self, Documents, FILE_INDEX};
use cantata_tabular::{CellRef, Column, ColumnType, ColumnarFormat, ColumnarWriter, SpreadsheetWriter};
use serde_json::{Value, json};

use crate::catalogue::{Catalogue, gzipped};
use crate::process::Server;

const COUNT: u64 = 60;

fn ndjson() -> Vec<u8> {
    let mut lines = Vec::new();
    Documents::new(1, COUNT).write_to(&mut lines).unwrap();
    lines
}

/// Returns the documents as they should be in the index.
fn expected() -> BTreeMap<String, Value> {
    let without_id = |mut document: Value| {
        let id = document.as_object_mut().unwrap().shift_remove("_id").unwrap();
        (id.as_str().unwrap().to_owned(), document)
    };
    Documents::new(1, COUNT).map(without_id).collect()
}

fn mapping_file(catalogue: &Catalogue) -> String {
    catalogue.file("mapping.json", catalogue::mapping(FILE_INDEX).to_string())
}

#[test]
fn every_form_of_input_gives_the_same_documents() {
    let values: Vec<Value> = Documents::new(1, COUNT).collect();
    let pretty: Vec<String> = values.iter().map(|value| format!("{value:#}")).collect();
    let forms: [(&str, Vec<u8>); 6] = [
        ("lines.ndjson", ndjson()),
        ("lines", ndjson().strip_suffix(b"\n").unwrap().to_vec()),
        ("array.json", serde_json::to_vec(&values).unwrap()),
        ("array-pretty.json", serde_json::to_vec_pretty(&values).unwrap()),
        ("pretty.json", pretty.join("\n").into_bytes()),
        ("together.json", pretty.concat().into_bytes()),
    ];
    let expected = expected();
    for (name, content) in forms {
        for (name, content) in [(name.to_owned(), content.clone()), (format!("{name}-zipped"), gzipped(&content))] {
            let catalogue = Catalogue::new();
            let mapping = mapping_file(&catalogue);
            let file = catalogue.file(&name, &content);
            let summary = catalogue.ok(&["import", "--index=files", "--mapping", &mapping, &file]);
            assert!(summary.starts_with(&format!("files: {COUNT} documents taken, 0 refused; ")), "{name}: {summary}");
            assert_eq!(catalogue.documents("files"), expected, "{name}");
        }
    }
}

#[test]
fn standard_input_is_taken_with_other_files_zipped_or_not() {
    let catalogue = Catalogue::new();
    let file = catalogue.file("more.json", json!({"_id": "more", "file_access": "open"}).to_string());
    for input in [ndjson(), [gzipped(&ndjson()), gzipped(b"{\"_id\": \"second member\"}")].concat()] {
        let (code, _, stderr) = catalogue.run_with_input(&["import", "--index=files", &file, "-"], &input);
        assert_eq!((code, stderr.as_str()), (0, ""));
    }
    assert_eq!(catalogue.figure("files", "documents"), COUNT + 2);
}

#[test]
fn little_memory_makes_smaller_segments_of_the_same_documents() {
    let count = 4_000;
    let mut lines = Vec::new();
    Documents::new(1, count).write_to(&mut lines).unwrap();
    assert!(lines.len() > 4 << 20, "{} bytes", lines.len());
    for (limit, is_divided) in [("--memory-limit=1048576", true), ("--memory-limit=8000000000", false)] {
        let catalogue = Catalogue::new();
        let file = catalogue.file("lines.ndjson", &lines);
        catalogue.ok(&["import", "--index=files", limit, &file]);
        assert_eq!(catalogue.figure("files", "documents"), count);
        assert_eq!(catalogue.figure("files", "segments") > 3, is_divided, "{limit}");
    }
}

#[test]
fn single_and_empty_inputs() {
    let catalogue = Catalogue::new();
    for (content, documents) in
        [("", 0), ("\n \n", 0), ("[]", 0), (" [ ] [ ]", 0), ("{}", 1), ("\u{feff}{\"a\": 1}\r\n", 2), ("[\n{}]", 3)]
    {
        let file = catalogue.file(&format!("{documents}-{}", content.len()), content);
        catalogue.ok(&["import", "--index=few", &file]);
        assert_eq!(catalogue.figure("few", "documents"), documents, "{content:?}");
    }
}

#[test]
fn a_bad_line_is_told_with_its_place_and_stops_nothing() {
    let catalogue = Catalogue::new();
    let content = "{\"n\": 1}\nno JSON\n\n{\"n\": \"many\"}\n{\"n\": 2}{\"n\": 3}\n{\"n\": \n{\"n\": 4}\n";
    let file = catalogue.file("bad.json", content);
    let array = catalogue.file("bad-array.json", "[{\"n\": 5},\n 7, {\"n\":\n \"few\"},\n {\"n\": 6, }, {\"n\": 8}]");
    let (code, stdout, stderr) = catalogue.run(&["import", "--index=numbers", &file, &array]);
    assert_eq!(code, 1);
    assert!(stdout.starts_with("numbers: 4 documents taken, 7 refused; "), "{stdout}");
    let mut places: Vec<&str> = stderr.lines().map(|line| line.split_once(": ").unwrap().0).collect();
    places.sort_unstable();
    let place = |file: &str, line: u64| format!("{file}, line {line}");
    let mut expected: Vec<String> = [2, 4, 5, 6].iter().map(|line| place(&file, *line)).collect();
    expected.extend([2, 2, 4].iter().map(|line| place(&array, *line)));
    expected.sort_unstable();
    assert_eq!(places, expected, "{stderr}");
    assert!(stderr.contains("`n`: found the string \"many\", expected a number"), "{stderr}");
}

#[test]
fn a_file_whose_documents_cannot_be_told_apart_ends_there() {
    let catalogue = Catalogue::new();
    let broken = catalogue.file("broken.json", "[\n  {\"n\": 1},\n  {\"n\": 2]\n");
    let mut half = gzipped(b"{\"n\": 3}\n{\"n\": 4}\n".repeat(1000).as_slice());
    half.truncate(half.len() - 20);
    let half = catalogue.file("half.gz", half);
    let whole = catalogue.file("whole.json", "{\"n\": 5}");
    let (code, stdout, stderr) = catalogue.run(&["import", "--index=numbers", &broken, &half, &whole]);
    assert_eq!(code, 1);
    assert!(stderr.contains(&format!("{broken}, line 3, column 10: found `]`")), "{stderr}");
    assert!(stderr.contains(&format!("{half}: cannot be read further: ")), "{stderr}");
    assert!(stdout.contains(" 0 refused, files not read to their end: 2; "), "{stdout}");
    let documents = catalogue.documents("numbers");
    let count = |n: u64| documents.values().filter(|document| document["n"] == n).count();
    assert_eq!((count(1), count(5)), (1, 1));
    assert!(count(2) == 0 && documents.len() >= 2, "{}", documents.len());
}

/// What is unpacked is never kept as a whole, so a small file cannot fill the memory.
#[test]
fn a_document_that_only_unpacking_makes_large_is_left_out() {
    let catalogue = Catalogue::new();
    let mut content = b"{\"n\": 1}\n{\"text\": \"".to_vec();
    content.resize(content.len() + (100 << 20), b' ');
    content.extend_from_slice(b"\"}\n{\"n\": 2}\n");
    let bomb = gzipped(&content);
    assert!(bomb.len() < 1 << 20);
    let file = catalogue.file("bomb.ndjson.gz", bomb);
    let (code, _, stderr) = catalogue.run(&["import", "--index=numbers", &file]);
    assert_eq!(code, 1);
    assert!(stderr.contains("longer than 64 MB"), "{stderr}");
    let mut kept: Vec<Value> =
        catalogue.documents("numbers").into_values().map(|document| document["n"].clone()).collect();
    kept.sort_by_key(Value::as_u64);
    assert_eq!(kept, [1, 2]);
}

#[test]
fn ids_come_from_the_document_the_field_or_the_place() {
    let catalogue = Catalogue::new();
    let content = "[{\"_id\": \"a\", \"k\": {\"v\": 1}}, {\"k\": {\"v\": 2}}, {\"k\": {}}]";
    let file = catalogue.file("documents.json", content);
    let (code, _, stderr) = catalogue.run(&["import", "--index=keyed", "--id=k.v", &file]);
    assert_eq!((code, stderr.lines().count()), (1, 1), "{stderr}");
    let documents = catalogue.documents("keyed");
    assert_eq!(documents.keys().collect::<Vec<_>>(), ["2", "a"]);
    assert_eq!(documents["a"], json!({"k": {"v": 1}}));

    // Documents on one line are different ones; the same file again brings the same ones again.
    for _ in 0..2 {
        catalogue.ok(&["import", "--index=made", &file]);
        assert_eq!(catalogue.figure("made", "documents"), 3);
    }
}

#[test]
fn another_mapping_than_that_of_the_index_is_refused() {
    let catalogue = Catalogue::new();
    let mapping = catalogue.file("mapping.json", json!({"properties": {"n": {"type": "keyword"}}}).to_string());
    let other = catalogue.file("other.json", json!({"properties": {"n": {"type": "long"}}}).to_string());
    let more = catalogue
        .file("more.json", json!({"properties": {"n": {"type": "keyword"}, "m": {"type": "long"}}}).to_string());
    let file = catalogue.file("documents.json", "{\"_id\": \"a\", \"n\": \"1\", \"brought\": true}");
    for _ in 0..2 {
        catalogue.ok(&["import", "--index=files", "--mapping", &mapping, &file]);
    }
    for (given, difference) in [(&other, "`n`"), (&more, "lacks m")] {
        let (code, stdout, stderr) = catalogue.run(&["import", "--index=files", "--mapping", given, &file]);
        assert_eq!((code, stdout.as_str()), (2, ""));
        for part in [given.as_str(), difference, "cantata index delete files"] {
            assert!(stderr.contains(part), "'{part}' is not in: {stderr}");
        }
    }
    let unusable = catalogue.file("unusable.json", "{\"properties\": 5}");
    let (code, _, stderr) = catalogue.run(&["import", "--index=new", "--mapping", &unusable, &file]);
    assert_eq!(code, 2);
    assert!(stderr.contains(&unusable) && stderr.contains("`properties`"), "{stderr}");
}

#[test]
fn files_that_cannot_be_read_are_told_all_at_once_before_anything_happens() {
    let catalogue = Catalogue::new();
    let folder = catalogue.data_dir().parent().unwrap().to_str().unwrap().to_owned();
    let file = catalogue.file("documents.json", "{}");
    let (code, stdout, stderr) = catalogue.run(&["import", "--index=files", &file, "/none/a", &folder]);
    assert_eq!((code, stdout.as_str(), stderr.lines().count()), (2, "", 2), "{stderr}");
    assert!(stderr.contains("/none/a") && stderr.contains("is a folder"), "{stderr}");
    assert!(!catalogue.data_dir().is_dir());
}

/// Kills an import when it has taken in something, and lets the same command go on.
fn an_import_that_was_killed_goes_on(catalogue: &Catalogue, files: &[String], count: u64) {
    let mut arguments = vec!["import", "--index=many"];
    arguments.extend(files.iter().map(String::as_str));
    let mut child = catalogue.command(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let manifest = catalogue.data_dir().join("search/many/manifest.json");
    let has_begun = || {
        let manifest: Value = serde_json::from_slice(&fs_err::read(&manifest).ok()?).ok()?;
        manifest["imports"].as_object()?.values().next()?.as_u64()
    };
    while has_begun().is_none() {
        assert!(child.try_wait().unwrap().is_none(), "the import ended before it could be killed");
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let (code, summary, stderr) = catalogue.run(&arguments);
    assert_eq!(code, 0, "{stderr}");
    let taken = summary.split(' ').nth(1).unwrap().parse::<u64>().unwrap();
    assert!(taken < count, "everything was taken in again: {summary}");
    assert_eq!(catalogue.figure("many", "documents"), count);
    catalogue.ok(&["index", "verify", "many"]);
    assert!(has_begun().is_none(), "the positions are still there");
}

#[test]
fn an_import_of_many_files_goes_on() {
    let catalogue = Catalogue::new();
    let file = |number: u64| {
        let mut lines = Vec::new();
        Documents::new(3, 0).slice(number * 1000..(number + 1) * 1000).write_to(&mut lines).unwrap();
        catalogue.file(&format!("{number}.ndjson"), &lines)
    };
    let files: Vec<String> = (0..12).map(file).collect();
    an_import_that_was_killed_goes_on(&catalogue, &files, 12_000);
}

#[test]
fn an_import_of_one_file_through_a_server_goes_on() {
    let catalogue = Catalogue::new();
    // Documents without an id get the same one when they come again.
    let documents = Documents::new(3, 30_000).map(|mut document| {
        document.as_object_mut().unwrap().shift_remove("_id");
        document
    });
    let content = serde_json::to_vec_pretty(&documents.collect::<Vec<_>>()).unwrap();
    assert!(content.len() > 3 * (16 << 20), "too small for several requests");
    let file = catalogue.file("many.json", gzipped(&content));
    let _server = Server::start("serve", &catalogue.data_dir(), &[]);
    an_import_that_was_killed_goes_on(&catalogue, &[file], 30_000);
}

#[test]
fn a_running_server_takes_the_documents() {
    let catalogue = Catalogue::new();
    let mapping = mapping_file(&catalogue);
    let lines = catalogue.file("lines.ndjson", ndjson());
    let values: Vec<Value> = Documents::new(1, COUNT).collect();
    let array = catalogue.file("array.json", serde_json::to_vec_pretty(&values).unwrap());
    let bad = catalogue.file("bad.json", "[{\"_id\": \"x\"},\n\n {\"file\": {\"size\": \"large\"}}, 5]");
    let server = Server::start("serve", &catalogue.data_dir(), &[]);
    let address = format!("http://{}", server.address);
    catalogue.ok(&["import", "--index=files", "--mapping", &mapping, &lines]);
    catalogue.ok(&["import", "--index=arrays", "--mapping", &mapping, &array, "--server", &address]);
    let (code, stdout, stderr) = catalogue.run(&["import", "--index=files", &bad]);
    assert_eq!(code, 1, "{stdout}{stderr}");
    for line in stderr.lines() {
        assert!(line.starts_with(&format!("{bad}, line 3: ")), "{stderr}");
    }
    assert_eq!(server.get("/admin/indexes/arrays").1["documents"], COUNT);
    let (_, status) = server.stop("TERM");
    assert_eq!(status.code(), Some(0));
    assert_eq!(catalogue.documents("arrays"), expected());
    let mut documents = catalogue.documents("files");
    assert!(documents.remove("x").is_some());
    assert_eq!(documents, expected());
}

#[test]
fn tables_become_documents_with_the_types_of_all_their_cells() {
    let csv = "\u{feff}_id,name,age,weight,born,open,code\r\n\
               a,\"Rose, \"\"R\"\"\",7,1.5,2020-01-31,true,007\r\n\
               b,\"two\nlines\",8,2,2021-02-01,false,12\r\n\
               c,,,,,,\r\n";
    let expected: BTreeMap<String, Value> = [
        (
            "a",
            json!({"name": "Rose, \"R\"", "age": 7, "weight": 1.5, "born": "2020-01-31", "open": true, "code": "007"}),
        ),
        (
            "b",
            json!({"name": "two\nlines", "age": 8, "weight": 2.0, "born": "2021-02-01", "open": false, "code": "12"}),
        ),
        ("c", json!({})),
    ]
    .map(|(id, document)| (id.to_owned(), document))
    .into();
    let tsv = "_id\tname\tage\na\tRose\t7\n";
    for (name, content) in [("plants.csv", csv.as_bytes().to_vec()), ("plants.csv.gz", gzipped(csv.as_bytes()))] {
        let catalogue = Catalogue::new();
        let file = catalogue.file(name, content);
        let (code, stdout, stderr) = catalogue.run(&["import", "--index=plants", &file]);
        assert_eq!(code, 0, "{stderr}");
        assert!(stdout.starts_with("plants: 3 documents taken, 0 refused; "), "{stdout}");
        let types = "name keyword, age long, weight double, born date, open boolean, code keyword";
        assert!(stderr.contains(types), "{stderr}");
        assert_eq!(catalogue.documents("plants"), expected, "{name}");
    }
    let catalogue = Catalogue::new();
    let file = catalogue.file("plants.tsv", tsv);
    assert_eq!(catalogue.run(&["import", "--index=plants", "--type", "age=keyword", &file]).0, 0);
    assert_eq!(catalogue.documents("plants")["a"], json!({"name": "Rose", "age": "7"}));
}

#[test]
fn rows_that_are_none_are_refused_at_their_lines() {
    let catalogue = Catalogue::new();
    let file = catalogue.file("plants.csv", "_id,age\na,1\nb,2,3\n\"c\nc\",4\nd,old\n");
    let (code, stdout, stderr) = catalogue.run(&["import", "--index=plants", "--type=age=long", &file]);
    assert_eq!(code, 1, "{stderr}");
    assert!(stdout.starts_with("plants: 2 documents taken, 2 refused; "), "{stdout}");
    assert!(stderr.contains("plants.csv, line 3: found 3 cells, expected 2"), "{stderr}");
    assert!(stderr.contains("plants.csv, line 6: "), "{stderr}");
    for (name, content, part) in [
        ("empty.csv", "", "is empty"),
        ("nameless.csv", "a,,b\n", "column 2 has no name"),
        ("twice.csv", "a,a\n", "two columns are called 'a'"),
    ] {
        let file = catalogue.file(name, content);
        let (code, _, stderr) = catalogue.run(&["import", "--index=other", &file]);
        assert!(code == 1 && stderr.contains(part), "{name}: {code} {stderr}");
    }
    let file = catalogue.file("fine.csv", "a\n1\n");
    for (given, part) in [("--type=b=long", "no table has a column 'b'"), ("--type=a=int", "found the type 'int'")] {
        let (code, _, stderr) = catalogue.run(&["import", "--index=other", given, &file]);
        assert!(code == 2 && stderr.contains(part), "{given}: {code} {stderr}");
    }
    let (_, listed, _) = catalogue.run(&["index", "list", "--json"]);
    assert!(!listed.contains("other"), "a refused import leaves nothing: {listed}");
}

#[test]
fn sheets_and_parquet_files_become_documents() {
    let mut sheet = SpreadsheetWriter::new(["_id", "name", "age", "open", "code"]).unwrap();
    for cells in [
        [
            CellRef::Text("a"),
            CellRef::Text(" Rose "),
            CellRef::Integer(7),
            CellRef::Boolean(true),
            CellRef::Text("007"),
        ],
        [CellRef::Text("b"), CellRef::Text("Fern"), CellRef::Double(7.5), CellRef::Null, CellRef::Integer(12)],
    ] {
        cells.into_iter().for_each(|cell| sheet.append(cell).unwrap());
        sheet.end_row();
    }
    let (catalogue, stderr) = imported(sheet);
    assert!(stderr.contains("name keyword, age double, open boolean, code keyword"), "{stderr}");
    let documents = catalogue.documents("plants");
    assert_eq!(documents["a"], json!({"name": "Rose", "age": 7.0, "open": true, "code": "007"}));
    assert_eq!(documents["b"], json!({"name": "Fern", "age": 7.5, "code": "12"}));

    let column = |name: &str, column_type| Column { name: name.to_owned(), column_type };
    let place = vec![column("country", ColumnType::Text), column("visits", ColumnType::Integer)];
    let columns = [
        column("_id", ColumnType::Text),
        column("code", ColumnType::Text),
        column("seeds", ColumnType::Integer),
        column("places", ColumnType::List(Box::new(ColumnType::Struct(place)))),
    ];
    let mut table = ColumnarWriter::new(ColumnarFormat::Parquet, &columns).unwrap();
    for (id, seeds) in [("a", CellRef::Integer(1 << 60)), ("b", CellRef::Null)] {
        let [key, code, count, places] = table.builders() else { panic!("four columns have four builders") };
        key.append(CellRef::Text(id));
        code.append(CellRef::Text("12"));
        count.append(seeds);
        let [elements] = places.parts() else { panic!("a list has elements") };
        let [country, visits] = elements.parts() else { panic!("a place has two members") };
        country.append(CellRef::Text("Peru"));
        visits.append(CellRef::Integer(3));
        elements.end_struct();
        places.end_list();
        table.end_row().unwrap();
    }
    let content = table.finish().unwrap().collect::<Result<Vec<_>, _>>().unwrap().concat();
    let file = catalogue.file("places.parquet", content);
    let (code, _, stderr) = catalogue.run(&["import", "--index=places", "--type=places.visits=keyword", &file]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("code keyword, seeds long, places nested (country keyword, visits keyword)"), "{stderr}");
    let places = json!([{"country": "Peru", "visits": "3"}]);
    let documents = catalogue.documents("places");
    assert_eq!(documents["a"], json!({"code": "12", "seeds": 1_i64 << 60, "places": places}));
    assert_eq!(documents["b"], json!({"code": "12", "places": places}));
    for name in ["broken.parquet", "broken.xlsx"] {
        let file = catalogue.file(name, "PAR1 but nothing else");
        let (code, _, stderr) = catalogue.run(&["import", "--index=other", &file]);
        assert!(code == 1 && stderr.contains(name) && stderr.contains("cannot be read"), "{code} {stderr}");
    }
}

/// Imports a sheet into the index `plants`; returns also what was printed as notes.
fn imported(sheet: SpreadsheetWriter) -> (Catalogue, String) {
    let mut content = Vec::new();
    sheet.finish().unwrap().read_to_end(&mut content).unwrap();
    let catalogue = Catalogue::new();
    let file = catalogue.file("plants.xlsx", content);
    let (code, stdout, stderr) = catalogue.run(&["import", "--index=plants", &file]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    (catalogue, stderr)
}

#[test]
fn errors_of_formulas_are_empty_cells_and_summed_up() {
    let mut sheet = SpreadsheetWriter::new(["_id", "age", "name"]).unwrap();
    for (id, age, name) in [
        ("a", CellRef::Integer(7), "Rose"),
        ("b", CellRef::Text("#N/A"), "Fern"),
        ("c", CellRef::Text("#N/A"), "#REF!"),
    ] {
        [CellRef::Text(id), age, CellRef::Text(name)].into_iter().for_each(|cell| sheet.append(cell).unwrap());
        sheet.end_row();
    }
    let (catalogue, stderr) = imported(sheet);
    assert!(stderr.contains("2 cells are #N/A, the first in column 'age', line 3; they are left empty"), "{stderr}");
    assert!(stderr.contains("1 cells are #REF!, the first in column 'name', line 4"), "{stderr}");
    assert!(stderr.contains("age long, name keyword"), "{stderr}");
    let documents = catalogue.documents("plants");
    assert_eq!((&documents["b"], &documents["c"]), (&json!({"name": "Fern"}), &json!({})));
}

#[test]
fn a_fraction_after_a_whole_number_makes_a_double() {
    let catalogue = Catalogue::new();
    let lines = [
        json!({"_id": "a", "score": 0, "place": {"depth": [1, 2]}, "size": 1, "code": "x", "parts": {"a.b": 3}}),
        json!({"_id": "b", "score": null, "place": {"depth": 2.5}, "size": 1_u64 << 60, "code": 0.5}),
        json!({"_id": "c", "score": 0.5, "parts": {"a": {"b": 0.25}}}),
    ];
    let content: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let file = catalogue.file("numbers.ndjson", content);
    catalogue.ok(&["import", "--index=numbers", &file]);
    let types = ["score", "place.depth", "size", "code", "parts.a.b"].map(|path| catalogue.field_type("numbers", path));
    assert_eq!(types, ["double", "double", "long", "text", "double"]);
    assert_eq!(catalogue.documents("numbers")["a"]["score"], json!(0), "a document stays as it is");
    // A mapping says what is meant.
    let mapping = catalogue.file("mapping.json", json!({"properties": {"score": {"type": "long"}}}).to_string());
    catalogue.ok(&["import", "--index=mapped", "--mapping", &mapping, &file]);
    assert_eq!(catalogue.field_type("mapped", "score"), "long");
}

#[test]
fn many_rows_that_are_refused_for_one_reason_are_summed_up() {
    let catalogue = Catalogue::new();
    let rows: String = (0..50).map(|row| format!("{row},old{row}\n")).collect();
    let file = catalogue.file("plants.csv", format!("_id,age\n{rows}"));
    let (code, stdout, stderr) = catalogue.run(&["import", "--index=plants", "--type=age=long", &file]);
    assert_eq!(code, 1, "{stderr}");
    assert!(stdout.starts_with("plants: 0 documents taken, 50 refused; "), "{stdout}");
    assert_eq!(stderr.lines().filter(|line| line.contains("plants.csv, line ")).count(), 5, "{stderr}");
    assert!(stderr.contains("45 more are refused for such a reason: "), "{stderr}");
    let (_, listed, _) = catalogue.run(&["index", "list", "--json"]);
    assert!(!listed.contains("plants"), "a refused import leaves nothing: {listed}");
}
