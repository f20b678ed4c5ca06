//! `PATCH …/analysis/{id}`

use cantata_testkit::Payload;
use http::Method;
use serde_json::json;

use crate::support::{server_with_analysis, server_with_study};

#[tokio::test]
async fn a_patch_is_merged_into_the_data() {
    let server = server_with_study().await;
    server.register_minimal("t").await;
    let payload = Payload::new("S").of_type("t").with("experiment", json!({"keep": 1, "drop": 2, "deep": {"a": 1}}));
    let analysis_id = server.submit(&payload.with("list", json!([1, 2]))).await;
    let path = format!("/studies/S/analysis/{analysis_id}");
    let before = server.analysis("S", &analysis_id).await;
    let patch =
        json!({"experiment": {"drop": null, "deep": {"b": 2}, "none": null}, "list": [3], "more": {"x": {"y": null}}});
    server.patch(&path, &patch).await.assert_text(200, "");
    let after = server.analysis("S", &analysis_id).await;
    assert_eq!(after["experiment"], json!({"keep": 1, "deep": {"a": 1, "b": 2}}));
    assert_eq!((&after["list"], &after["more"]), (&json!([3]), &json!({"x": {}})));
    for name in ["analysisId", "studyId", "analysisState", "createdAt", "files", "analysisStateHistory", "analysisType"]
    {
        assert_eq!(after[name], before[name], "{name}");
    }
    assert_ne!(after["updatedAt"], before["updatedAt"]);
}

#[tokio::test]
async fn an_empty_patch_only_moves_the_time() {
    let (server, analysis_id) = server_with_analysis().await;
    let path = format!("/studies/S/analysis/{analysis_id}");
    let before = server.analysis("S", &analysis_id).await;
    server.patch(&path, &json!({})).await.assert_text(200, "");
    let mut after = server.analysis("S", &analysis_id).await;
    assert_ne!(after["updatedAt"], before["updatedAt"]);
    after["updatedAt"] = before["updatedAt"].clone();
    assert_eq!(after, before);
}

#[tokio::test]
async fn the_type_of_the_analysis_counts_not_that_of_the_patch() {
    let (server, analysis_id) = server_with_analysis().await;
    let path = format!("/studies/S/analysis/{analysis_id}");
    server.register_minimal("variantCall").await;
    server.patch(&path, &json!({"analysisType": {"name": "none", "version": 7}, "a": 1})).await.assert_text(200, "");
    server.patch(&path, &json!({"analysisType": null})).await.assert_text(200, "");
    let analysis = server.analysis("S", &analysis_id).await;
    assert_eq!(analysis["analysisType"], json!({"name": "variantCall", "version": 1}));
    assert_eq!(analysis["a"], 1);
}

#[tokio::test]
async fn the_result_must_follow_the_schema() {
    let (server, analysis_id) = server_with_analysis().await;
    let path = format!("/studies/S/analysis/{analysis_id}");
    let before = server.analysis("S", &analysis_id).await;
    for (patch, text) in [
        (json!({"experiment": null}), "#: required key [experiment] not found"),
        (
            json!({"experiment": {"variantCallingTool": null}}),
            "#/experiment: required key [variantCallingTool] not found",
        ),
        (json!({"files": []}), "#/files: subject must not be valid against schema {}"),
        (json!({"studyId": "T"}), "#/studyId: subject must not be valid against schema {}"),
        (json!({"analysisState": "PUBLISHED"}), "#/analysisState: subject must not be valid against schema {}"),
    ] {
        server.patch(&path, &patch).await.assert_error(400, "AnalysisServiceImpl", "schema.violation", text);
    }
    assert_eq!(server.analysis("S", &analysis_id).await, before);
}

#[tokio::test]
async fn a_patch_is_a_json_object_of_that_content_type() {
    let (server, analysis_id) = server_with_analysis().await;
    let path = format!("/studies/S/analysis/{analysis_id}");
    for patch in [json!([]), json!(null), json!("x")] {
        server.patch(&path, &patch).await.assert_error_id(400, "malformed.request.body");
    }
    let headers = [("content-type", "application/merge-patch+json")];
    let refused = server.send(Method::PATCH, &path, &headers, Some(b"{}".to_vec())).await;
    let text = "The Content-Type is 'application/merge-patch+json', but must be application/json, in UTF-8";
    refused.assert_error(415, "HttpServer", "unsupported.media.type", text);
}
