//! `PUT …/analysis/publish/{id}` where a storage server is asked.

use std::sync::{Arc, Mutex};

use cantata_testkit::{MockServer, Payload, TestServer};
use serde_json::{Value, json};

/// What the storage server says of every object: whether it is there, and how it is described.
type Said = Arc<Mutex<(String, Value)>>;

/// A server with one analysis of one file of 100 bytes, its id, its object id and what its storage server says.
async fn server() -> (TestServer, MockServer, String, String, Said) {
    let said: Said = Arc::new(Mutex::new(("true".to_owned(), json!(null))));
    let saying = Arc::clone(&said);
    let storage = MockServer::start(move |target| {
        let (uploaded, object) = saying.lock().unwrap().clone();
        match target.starts_with("/upload/") {
            true => (200, uploaded),
            false if object.is_null() => (404, String::new()),
            false => (200, object.to_string()),
        }
    })
    .await;
    let server = TestServer::builder().score_url(&storage.url).start().await;
    server.create_study("S").await;
    let payload = Payload::new("S");
    let id = server.submit(&payload).await;
    let object_id = crate::support::object_id(&server, &id, 0).await;
    said.lock().unwrap().1 =
        json!({"objectId": object_id, "objectSize": 100, "objectMd5": payload.md5(0), "parts": []});
    (server, storage, id, object_id, said)
}

#[tokio::test]
async fn files_that_are_in_storage_are_published() {
    let (server, storage, id, object_id, _) = server().await;
    server.put_empty(&format!("/studies/S/analysis/publish/{id}")).await.ok();
    let targets = storage.take_targets();
    assert!(targets.contains(&format!("/upload/{object_id}")), "{targets:?}");
    let download = format!("/download/{object_id}?offset=0&length=-1&exclude-urls=true");
    assert!(targets.contains(&download), "{targets:?}");
    server.put_empty(&format!("/studies/S/analysis/unpublish/{id}")).await.ok();
    server.put_empty(&format!("/studies/S/analysis/suppress/{id}")).await.ok();
    assert!(storage.take_targets().is_empty(), "only publishing asks");
}

#[tokio::test]
async fn files_that_are_not_as_the_metadata_says_are_not() {
    let (server, _storage, id, object_id, said) = server().await;
    let publish = format!("/studies/S/analysis/publish/{id}");
    let good = said.lock().unwrap().1.clone();
    let with = |name: &str, value: Value| {
        let mut object = good.clone();
        object[name] = value;
        object
    };
    let other_md5 = "f".repeat(32);
    for (uploaded, object, status, origin, error_id, text) in [
        (
            "false",
            good.clone(),
            409,
            "AnalysisService",
            "missing.storage.objects",
            format!(
                "The following storage objectIds must be uploaded to the storage server before the analysisId {id} \
                 can be published: {object_id}"
            ),
        ),
        (
            "true",
            with("objectSize", json!(101)),
            409,
            "AnalysisService",
            "mismatching.storage.object.sizes",
            format!(
                "The following file objectIds have mismatching object sizes in the storage server: [{object_id}]. \
                 The analysisId '{id}' cannot be published until they all match."
            ),
        ),
        (
            "true",
            with("objectMd5", json!(other_md5)),
            409,
            "AnalysisService",
            "mismatching.storage.object.checksums",
            format!(
                "Found files with a mismatching md5 checksum in the storage server. ObjectIds with a defined and \
                 mismatching md5 checksum(1): [{object_id}]. The analysisId '{id}' cannot be published until all \
                 files with an undefined checksum are ignored and ones with a defined checksum are matching"
            ),
        ),
        (
            "true",
            with("objectMd5", json!(null)),
            409,
            "AnalysisService",
            "mismatching.storage.object.checksums",
            format!(
                "Found files with a mismatching md5 checksum in the storage server. ObjectIds with an undefined md5 \
                 checksum(1): [{object_id}]. The analysisId '{id}' cannot be published until all files with an \
                 undefined checksum are ignored and ones with a defined checksum are matching"
            ),
        ),
        (
            "maybe",
            good.clone(),
            502,
            "ScoreService",
            "storage.service.error",
            format!(
                "The storage server could not be asked about objectId '{object_id}': it answered 'maybe' instead of \
                 true or false"
            ),
        ),
        (
            "true",
            json!(null),
            404,
            "ScoreService",
            "storage.object.not.found",
            format!("The storage server has no object with objectId '{object_id}' any more; upload the file again"),
        ),
    ] {
        *said.lock().unwrap() = (uploaded.to_owned(), object);
        server.put_empty(&publish).await.assert_error(status, origin, error_id, &text);
    }
    *said.lock().unwrap() = ("true".to_owned(), with("objectSize", json!("big")));
    server.put_empty(&publish).await.assert_error_id(500, "invalid.storage.download.response");
    assert_eq!(server.analysis("S", &id).await["analysisState"], "UNPUBLISHED");

    *said.lock().unwrap() = ("true".to_owned(), with("objectMd5", json!(null)));
    server.put_empty(&format!("{publish}?ignoreUndefinedMd5=true")).await.ok();
    assert_eq!(server.analysis("S", &id).await["analysisState"], "PUBLISHED");
}

#[tokio::test]
async fn an_empty_file_is_published() {
    let (server, _storage, _, _, said) = server().await;
    let payload = Payload::new("S").with_file_member(0, "fileSize", 0);
    let id = server.submit(&payload).await;
    let object_id = crate::support::object_id(&server, &id, 0).await;
    let describe = |size: u32| {
        said.lock().unwrap().1 = json!({"objectId": object_id, "objectSize": size, "objectMd5": payload.md5(0)});
    };
    let publish = format!("/studies/S/analysis/publish/{id}");
    describe(1);
    server.put_empty(&publish).await.assert_error_id(409, "mismatching.storage.object.sizes");
    describe(0);
    server.put_empty(&publish).await.ok();
    assert_eq!(server.analysis("S", &id).await["analysisState"], "PUBLISHED");
}

#[tokio::test]
async fn a_storage_server_that_is_not_there_is_named_as_the_cause() {
    let server = TestServer::builder().score_url("http://127.0.0.1:1").start().await;
    server.create_study("S").await;
    let id = server.submit(&Payload::new("S")).await;
    let object_id = crate::support::object_id(&server, &id, 0).await;
    let refused = server.put_empty(&format!("/studies/S/analysis/publish/{id}")).await;
    let text =
        format!("The storage server could not be asked about objectId '{object_id}': no connection could be made");
    refused.assert_error(502, "ScoreService", "storage.service.error", &text);
}
