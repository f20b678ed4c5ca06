//! Files whose checksum is stored already.

use cantata_testkit::{Payload, TestServer};
use serde_json::json;

use crate::support::{object_id, server_with_study};

#[tokio::test]
async fn a_checksum_is_taken_once_whatever_the_study_and_the_state() {
    let server = server_with_study().await;
    server.create_study("T").await;
    let first = Payload::new("S").with_files(2);
    let analysis_id = server.submit(&first).await;
    let object_id = object_id(&server, &analysis_id, 1).await;
    let text = format!(
        "File already exist: 'file0.vcf' has the MD5 checksum of the stored file with objectId '{object_id}' and \
         analysisId '{analysis_id}'; to store it again, submit with allowDuplicates=true"
    );
    for state in ["publish", "suppress"] {
        let again = Payload::new("T").with_file_member(0, "fileMd5sum", first.md5(1));
        let refused = server.post("/submit/T", &again.build()).await;
        refused.assert_error(409, "SubmitService", "info.already.exists", &text);
        server.put_empty(&format!("/studies/S/analysis/{state}/{analysis_id}")).await.ok();
    }
    let upper = Payload::new("S").with_file_member(0, "fileMd5sum", first.md5(1).to_uppercase());
    server.post("/submit/S", &upper.build()).await.assert_error_id(409, "info.already.exists");
    assert_eq!(server.get("/export/studies/T").await.ok(), json!([{"studyId": "T", "payloads": []}]));
}

#[tokio::test]
async fn the_client_may_allow_duplicates() {
    let server = server_with_study().await;
    let payload = Payload::new("S").build();
    server.post("/submit/S", &payload).await.ok();
    for refusing in ["", "?allowDuplicates=false", "?allowDuplicates="] {
        server.post(&format!("/submit/S{refusing}"), &payload).await.assert_error_id(409, "info.already.exists");
    }
    for allowing in ["?allowDuplicates=true", "?allowDuplicates=TRUE"] {
        server.post(&format!("/submit/S{allowing}"), &payload).await.ok();
    }
    assert_eq!(server.get("/export/studies/S").await.ok()[0]["payloads"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn equal_checksums_within_one_payload_are_fine() {
    let server = server_with_study().await;
    let payload = Payload::new("S").with_files(2);
    let md5 = payload.md5(0).to_owned();
    server.submit(&payload.with_file_member(1, "fileMd5sum", md5)).await;
}

#[tokio::test]
async fn only_published_analyses_count_where_that_is_chosen() {
    let server = TestServer::builder().duplicates_in_published_only().start().await;
    server.create_study("S").await;
    let payload = Payload::new("S");
    let first = server.submit(&payload).await;
    server.submit(&payload).await;
    server.put_empty(&format!("/studies/S/analysis/publish/{first}")).await.ok();
    server.post("/submit/S", &payload.build()).await.assert_error_id(409, "info.already.exists");
    server.put_empty(&format!("/studies/S/analysis/unpublish/{first}")).await.ok();
    server.submit(&payload).await;
}

#[tokio::test]
async fn a_checksum_that_no_file_has_any_more_is_free() {
    let server = server_with_study().await;
    let payload = Payload::new("S").with_files(2);
    let analysis_id = server.submit(&payload).await;
    let deleted = object_id(&server, &analysis_id, 0).await;
    server.delete(&format!("/studies/S/files/{deleted}")).await.assert_text(200, "OK");
    let changed = object_id(&server, &analysis_id, 0).await;
    let new_md5 = cantata_testkit::unique_md5();
    server.put(&format!("/studies/S/files/{changed}"), &json!({"fileMd5sum": new_md5})).await.ok();
    for index in [0, 1] {
        server.submit(&Payload::new("S").with_file_member(0, "fileMd5sum", payload.md5(index))).await;
    }
    let taken = Payload::new("S").with_file_member(0, "fileMd5sum", new_md5);
    server.post("/submit/S", &taken.build()).await.assert_error_id(409, "info.already.exists");
}
