//! Whole mappings: versions and types together, shapes, overrides.

use cantata_indexing::mapping_derivation::derive_mapping;
use cantata_mapping::IndexMapping;
use serde_json::json;

use crate::support::{analysis_type, definition, derived, source, type_at};

#[test]
fn versions_and_types_are_brought_together_whatever_their_order() {
    let types = [
        analysis_type(
            "a",
            1,
            json!({"experiment": {"properties": {"size": {"type": "integer"}, "who": {"type": "object", "properties": {"x": {"type": "string"}}}}}}),
        ),
        analysis_type(
            "a",
            2,
            json!({"experiment": {"properties": {"size": {"type": "number"}, "new": {"type": "boolean"}}}}),
        ),
        analysis_type(
            "b",
            1,
            json!({"experiment": {"properties": {"size": {"type": "number"}, "who": {"type": "array", "items": {"properties": {"y": {"type": "string"}}}}, "new": {"type": "string"}}}}),
        ),
    ];
    let straight = derived(&types);
    let mapping = &straight.mapping;
    assert_eq!(type_at(mapping, "experiment.size"), "double");
    assert_eq!(type_at(mapping, "experiment.new"), "keyword");
    assert_eq!(type_at(mapping, "experiment.who"), "nested");
    assert_eq!(type_at(mapping, "experiment.who.x"), "keyword");
    assert_eq!(type_at(mapping, "experiment.who.y"), "keyword");
    assert_eq!(
        straight.notes,
        [
            "`experiment.size` is long in other analysis types and double in a:2; it is taken as double",
            "`experiment.who` is object in other analysis types and nested in b:1; it is taken as nested",
            "`experiment.new` is boolean in other analysis types and keyword in b:1; it is taken as keyword",
        ]
    );
    for order in [[2, 1, 0], [1, 2, 0], [1, 0, 2], [2, 0, 1], [0, 2, 1]] {
        assert_eq!(derived(&order.map(|place: usize| types[place].clone())), straight);
    }
}

#[test]
fn types_that_are_not_taken_say_nothing() {
    let types = [
        analysis_type("a", 1, json!({"experiment": {"type": "string"}})),
        analysis_type("a", 2, json!({"experiment": {"type": "integer"}})),
        analysis_type("b", 1, json!({"experiment": {"type": "boolean"}})),
    ];
    let only = source(json!({"document": "analysis-centric", "analysisTypes": [{"name": "a", "versions": [2]}]}));
    let derived = derive_mapping(&only, &types);
    assert_eq!(type_at(&derived.mapping, "experiment"), "long");
    assert_eq!(derived.notes, Vec::<String>::new());
}

#[test]
fn shapes_have_their_fields() {
    let types = [analysis_type("a", 1, json!({"experiment": {"type": "string"}}))];
    let of_analyses = derive_mapping(&source(json!({"document": "analysis-centric"})), &types).mapping;
    let of_files = derive_mapping(&source(json!({"document": "file-centric"})), &types).mapping;
    let paths = |mapping: &serde_json::Value| -> Vec<String> {
        IndexMapping::parse(mapping)
            .unwrap()
            .fields()
            .map(|field| format!("{} {}", field.path, field.type_name))
            .collect()
    };
    let file = [
        "objectId keyword",
        "fileName keyword",
        "fileSize long",
        "fileType keyword",
        "fileMd5sum keyword",
        "fileAccess keyword",
        "dataType keyword",
        "info object",
    ];
    let analysis = [
        "analysisState keyword",
        "analysisType object",
        "analysisType.name keyword",
        "analysisType.version long",
        "createdAt date",
        "updatedAt date",
        "firstPublishedAt date",
        "publishedAt date",
    ];
    let mut expected: Vec<String> = vec!["analysisId keyword".into(), "studyId keyword".into()];
    expected.extend(analysis.map(String::from));
    expected.push("files nested".into());
    expected.extend(file.map(|field| format!("files.{field}")));
    expected.push("experiment keyword".into());
    assert_eq!(paths(&of_analyses), expected);
    let mut expected: Vec<String> = file.map(String::from).to_vec();
    expected.extend(["studyId keyword", "analysis object", "analysis.analysisId keyword"].map(String::from));
    expected.extend(analysis.map(|field| format!("analysis.{field}")));
    expected.push("analysis.experiment keyword".into());
    assert_eq!(paths(&of_files), expected);
}

#[test]
fn fields_of_paths_have_the_types_of_what_is_found() {
    let types = [analysis_type(
        "a",
        1,
        json!({
            "experiment": {"properties": {"day": {"type": "string", "format": "date"}, "free": {}}},
            "donors": {"type": "array", "items": {"properties": {
                "age": {"type": "integer"},
                "samples": {"type": "array", "items": {"properties": {"weight": {"type": "number"}}}},
            }}},
        }),
    )];
    let keys = json!({"document": {"each": "$.donors[*]", "id": "@.donorId", "fields": {
        "day": "$.experiment.day",
        "donor.age": "@.age",
        "donor.samples": "@.samples",
        "weights": "@.samples[*].weight",
        "ages": "$.donors[*].age",
        "sizes": "$.files[?@.fileType == 'bam'].fileSize",
        "names": "$..fileName",
        "free": "$.experiment.free.colour",
    }}});
    let derived = derive_mapping(&source(keys), &types);
    let types = ["analysisId", "day", "donor.age", "donor.samples", "donor.samples.weight", "weights", "ages", "names"]
        .map(|path| type_at(&derived.mapping, path));
    assert_eq!(types, ["keyword", "date", "long", "nested", "double", "double", "long", "keyword"]);
    let arrays: Vec<&str> = derived.mapping["_meta"]["cantata"]["extended"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| entry["isArray"] == true)
        .map(|entry| entry["fieldName"].as_str().unwrap())
        .collect();
    assert_eq!(arrays, ["ages", "names", "weights"]);
    assert_eq!(
        derived.notes,
        [
            "field `free`: no analysis type says what its path finds; `mapping` can name a type",
            "field `sizes`: no analysis type says what its path finds; `mapping` can name a type",
        ]
    );
}

#[test]
fn an_override_is_laid_over_what_is_derived() {
    let types = [analysis_type(
        "a",
        1,
        json!({"experiment": {"properties": {
            "tool": {"type": "string"}, "size": {"type": "integer"}, "runs": {"type": "array", "items": {"properties": {"n": {"type": "integer"}}}},
        }}}),
    )];
    let keys = json!({"document": "analysis-centric", "mapping": {"properties": {
        "experiment": {"properties": {
            "tool": {"type": "text", "fields": {"keyword": {"type": "keyword"}}},
            "runs": {"type": "object", "properties": {"m": {"type": "long"}}},
        }},
        "experiment.size": {"type": "integer"},
        "files": {"type": "nested", "properties": {"info": {"type": "flattened"}}},
        "sum": {"type": "alias", "path": "experiment.size"},
    }}});
    let derived = derive_mapping(&source(keys), &types);
    assert_eq!(derived.notes, Vec::<String>::new());
    let mapping = &derived.mapping;
    assert_eq!(definition(mapping, "experiment.tool")["fields"]["keyword"]["type"], "keyword");
    assert_eq!(*definition(mapping, "experiment.size"), json!({"type": "integer"}));
    assert_eq!(type_at(mapping, "experiment.runs"), "object");
    assert_eq!(type_at(mapping, "experiment.runs.n"), "long");
    assert_eq!(type_at(mapping, "experiment.runs.m"), "long");
    assert_eq!(type_at(mapping, "files.info"), "flattened");
    assert_eq!(type_at(mapping, "files.fileName"), "keyword");
    IndexMapping::parse(mapping).unwrap();
}

#[test]
fn an_override_that_does_not_fit_is_left_out_and_told() {
    let keys = json!({"document": "analysis-centric", "mapping": {"properties": {
        "a": {"type": "keyword"}, "sum": {"type": "alias", "path": "a"},
    }}});
    let mut source = source(keys);
    source.mapping.as_mut().unwrap().insert("sum".into(), json!({"type": "alias", "path": "nowhere"}));
    let derived = derive_mapping(&source, &[]);
    assert_eq!(type_at(&derived.mapping, "a"), "not there");
    assert!(derived.notes[0].starts_with("`mapping` is left out: "), "{:?}", derived.notes);
}
