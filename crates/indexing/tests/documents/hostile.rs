//! Analyses and schemas of an attacker, or of another server: a reason or an outcome, never a panic.

use cantata_indexing::document_builder::DocumentBuilder;
use cantata_mapping::IndexMapping;
use serde_json::{Map, Value, json};

use crate::support::{analysis, derived, documents, source, type_at, with_definitions};

fn reason(document: &str, change: impl FnOnce(&mut Value)) -> String {
    let mut analysis = analysis();
    change(&mut analysis);
    documents(json!({"document": document}), &analysis).unwrap_err()
}

#[test]
fn what_is_missing_or_of_another_type_is_the_reason() {
    for shape in ["file-centric", "analysis-centric"] {
        assert_eq!(reason(shape, |it| *it = json!([1])), "the analysis is a list, expected an object");
        assert_eq!(
            reason(shape, |it| it["analysisId"] = json!(5)),
            "`analysisId` of the analysis is a number, expected a string"
        );
        assert_eq!(
            reason(shape, |it| drop(it.as_object_mut().unwrap().remove("files"))),
            "`files` of the analysis is not there, expected a list"
        );
        assert_eq!(
            reason(shape, |it| it["files"][1] = json!("f")),
            "the file at place 1 is a string, expected an object"
        );
    }
    assert_eq!(
        reason("file-centric", |it| it["files"][0]["objectId"] = json!("")),
        "`objectId` of the file at place 0 is an empty string, expected a string"
    );
    assert_eq!(
        reason("file-centric", |it| it["studyId"] = Value::Null),
        "`studyId` of the analysis is null, expected a string"
    );
}

#[test]
fn ids_that_occur_twice_or_are_too_long_are_refused() {
    assert_eq!(
        reason("file-centric", |it| it["files"][1]["objectId"] = json!("f-1")),
        "two documents have the id \"f-1\""
    );
    assert_eq!(
        reason("file-centric", |it| it["files"][1]["objectId"] = json!("x".repeat(513))),
        "the id of a document has 513 bytes, expected 1 to 512"
    );
    let keys = json!({"document": {"each": "$.donors[*]", "id": "$.studyId", "fields": {"a": "@.age"}}});
    assert_eq!(documents(keys, &analysis()).unwrap_err(), "two documents have the id \"S\"");
    for (id, found) in [("@.nowhere", "nothing"), ("$.files", "a list"), ("$.files[*].fileName", "a list")] {
        let keys = json!({"document": {"id": id, "fields": {"a": "$.studyId"}}});
        let expected = format!("the path of the document's id finds {found}, expected one string or number");
        assert_eq!(documents(keys, &analysis()).unwrap_err(), expected);
    }
}

#[test]
fn documents_are_single_lines_however_an_analysis_is_written() {
    let written = serde_json::to_string_pretty(&analysis()).unwrap().replace('\n', "\r\n");
    for shape in ["file-centric", "analysis-centric"] {
        let shape = DocumentBuilder::new(&source(json!({"document": shape})));
        let documents = shape.documents(&written).unwrap();
        assert_eq!(documents, shape.documents(&analysis().to_string()).unwrap());
        assert!(documents.iter().all(|one| !one.source.contains(&b'\n') && !one.source.contains(&b'\r')));
    }
}

#[test]
fn numbers_stay_as_they_are_written_and_of_two_members_with_one_name_the_last_counts() {
    let written = analysis().to_string();
    let written = written.replacen('{', r#"{"size":1,"size":0.10000000000000000001,"analysisId":"other","#, 1);
    let documents = DocumentBuilder::new(&source(json!({"document": "analysis-centric"}))).documents(&written).unwrap();
    let source = String::from_utf8(documents[0].source.clone()).unwrap();
    assert_eq!((documents[0].id.as_str(), documents.len()), ("a-1", 1));
    assert!(source.starts_with(r#"{"size":0.10000000000000000001,"analysisId":"a-1","#), "{source}");
}

#[test]
fn what_is_not_json_is_told() {
    let shape = DocumentBuilder::new(&source(json!({"document": "file-centric"})));
    for text in ["", "{", "{\"analysisId\": tru}", "{\n\"analysisId\": \"a\""] {
        let reason = shape.documents(text).unwrap_err().to_string();
        assert!(reason.starts_with("the analysis is not JSON: "), "{text}: {reason}");
    }
}

#[test]
fn an_analysis_without_files_has_no_documents_of_files() {
    let mut analysis = analysis();
    analysis["files"] = json!([]);
    assert_eq!(documents(json!({"document": "file-centric"}), &analysis).unwrap(), []);
}

#[test]
fn a_hundred_thousand_files_are_taken_and_endless_repetition_is_not() {
    let mut analysis = analysis();
    let file = analysis["files"][0].clone();
    let files = (0..100_000).map(|number| {
        let mut file = file.clone();
        file["objectId"] = json!(format!("f-{number}"));
        file
    });
    analysis["files"] = files.collect();
    assert_eq!(documents(json!({"document": "file-centric"}), &analysis).unwrap().len(), 100_000);
    analysis["experiment"]["text"] = json!("x".repeat(10_000));
    assert_eq!(
        documents(json!({"document": "file-centric"}), &analysis).unwrap_err(),
        "the documents of the analysis have more than 256 MB together"
    );
}

#[test]
fn schemas_that_refer_to_themselves_come_to_an_end() {
    let definitions = json!({
        "tree": {"type": "object", "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/definitions/tree"}}}},
        "loop": {"$ref": "#/definitions/loop"},
        "one": {"properties": {"a": {"$ref": "#/definitions/two"}, "b": {"$ref": "#/definitions/two"}}},
        "two": {"properties": {"a": {"$ref": "#/definitions/one"}, "b": {"$ref": "#/definitions/one"}, "c": {"type": "integer"}}},
    });
    let properties = json!({
        "experiment": {"$ref": "#/definitions/tree"},
        "circle": {"$ref": "#/definitions/loop"},
        "pair": {"$ref": "#/definitions/one"},
        "nowhere": {"$ref": "#/definitions/absent"},
        "outside": {"$ref": "https://example.org/schema.json"},
        "whole": {"$ref": "#"},
    });
    let mapping = derived(&[with_definitions("t", 1, properties, definitions)]).mapping;
    assert_eq!(type_at(&mapping, "experiment.name"), "keyword");
    assert_eq!(type_at(&mapping, "experiment.children"), "shown only");
    assert_eq!(type_at(&mapping, "circle"), "shown only");
    assert_eq!(type_at(&mapping, "pair.a.c"), "long");
    assert_eq!(type_at(&mapping, "nowhere"), "shown only");
    assert_eq!(type_at(&mapping, "outside"), "shown only");
    IndexMapping::parse(&mapping).unwrap();
}

#[test]
fn references_that_multiply_stay_within_the_limits_of_engines() {
    let mut definitions = json!({"level0": {"type": "string"}});
    for level in 1..30 {
        let below = json!({"$ref": format!("#/definitions/level{}", level - 1)});
        let item = json!({"type": "array", "items": below});
        definitions[format!("level{level}")] =
            json!({"type": "object", "properties": {"a": item, "b": below, "c": {"type": "string"}}});
    }
    let properties = json!({"experiment": {"$ref": "#/definitions/level29"}});
    let derived = derived(&[with_definitions("t", 1, properties, definitions)]);
    let mapping = IndexMapping::parse(&derived.mapping).unwrap();
    assert!(mapping.fields().count() <= 900, "{}", mapping.fields().count());
    assert!(mapping.nested_paths().count() <= 40);
    assert!(mapping.fields().all(|field| field.path.matches('.').count() < 20));
    assert_eq!(type_at(&derived.mapping, "files.fileName"), "keyword");
    assert!(!derived.notes.is_empty() && derived.notes.iter().all(|note| note.starts_with("there are more than ")));
}

#[test]
fn a_thousand_fields_are_cut_off_and_told() {
    let many: Map<String, Value> = (0..1000).map(|n| (format!("f{n}"), json!({"type": "string"}))).collect();
    let properties = json!({"experiment": {"type": "object", "properties": many}});
    let derived = derived(&[with_definitions("t", 1, properties, json!({}))]);
    assert_eq!(IndexMapping::parse(&derived.mapping).unwrap().fields().count(), 900);
    assert_eq!(derived.notes, ["there are more than 900 fields; from `experiment.f880` on they are left out"]);
}

#[test]
fn schemas_that_are_none_give_a_mapping_all_the_same() {
    let odd = json!({
        "experiment": 5, "a": "text", "b": {"type": 7}, "c": {"properties": []}, "d": {"items": 3},
        "e": {"enum": {}}, "f": {"allOf": "x"}, "g": {"type": ["nonsense"]}, "h": {"anyOf": [5]},
        "": {"type": "string"}, "x..y": {"type": "string"}, " ": {"type": "string"}, "_id": {"type": "string"},
        "i.j": {"type": "string"}, "i": {"type": "object", "properties": {"j": {"type": "integer"}}},
        "k": {"type": "string"}, "k.l": {"type": "string"},
        "analysisId": {"type": "integer"}, "files.x": {"type": "integer"},
    });
    for schema in [json!(true), json!(null), json!([]), json!({"properties": 5})] {
        let mut hostile = with_definitions("t", 1, json!({}), json!({}));
        hostile.schema = schema;
        IndexMapping::parse(&derived(&[hostile]).mapping).unwrap();
    }
    let mapping = derived(&[with_definitions("t", 1, odd, json!({}))]).mapping;
    IndexMapping::parse(&mapping).unwrap();
    assert_eq!(type_at(&mapping, "i.j"), "keyword");
    assert_eq!(type_at(&mapping, "k"), "shown only");
    assert_eq!(type_at(&mapping, "analysisId"), "keyword");
    assert_eq!(type_at(&mapping, "files.x"), "not there");
    assert_eq!(type_at(&mapping, "_id"), "not there");
}
