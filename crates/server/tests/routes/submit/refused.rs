//! What is wrong with a payload is said, all of it, with its place.

use cantata_testkit::Payload;
use http::Method;
use serde_json::{Value, json};

use crate::support::{server_with_study, violations};

#[tokio::test]
async fn bodies_that_are_no_json() {
    let server = server_with_study().await;
    let post = |body: &'static str| server.send(Method::POST, "/submit/S", &[], Some(body.into()));
    post("{not json").await.assert_error(
        422,
        "SubmitService",
        "payload.parsing",
        "Unable to read the input payload: key must be a string at line 1 column 2; the payload begins: {not json",
    );
    post("{} {}").await.assert_error_id(422, "payload.parsing");
    post("\u{feff}{}").await.assert_error_id(422, "payload.parsing");
    for empty in ["", "  \r\n\t"] {
        let text = "The body is empty; send the analysis as a JSON object";
        post(empty).await.assert_error(400, "SubmitService", "malformed.request.body", text);
    }
    let long = format!("[{}", "é".repeat(1000)).into_bytes();
    let message = server.send(Method::POST, "/submit/S", &[], Some(long)).await.assert_error_id(422, "payload.parsing");
    assert!(message.ends_with('…') && message.len() < 700, "{message}");
}

#[tokio::test]
async fn the_analysis_type_is_read_first() {
    let server = server_with_study().await;
    let missing = "The analysisType field cannot be null";
    for payload in [json!({}), json!({"analysisType": null}), json!([1]), json!("x"), json!(5), json!(null)] {
        let refused = server.post("/submit/S", &payload).await;
        refused.assert_error(400, "ValidationService", "malformed.parameter", missing);
    }
    for (analysis_type, text) in [
        (json!({}), "The analysisType name field cannot be null"),
        (json!({"name": null}), "The analysisType name cannot be null"),
        (json!({"name": " "}), "The analysisType name cannot be null"),
        (json!({"name": ""}), "The analysisType name cannot be null"),
        (json!("variantCall"), "#/analysisType: expected type: JSONObject, found: String"),
        (json!([]), "#/analysisType: expected type: JSONObject, found: JSONArray"),
        (
            json!({"name": "variantCall", "version": 0}),
            "The analysisType version is '0', but must be an integer of 1 or more",
        ),
    ] {
        let refused = server.post("/submit/S", &json!({"analysisType": analysis_type})).await;
        refused.assert_error(400, "ValidationService", "malformed.parameter", text);
    }
    for (analysis_type, text) in [
        (json!({"name": 5}), "#/analysisType/name: expected type: String, found: Integer"),
        (
            json!({"name": "variantCall", "version": "1"}),
            "#/analysisType/version: expected type: Integer, found: String",
        ),
        (
            json!({"name": "variantCall", "version": 1.5}),
            "#/analysisType/version: expected type: Integer, found: Double",
        ),
        (
            json!({"name": "variantCall", "version": [1]}),
            "#/analysisType/version: expected type: Integer, found: JSONArray",
        ),
    ] {
        let refused = server.post("/submit/S", &json!({"analysisType": analysis_type})).await;
        refused.assert_error(400, "SubmitService", "schema.violation", text);
    }
}

#[tokio::test]
async fn unknown_types_are_named() {
    let server = server_with_study().await;
    let refused = server.post("/submit/S", &json!({"analysisType": {"name": "none"}})).await;
    let text = "The analysisType with name 'none' was not found; GET /schemas lists the registered ones";
    refused.assert_error(404, "AnalysisTypeService", "analysis.type.not.found", text);
    let refused = server.post("/submit/S", &json!({"analysisType": {"name": "a b\u{0}"}})).await;
    refused.assert_error_id(404, "analysis.type.not.found");
}

/// Sends a payload with one change and returns the violations it is refused with.
async fn refused_with(change: impl FnOnce(&mut Value)) -> Vec<String> {
    let server = server_with_study().await;
    let mut payload = Payload::new("S").with_files(2).build();
    change(&mut payload);
    let message = server.post("/submit/S", &payload).await.assert_error_id(400, "schema.violation");
    assert!(message.starts_with("[SubmitService::schema.violation] - "), "{message}");
    assert_eq!(server.get("/studies/S/analysis?analysisStates=UNPUBLISHED").await.ok(), json!([]));
    violations(&message)
}

fn remove(value: &mut Value, name: &str) {
    value.as_object_mut().unwrap().remove(name);
}

#[tokio::test]
async fn members_that_are_missing() {
    assert_eq!(refused_with(|payload| remove(payload, "studyId")).await, ["#: required key [studyId] not found"]);
    assert_eq!(refused_with(|payload| remove(payload, "files")).await, ["#: required key [files] not found"]);
    assert_eq!(refused_with(|payload| remove(payload, "experiment")).await, ["#: required key [experiment] not found"]);
    for name in ["dataType", "fileName", "fileSize", "fileType", "fileAccess", "fileMd5sum"] {
        let found = refused_with(|payload| remove(&mut payload["files"][1], name)).await;
        assert_eq!(found, [format!("#/files/1: required key [{name}] not found")]);
    }
}

/// Sets the member at a pointer, whether it is there or not.
fn set(payload: &mut Value, pointer: &str, value: Value) {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    match payload.pointer_mut(parent).unwrap() {
        Value::Array(items) => items[name.parse::<usize>().unwrap()] = value,
        object => object[name] = value,
    }
}

#[tokio::test]
async fn values_that_break_a_rule() {
    for (pointer, value, text) in [
        ("/studyId", json!(5), "#/studyId: expected type: String, found: Integer"),
        ("/studyId", json!(""), "#/studyId: expected minLength: 1, actual: 0"),
        ("/files", json!([]), "#/files: expected minimum item count: 1, found: 0"),
        ("/files", json!({}), "#/files: expected type: JSONArray, found: JSONObject"),
        ("/files/0", json!(null), "#/files/0: expected type: JSONObject, found: Null"),
        ("/files/0/fileType", json!(5), "#/files/0/fileType: expected type: String, found: Integer"),
        ("/files/0/fileAccess", json!("pub"), "#/files/0/fileAccess: pub is not a valid enum value"),
        (
            "/files/0/fileName",
            json!("a b"),
            r"#/files/0/fileName: string [a b] does not match pattern ^[A-Za-z0-9_\.\-\[\]\(\)]+$",
        ),
        (
            "/files/0/fileName",
            json!("a/b"),
            r"#/files/0/fileName: string [a/b] does not match pattern ^[A-Za-z0-9_\.\-\[\]\(\)]+$",
        ),
        (
            "/files/1/fileMd5sum",
            json!("595f"),
            "#/files/1/fileMd5sum: string [595f] does not match pattern ^[a-fA-F0-9]{32}$",
        ),
        ("/files/0/fileSize", json!(-1), "#/files/0/fileSize: -1 is not greater or equal to 0"),
        ("/files/0/fileSize", json!(1.5), "#/files/0/fileSize: expected type: Integer, found: Double"),
        ("/files/0/info", json!("x"), "#/files/0/info: expected type: JSONObject, found: String"),
        ("/experiment", json!([]), "#/experiment: expected type: JSONObject, found: JSONArray"),
        (
            "/files/1/fileName",
            json!("file0.vcf"),
            "#/files/1/fileName: the name [file0.vcf] is used by #/files/0 already, file names must be unique in an \
             analysis",
        ),
    ] {
        let found = refused_with(|payload| set(payload, pointer, value)).await;
        assert_eq!(found, [text]);
    }
    let found = refused_with(|payload| payload["files"][0]["fileSize"] = json!(u64::MAX)).await;
    assert_eq!(
        found,
        ["#/files/0/fileSize: 18446744073709551615 is not a size in bytes between 0 and 9223372036854775807"]
    );
}

#[tokio::test]
async fn names_that_only_the_server_uses_are_refused() {
    for name in [
        "analysisId",
        "analysisState",
        "analysisTypeId",
        "createdAt",
        "updatedAt",
        "firstPublishedAt",
        "publishedAt",
        "analysisStateHistory",
    ] {
        let found = refused_with(|payload| payload[name] = json!("PUBLISHED")).await;
        assert_eq!(found, [format!("#/{name}: subject must not be valid against schema {{}}")]);
    }
}

#[tokio::test]
async fn all_violations_are_listed() {
    let found = refused_with(|payload| {
        remove(payload, "experiment");
        payload["studyId"] = json!(1);
        payload["files"][0]["fileAccess"] = json!("x");
        payload["files"][1]["fileSize"] = json!("y");
        payload["createdAt"] = json!(null);
    })
    .await;
    assert_eq!(
        found,
        [
            "#/createdAt: subject must not be valid against schema {}",
            "#/files/0/fileAccess: x is not a valid enum value",
            "#/files/1/fileSize: expected type: Integer, found: String",
            "#/studyId: expected type: String, found: Integer",
            "#: required key [experiment] not found",
        ]
    );
}

#[tokio::test]
async fn the_payload_must_name_the_study_of_the_path() {
    let server = server_with_study().await;
    server.create_study("T").await;
    let refused = server.post("/submit/S", &Payload::new("T").build()).await;
    let text = "The studyId in the URL path 'S' should match the studyId 'T' in the payload";
    refused.assert_error(409, "SubmitService", "study.id.mismatch", text);
}

#[tokio::test]
async fn the_switch_for_duplicates_is_a_boolean() {
    let server = server_with_study().await;
    let refused = server.post("/submit/S?allowDuplicates=perhaps", &Payload::new("S").build()).await;
    let text = "The parameter 'allowDuplicates' is 'perhaps', but must be true or false";
    refused.assert_error(400, "SubmitService", "malformed.parameter", text);
}
