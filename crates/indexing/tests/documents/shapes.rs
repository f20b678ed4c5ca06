//! The documents of each shape.

use cantata_core::AnalysisState;
use cantata_indexing::document_builder::DocumentBuilder;
use serde_json::json;

use crate::support::{analysis, documents, source};

#[test]
fn a_document_for_each_file_has_the_file_and_its_analysis() {
    let made = documents(json!({"document": "file-centric"}), &analysis()).unwrap();
    assert_eq!(made.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>(), ["f-1", "f-2"]);
    assert_eq!(
        made[1].1,
        json!({
            "info": {"lane": 3},
            "objectId": "f-2",
            "fileName": "two.bam",
            "fileSize": 18_014_398_509_481_985_u64,
            "fileType": "bam",
            "fileMd5sum": "595f44fec1e92a71d3e9e77456ba80d1",
            "fileAccess": "open",
            "dataType": "Aligned reads",
            "studyId": "S",
            "analysis": {
                "analysisId": "a-1",
                "analysisState": "PUBLISHED",
                "createdAt": "2026-05-01T12:00:00.123456",
                "updatedAt": "2026-05-02T12:00:00",
                "firstPublishedAt": "2026-05-02T12:00:00",
                "publishedAt": "2026-05-02T12:00:00",
                "analysisType": {"name": "variantCall", "version": 2},
                "experiment": {"reads": 9_223_372_036_854_775_807_i64, "tool": "caller"},
                "donors": [{"donorId": "d-1", "age": 40}, {"donorId": "d-2"}],
            },
        })
    );
}

#[test]
fn a_document_for_an_analysis_has_its_files() {
    let made = documents(json!({"document": "analysis-centric"}), &analysis()).unwrap();
    let [(id, document)] = made.as_slice() else { panic!("{made:?}") };
    assert_eq!(id, "a-1");
    let mut expected = analysis();
    expected.as_object_mut().unwrap().remove("analysisStateHistory");
    for file in expected["files"].as_array_mut().unwrap() {
        file.as_object_mut().unwrap().retain(|name, _| !["studyId", "analysisId"].contains(&name.as_str()));
    }
    assert_eq!(*document, expected);
}

#[test]
fn paths_find_what_a_document_is_made_of() {
    let keys = json!({"document": {
        "each": "$.donors[*]",
        "id": "@.donorId",
        "fields": {
            "donor.id": "@.donorId",
            "donor.age": "@.age",
            "study": "$.studyId",
            "files": "$.files[*].fileName",
            "reads": "$.experiment.reads",
            "first": "$.files[0].objectId",
            "nothing": "$.nowhere",
        },
    }});
    let made = documents(keys, &analysis()).unwrap();
    let common = json!({"analysisId": "a-1", "study": "S", "files": ["one.bam", "two.bam"],
        "reads": 9_223_372_036_854_775_807_i64, "first": "f-1"});
    let with = |donor| {
        let mut document = common.clone();
        document["donor"] = donor;
        document
    };
    assert_eq!(
        made,
        [("d-1".to_owned(), with(json!({"id": "d-1", "age": 40}))), ("d-2".to_owned(), with(json!({"id": "d-2"}))),]
    );
}

#[test]
fn without_each_an_analysis_is_one_document() {
    let keys = json!({"document": {"id": "$.experiment.reads", "fields": {"tool": "@.experiment.tool"}}});
    let made = documents(keys, &analysis()).unwrap();
    assert_eq!(made, [("9223372036854775807".to_owned(), json!({"analysisId": "a-1", "tool": "caller"}))]);
}

#[test]
fn every_document_holds_the_id_of_its_analysis_where_the_shape_says() {
    let paths = json!({"each": "$.files[*]", "id": "@.objectId", "fields": {"name": "@.fileName"}});
    for document in [json!("file-centric"), json!("analysis-centric"), paths] {
        let keys = json!({"document": document});
        let path = DocumentBuilder::new(&source(keys.clone())).analysis_path();
        for (id, document) in documents(keys.clone(), &analysis()).unwrap() {
            let found = path.split('.').fold(&document, |at, name| &at[name]);
            assert_eq!(found, "a-1", "{id} of {keys}");
        }
    }
}

#[test]
fn a_source_takes_what_it_names() {
    let published = AnalysisState::Published;
    let all = DocumentBuilder::new(&source(json!({"document": "file-centric"})));
    assert!(all.selects("S", published, "any", 1));
    assert!(!all.selects("S", AnalysisState::Unpublished, "any", 1));
    assert!(!all.selects("S", AnalysisState::Suppressed, "any", 1));
    let some = DocumentBuilder::new(&source(json!({
        "document": "file-centric",
        "studies": ["S", "T"],
        "states": ["PUBLISHED", "UNPUBLISHED"],
        "analysisTypes": ["a", {"name": "b", "versions": [2, 3]}],
    })));
    assert!(some.selects("T", AnalysisState::Unpublished, "a", 9));
    assert!(some.selects("S", published, "b", 3));
    assert!(!some.selects("U", published, "a", 1));
    assert!(!some.selects("S", published, "b", 1));
    assert!(!some.selects("S", published, "c", 2));
    assert!(!some.selects("S", AnalysisState::Suppressed, "a", 1));
}
