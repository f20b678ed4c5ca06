//! What is refused, before the first byte, with the place.

use cantata_search::{DownloadError, DownloadRequest};
use serde_json::{Value, json};

use super::support::{Fixture, sample_documents};

#[test]
fn what_is_no_json_is_refused() {
    for (text, expected) in [
        ("undefined", "params: found \"undefined\", which is no JSON"),
        ("", "params: found \"\", which is no JSON"),
        ("[]", "params: found an empty list; expected an object with `files`"),
        ("{\"params\":\"{\"}", "params: found \"{\", which is no JSON"),
        ("{\"params\":5}", "params: found 5; expected an object with `files`"),
        ("{}", "files: found nothing; expected a list of at least one file"),
        ("{\"files\":[]}", "files: found an empty list; expected a list of at least one file"),
        ("{\"files\":{}}", "files: found an object; expected a list of at least one file"),
    ] {
        let error = DownloadRequest::parse(text).unwrap_err();
        assert!(error.to_string().starts_with(expected), "{text}: {error}");
    }
}

#[tokio::test]
async fn a_mistake_in_a_file_is_named_with_its_place() {
    let fixture = Fixture::sample().await;
    let leaf = |value: Value| json!({ "op": "in", "content": { "fieldName": "size", "value": value } });
    let cases = [
        (json!(7), "files[1]: found 7; expected an object"),
        (json!({ "fileType": "xls" }), "files[1].fileType: found \"xls\"; expected one of \"tsv\", \"csv\""),
        (json!({ "fileName": 1 }), "files[1].fileName: found 1; expected a text"),
        (json!({ "valueWhenEmpty": 0 }), "files[1].valueWhenEmpty: found 0; expected a text"),
        (json!({ "maxRows": -1 }), "files[1].maxRows: found -1; expected a whole number"),
        (json!({ "maxRows": "many" }), "files[1].maxRows: found \"many\"; expected a whole number"),
        (json!({ "columns": "size" }), "files[1].columns: found \"size\"; expected a list"),
        (json!({ "columns": [{}] }), "files[1].columns[0]: found an object; expected `fieldName`"),
        (json!({ "columns": ["size", null] }), "files[1].columns[1]: found nothing; expected an object"),
        (
            json!({ "columns": [{ "fieldName": "size", "isArray": "yes" }] }),
            "files[1].columns[0].isArray: found \"yes\"; expected true or false",
        ),
        (
            json!({ "columns": [{ "fieldName": "released", "displayFormat": "yyyy of MM" }] }),
            "files[1].columns[0].displayFormat: found \"o\" in \"yyyy of MM\"; expected a pattern",
        ),
        (
            json!({ "columns": [{ "fieldName": "released", "displayFormat": "yyyy 'of" }] }),
            "files[1].columns[0].displayFormat: found \"'of\" without a closing quote",
        ),
        (
            json!({ "columns": ["a.".repeat(1000)] }),
            "files[1].columns[0]: found a text of 2000 bytes; expected the name",
        ),
        (
            json!({ "columns": ["size", "sise"] }),
            "files[1].columns[1]: found \"sise\"; expected a field of the catalogue",
        ),
        (
            json!({ "columns": ["donors.donor_id.deeper"] }),
            "files[1].columns[0]: found \"donors.donor_id.deeper\"; expected a field of the catalogue",
        ),
        (
            json!({ "columns": [{ "fieldName": "age", "accessor": "donors.agee" }] }),
            "files[1].columns[0]: found \"age\"; expected a field of the catalogue",
        ),
        (json!({ "uniqueBy": "a.".repeat(1000) }), "files[1].uniqueBy: found a text of 2000 bytes; expected the name"),
        (json!({ "sort": {} }), "files[1].sort: found an object; expected a list"),
        (
            json!({ "sort": [{ "fieldName": "size", "order": "up" }] }),
            "files[1].sort[0].order: found \"up\"; expected one of \"asc\", \"desc\"",
        ),
        (json!({ "sort": [{ "fieldName": "nothing" }] }), "files[1]: sort[0].fieldName: found \"nothing\""),
        (json!({ "sort": [{}] }), "files[1]: sort[0].fieldName: found \"\""),
        (
            json!({ "sort": [{ "fieldName": "_score" }] }),
            "files[1]: sort[0].fieldName: found \"_score\", the relevance",
        ),
        (json!({ "uniqueBy": "nothing.here" }), "files[1]: uniqueBy: found \"nothing.here\"; expected"),
        (json!({ "sqon": "all" }), "files[1]: Invalid filter: "),
        (json!({ "sqon": { "op": "like", "content": {} } }), "files[1]: Invalid filter: "),
        (json!({ "sqon": leaf(json!(["large"])) }), "files[1]: Invalid filter: "),
        (json!({ "sqon": leaf(json!(["set_id:none"])) }), "files[1]: Invalid filter: "),
    ];
    for (file, expected) in cases {
        let error = fixture.refusal(&json!({ "files": [{}, file] })).await;
        assert!(matches!(error, DownloadError::Invalid(_)), "{file}: {error:?}");
        assert!(error.to_string().starts_with(expected), "{file}: {error}");
    }
    let error = fixture.refusal(&json!({ "chunkSize": 0, "files": [{}] })).await;
    assert!(error.to_string().starts_with("chunkSize: found 0; expected"), "{error}");
    let error = fixture.refusal(&json!({ "files": vec![json!({}); 17] })).await;
    assert!(error.to_string().starts_with("files: found 17 files; expected at most 16"), "{error}");
}

#[tokio::test]
async fn downloads_can_be_switched_off() {
    let fixture = Fixture::new(json!({ "disableDownloads": true }), &sample_documents()).await;
    assert_eq!(fixture.refusal(&json!({ "files": [{}] })).await, DownloadError::Disabled);
}

#[tokio::test]
async fn filters_can_be_switched_off() {
    let fixture = Fixture::new(json!({ "disableFilters": true }), &sample_documents()).await;
    let sqon = json!({ "op": "in", "content": { "fieldName": "size", "value": [0] } });
    let error = fixture.refusal(&json!({ "files": [{ "sqon": sqon }] })).await;
    assert!(error.to_string().contains("filters are switched off"), "{error}");
    assert!(fixture.begin(&json!({ "files": [{ "sqon": {} }] })).await.is_ok());
}
