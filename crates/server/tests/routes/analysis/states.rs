//! `PUT …/analysis/{publish,unpublish,suppress}/{id}`: the states and the moves between them.

use cantata_testkit::{Payload, TestServer};
use serde_json::{Value, json};

use crate::support::{assert_local_time, keys, server_with_analysis};

async fn call(server: &TestServer, verb: &str, analysis_id: &str) -> Value {
    server.put_empty(&format!("/studies/S/analysis/{verb}/{analysis_id}")).await.ok()
}

#[tokio::test]
async fn each_move_is_told_and_recorded() {
    let (server, id) = server_with_analysis().await;
    let mut expected: Vec<(&str, &str)> = Vec::new();
    for (verb, message, from, to) in [
        ("publish", format!("AnalysisId {id} successfully published"), "UNPUBLISHED", "PUBLISHED"),
        ("publish", format!("AnalysisId {id} successfully published"), "PUBLISHED", "PUBLISHED"),
        ("unpublish", format!("AnalysisId {id} successfully unpublished"), "PUBLISHED", "UNPUBLISHED"),
        ("unpublish", format!("AnalysisId {id} successfully unpublished"), "UNPUBLISHED", "UNPUBLISHED"),
        ("publish", format!("AnalysisId {id} successfully published"), "UNPUBLISHED", "PUBLISHED"),
        ("suppress", format!("AnalysisId {id} was suppressed"), "PUBLISHED", "SUPPRESSED"),
        ("suppress", format!("AnalysisId {id} was suppressed"), "SUPPRESSED", "SUPPRESSED"),
    ] {
        assert_eq!(call(&server, verb, &id).await.to_string(), json!({"message": message}).to_string());
        expected.push((from, to));
        let analysis = server.analysis("S", &id).await;
        assert_eq!(analysis["analysisState"], to);
        let history = analysis["analysisStateHistory"].as_array().unwrap();
        assert_eq!(history.len(), expected.len());
        for (entry, (from, to)) in history.iter().zip(&expected) {
            assert_eq!(keys(entry), ["initialState", "updatedState", "updatedAt"]);
            assert_eq!((&entry["initialState"], &entry["updatedState"]), (&json!(from), &json!(to)));
            assert_local_time(&entry["updatedAt"]);
        }
    }
}

#[tokio::test]
async fn the_times_of_publication_stay() {
    let (server, id) = server_with_analysis().await;
    for verb in ["publish", "unpublish", "publish", "suppress"] {
        call(&server, verb, &id).await;
    }
    let analysis = server.analysis("S", &id).await;
    let history = &analysis["analysisStateHistory"];
    assert_eq!(analysis["firstPublishedAt"], history[0]["updatedAt"]);
    assert_eq!(analysis["publishedAt"], history[2]["updatedAt"]);
    assert_eq!(analysis["updatedAt"], history[3]["updatedAt"]);
    assert_ne!(analysis["updatedAt"], analysis["createdAt"]);
    call(&server, "suppress", &id).await;
    assert_eq!(server.analysis("S", &id).await["updatedAt"], history[3]["updatedAt"], "nothing really changed");
}

#[tokio::test]
async fn suppressed_is_for_good() {
    let (server, id) = server_with_analysis().await;
    call(&server, "suppress", &id).await;
    for (verb, state) in [("publish", "PUBLISHED"), ("unpublish", "UNPUBLISHED")] {
        let refused = server.put_empty(&format!("/studies/S/analysis/{verb}/{id}")).await;
        let text = format!("Cannot change the analysis state for analysisId '{id}' from 'SUPPRESSED' to '{state}'");
        refused.assert_error(400, "AnalysisService", "suppressed.state.transition", &text);
    }
    assert_eq!(server.analysis("S", &id).await["analysisStateHistory"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn what_is_not_there_is_said() {
    let (server, id) = server_with_analysis().await;
    server.create_study("T").await;
    for verb in ["publish", "unpublish", "suppress"] {
        for (path, status, error_id) in [
            (format!("/studies/none/analysis/{verb}/{id}"), 404, "study.id.does.not.exist"),
            (format!("/studies/T/analysis/{verb}/{id}"), 400, "entity.not.related.to.study"),
            (format!("/studies/S/analysis/{verb}/none"), 404, "analysis.id.not.found"),
        ] {
            server.put_empty(&path).await.assert_error_id(status, error_id);
        }
    }
}

#[tokio::test]
async fn a_body_and_a_content_type_that_nobody_needs_are_not_minded() {
    let (server, id) = server_with_analysis().await;
    let headers = [("content-type", "text/plain")];
    let path = format!("/studies/S/analysis/publish/{id}/?ignoreUndefinedMd5=true");
    server.send(http::Method::PUT, &path, &headers, Some(b"{".to_vec())).await.ok();
    let refused = server.put_empty(&format!("/studies/S/analysis/publish/{id}?ignoreUndefinedMd5=5")).await;
    let text = "The parameter 'ignoreUndefinedMd5' is '5', but must be true or false";
    refused.assert_error(400, "AnalysisService", "malformed.parameter", text);
}

#[tokio::test]
async fn only_the_latest_version_is_published_where_that_is_enforced() {
    let server = TestServer::builder().enforce_latest().start().await;
    server.create_study("S").await;
    server.register_minimal("t").await;
    let id = server.submit(&Payload::new("S").of_type("t")).await;
    call(&server, "publish", &id).await;
    server.register_minimal("t").await;
    let text =
        "Must use the latest version '2' while enforceLatest=true, but using version '1' of analysisType 't' instead";
    let refused = server.put_empty(&format!("/studies/S/analysis/publish/{id}")).await;
    refused.assert_error(409, "AnalysisService", "analysis.type.incorrect.version", text);
    call(&server, "unpublish", &id).await;
}
