//! `PUT …/analysis/{id}`: other data, possibly under another type.

use cantata_testkit::{Payload, TestServer, minimal_type};
use serde_json::{Value, json};

use crate::support::{server_with_analysis, violations};

fn update() -> Value {
    json!({"analysisType": {"name": "variantCall"}, "experiment": {
        "matchedNormalSampleSubmitterId": "new", "variantCallingTool": "new",
    }})
}

#[tokio::test]
async fn the_data_is_replaced_whole_and_all_else_stays() {
    let (server, _) = server_with_analysis().await;
    let analysis_id = server.submit(&Payload::new("S").with("old", 1)).await;
    let path = format!("/studies/S/analysis/{analysis_id}");
    let before = server.analysis("S", &analysis_id).await;
    let mut body = update();
    body["fresh"] = json!([""]);
    let response = server.put(&path, &body).await;
    response.assert_text(200, "");
    let after = server.analysis("S", &analysis_id).await;
    assert_eq!(after["experiment"], body["experiment"]);
    assert_eq!((after.get("old"), &after["fresh"]), (None, &json!([""])));
    for name in ["analysisId", "studyId", "analysisState", "createdAt", "files", "analysisStateHistory", "analysisType"]
    {
        assert_eq!(after[name], before[name], "{name}");
    }
    assert_ne!(after["updatedAt"], before["updatedAt"]);
}

#[tokio::test]
async fn the_type_and_its_version_can_be_changed_in_every_state() {
    let (server, analysis_id) = server_with_analysis().await;
    let path = format!("/studies/S/analysis/{analysis_id}");
    server.register_minimal("t").await;
    server.register_minimal("t").await;
    for (call, state, named, version) in [
        ("unpublish", "UNPUBLISHED", json!({"name": "t"}), 2),
        ("publish", "PUBLISHED", json!({"name": "t", "version": 1}), 1),
        ("suppress", "SUPPRESSED", json!({"name": "t", "version": null}), 2),
    ] {
        server.put_empty(&format!("/studies/S/analysis/{call}/{analysis_id}")).await.ok();
        server.put(&path, &json!({"analysisType": named, "experiment": {}})).await.assert_text(200, "");
        let analysis = server.analysis("S", &analysis_id).await;
        assert_eq!(analysis["analysisState"], state);
        assert_eq!(analysis["analysisType"], json!({"name": "t", "version": version}));
    }
}

#[tokio::test]
async fn the_type_must_be_named() {
    let (server, analysis_id) = server_with_analysis().await;
    let path = format!("/studies/S/analysis/{analysis_id}");
    for (body, field) in [
        (json!({}), "analysisType"),
        (json!({"analysisType": null}), "analysisType"),
        (json!({"analysisType": {}}), "analysisType.name"),
        (json!({"analysisType": {"name": null}}), "analysisType.name"),
    ] {
        let text = format!("The updateAnalysisRequest does not contain the field '{field}'");
        server.put(&path, &body).await.assert_error(400, "AnalysisServiceImpl", "malformed.parameter", &text);
    }
    let mut unknown = update();
    unknown["analysisType"] = json!({"name": "none"});
    server.put(&path, &unknown).await.assert_error_id(404, "analysis.type.not.found");
    unknown["analysisType"] = json!({"name": "variantCall", "version": 2});
    server.put(&path, &unknown).await.assert_error_id(404, "analysis.type.not.found");
    for wrong in [json!({"name": "variantCall", "version": "1"}), json!({"name": 5})] {
        unknown["analysisType"] = wrong;
        server.put(&path, &unknown).await.assert_error_id(400, "schema.violation");
    }
    for wrong in [json!("variantCall"), json!([]), json!({"name": "variantCall", "version": 0})] {
        unknown["analysisType"] = wrong;
        server.put(&path, &unknown).await.assert_error_id(400, "malformed.parameter");
    }
}

#[tokio::test]
async fn the_data_must_follow_the_schema() {
    let (server, analysis_id) = server_with_analysis().await;
    let path = format!("/studies/S/analysis/{analysis_id}");
    let before = server.analysis("S", &analysis_id).await;
    let mut body = json!({"analysisType": {"name": "variantCall"}});
    let refused = server.put(&path, &body).await;
    let text = "#: required key [experiment] not found";
    refused.assert_error(400, "AnalysisServiceImpl", "schema.violation", text);
    let forbidden = ["analysisId", "studyId", "analysisState", "analysisTypeId", "files", "createdAt"];
    for name in forbidden {
        let mut body = update();
        body[name] = json!("x");
        let text = format!("#/{name}: subject must not be valid against schema {{}}");
        server.put(&path, &body).await.assert_error(400, "AnalysisServiceImpl", "schema.violation", &text);
    }
    body["experiment"] = json!({"variantCallingTool": 1});
    body["files"] = json!([]);
    let message = server.put(&path, &body).await.assert_error_id(400, "schema.violation");
    assert_eq!(
        violations(&message),
        [
            "#/experiment/variantCallingTool: expected type: String, found: Integer",
            "#/experiment: required key [matchedNormalSampleSubmitterId] not found",
            "#/files: subject must not be valid against schema {}",
        ]
    );
    assert_eq!(server.analysis("S", &analysis_id).await, before);
}

#[tokio::test]
async fn what_was_submitted_can_be_updated_samples_included() {
    let (server, _) = server_with_analysis().await;
    let samples = json!([{"sampleId": "SA1"}]);
    let analysis_id = server.submit(&Payload::new("S").with("samples", samples.clone())).await;
    let path = format!("/studies/S/analysis/{analysis_id}");
    server.patch(&path, &json!({"note": "patched"})).await.assert_text(200, "");
    let mut body = update();
    body["samples"] = samples.clone();
    server.put(&path, &body).await.assert_text(200, "");
    assert_eq!(server.analysis("S", &analysis_id).await["samples"], samples);
}

#[tokio::test]
async fn samples_follow_the_schema_of_a_type_that_defines_them() {
    let (server, analysis_id) = server_with_analysis().await;
    let mut registration = minimal_type("sampled");
    registration["schema"]["properties"]["samples"] = json!({"type": "array"});
    server.post("/schemas", &registration).await.ok();
    let body = json!({"analysisType": {"name": "sampled"}, "experiment": {}, "samples": [1]});
    server.put(&format!("/studies/S/analysis/{analysis_id}"), &body).await.assert_text(200, "");
    assert_eq!(server.analysis("S", &analysis_id).await["samples"], json!([1]));
    let text = "#/samples: expected type: JSONArray, found: Integer";
    let refused = server.patch(&format!("/studies/S/analysis/{analysis_id}"), &json!({"samples": 1})).await;
    refused.assert_error(400, "AnalysisServiceImpl", "schema.violation", text);
}

#[tokio::test]
async fn another_type_must_allow_the_files_that_the_analysis_has() {
    let (server, _) = server_with_analysis().await;
    let analysis_id = server.submit(&Payload::new("S").with_files(2)).await;
    let path = format!("/studies/S/analysis/{analysis_id}");
    let mut registration = minimal_type("t");
    registration["options"] = json!({"fileTypes": ["bam", "cram"]});
    server.post("/schemas", &registration).await.ok();
    registration["options"] = json!({"fileTypes": ["bam", "vcf"]});
    server.post("/schemas", &registration).await.ok();
    let body = |version: u32| json!({"analysisType": {"name": "t", "version": version}, "experiment": {}});
    let text = "#: file0.vcf name is not supported, supported formats are bam, cram,\
                #: file1.vcf name is not supported, supported formats are bam, cram";
    let refused = server.put(&path, &body(1)).await;
    refused.assert_error(400, "AnalysisServiceImpl", "schema.violation", text);
    server.put(&path, &body(2)).await.assert_text(200, "");
    server.put(&path, &body(1)).await.assert_error(400, "AnalysisServiceImpl", "schema.violation", text);
    assert_eq!(server.analysis("S", &analysis_id).await["analysisType"], json!({"name": "t", "version": 2}));
}

#[tokio::test]
async fn only_the_latest_version_counts_where_that_is_enforced() {
    let server = TestServer::builder().enforce_latest().start().await;
    server.create_study("S").await;
    let analysis_id = server.submit(&Payload::new("S")).await;
    server.register_minimal("t").await;
    server.register_minimal("t").await;
    let path = format!("/studies/S/analysis/{analysis_id}");
    let body = |version: u32| json!({"analysisType": {"name": "t", "version": version}, "experiment": {}});
    let text =
        "Must use the latest version '2' while enforceLatest=true, but using version '1' of analysisType 't' instead";
    let refused = server.put(&path, &body(1)).await;
    refused.assert_error(409, "AnalysisServiceImpl", "analysis.type.incorrect.version", text);
    server.put(&path, &body(2)).await.assert_text(200, "");
    server.patch(&path, &json!({"a": 1})).await.assert_text(200, "");
    server.register_minimal("t").await;
    let text =
        "Must use the latest version '3' while enforceLatest=true, but using version '2' of analysisType 't' instead";
    for patch in [json!({"a": 2}), json!({}), json!({"experiment": 5})] {
        let refused = server.patch(&path, &patch).await;
        refused.assert_error(409, "AnalysisServiceImpl", "analysis.type.incorrect.version", text);
    }
    assert_eq!(server.analysis("S", &analysis_id).await["a"], 1);
}

#[tokio::test]
async fn what_is_not_there_is_said_before_the_body_is_read() {
    let (server, analysis_id) = server_with_analysis().await;
    server.create_study("T").await;
    let body = json!({});
    for (path, status, error_id) in [
        (format!("/studies/none/analysis/{analysis_id}"), 404, "study.id.does.not.exist"),
        (format!("/studies/T/analysis/{analysis_id}"), 400, "entity.not.related.to.study"),
        ("/studies/S/analysis/none".to_owned(), 404, "analysis.id.not.found"),
    ] {
        server.put(&path, &body).await.assert_error_id(status, error_id);
        server.patch(&path, &json!({"experiment": 5})).await.assert_error_id(status, error_id);
    }
}
