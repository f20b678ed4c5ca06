//! `DELETE /studies/{studyId}/files/{objectIds}`

use cantata_testkit::{Payload, TestServer};
use serde_json::json;

use crate::support::{column, server_with_study};

/// Returns a server, an analysis with three files and the ids of those.
async fn server() -> (TestServer, String, Vec<String>) {
    let server = server_with_study().await;
    let analysis_id = server.submit(&Payload::new("S").with_files(3)).await;
    let analysis = server.analysis("S", &analysis_id).await;
    let ids = column(&analysis["files"], "objectId").into_iter().map(str::to_owned).collect();
    (server, analysis_id, ids)
}

#[tokio::test]
async fn the_answer_is_the_bare_word_that_clients_expect() {
    let (server, analysis_id, ids) = server().await;
    let response = server.delete(&format!("/studies/S/files/{}", ids[0])).await;
    response.assert_text(200, "OK");
    assert_eq!(response.header("content-type"), Some("application/json"));
    let left = server.analysis("S", &analysis_id).await;
    assert_eq!(column(&left["files"], "objectId"), ids[1..]);
    for path in [format!("/studies/S/files/{}", ids[0]), format!("/entities/{}", ids[0])] {
        assert_eq!(server.get(&path).await.status, 404, "{path}");
    }
    server.delete(&format!("/studies/S/files/{}", ids[0])).await.assert_error_id(404, "file.not.found");
}

#[tokio::test]
async fn several_are_deleted_at_once_or_none() {
    let (server, analysis_id, ids) = server().await;
    let unknown = "00000000-0000-5000-8000-000000000000";
    let refused = server.delete(&format!("/studies/S/files/{},{unknown}", ids[0])).await;
    let text = format!("The file with objectId '{unknown}' does not exist");
    refused.assert_error(404, "FileService", "file.not.found", &text);
    assert_eq!(server.analysis("S", &analysis_id).await["files"].as_array().unwrap().len(), 3);
    server.delete(&format!("/studies/S/files/{},{},{}", ids[0], ids[2], ids[0])).await.assert_text(200, "OK");
    assert_eq!(column(&server.analysis("S", &analysis_id).await["files"], "objectId"), [ids[1].as_str()]);
}

#[tokio::test]
async fn the_last_file_stays() {
    let (server, analysis_id, ids) = server().await;
    let other = server.submit(&Payload::new("S").with_files(2)).await;
    let other_file = crate::support::object_id(&server, &other, 0).await;
    let text = format!(
        "The files of the analysisId '{analysis_id}' cannot be deleted since an analysis must keep at least one file; \
         suppress the analysis instead"
    );
    let refused = server.delete(&format!("/studies/S/files/{other_file},{}", ids.join(","))).await;
    refused.assert_error(400, "FileService", "illegal.file.update.request", &text);
    assert_eq!(server.analysis("S", &other).await["files"].as_array().unwrap().len(), 2, "all or none");
    server.get("/studies/S/analysis?analysisStates=UNPUBLISHED").await.ok();
}

#[tokio::test]
async fn a_suppressed_analysis_keeps_its_files() {
    let (server, analysis_id, ids) = server().await;
    server.put_empty(&format!("/studies/S/analysis/publish/{analysis_id}")).await.ok();
    server.delete(&format!("/studies/S/files/{}", ids[0])).await.assert_text(200, "OK");
    server.put_empty(&format!("/studies/S/analysis/suppress/{analysis_id}")).await.ok();
    let refused = server.delete(&format!("/studies/S/files/{}", ids[1])).await;
    let text = format!(
        "The files of the analysisId '{analysis_id}' cannot be deleted since its analysisState is 'SUPPRESSED'"
    );
    refused.assert_error(400, "FileService", "illegal.file.update.request", &text);
}

#[tokio::test]
async fn what_is_not_there_is_said() {
    let (server, _, ids) = server().await;
    server.create_study("T").await;
    for (path, status, error_id) in [
        (format!("/studies/none/files/{}", ids[0]), 404, "study.id.does.not.exist"),
        (format!("/studies/T/files/{}", ids[0]), 400, "entity.not.related.to.study"),
        ("/studies/S/files/none".to_owned(), 404, "file.not.found"),
        (format!("/studies/S/files/{},", ids[0]), 404, "file.not.found"),
        ("/studies/S/files/,".to_owned(), 404, "file.not.found"),
    ] {
        server.delete(&path).await.assert_error_id(status, error_id);
    }
    assert_eq!(server.get("/entities").await.ok()["totalElements"], json!(3));
}
