//! The sequences of calls that known clients make.

use cantata_testkit::{Payload, TestServer};
use serde_json::{Value, json};

use crate::support::{column, object_id, server_with_study};

/// Publishes analyses with samples, as migrated data has them.
async fn publish(server: &TestServer, count: usize) -> Vec<String> {
    let mut ids = Vec::new();
    for _ in 0..count {
        let payload = Payload::new("S").with("samples", json!([{"sampleId": "SA1", "donor": {"donorId": "DO1"}}]));
        let id = server.submit(&payload).await;
        server.put_empty(&format!("/studies/S/analysis/publish/{id}")).await.ok();
        ids.push(id);
    }
    ids.sort();
    ids
}

/// The indexer of the fourth version asks for pages of 25 until one is empty.
#[tokio::test]
async fn the_indexer_reads_all_published_analyses_page_by_page() {
    let server = server_with_study().await;
    let published = publish(&server, 55).await;
    server.submit(&Payload::new("S")).await;
    assert_eq!(server.get("/studies/all").await.ok(), json!(["S"]));
    let mut read = Vec::new();
    let mut offset = 0;
    loop {
        let path = format!("/studies/S/analysis/paginated?analysisStates=PUBLISHED&limit=25&offset={offset}");
        let page = server.get(&path).await.ok();
        let analyses = page["analyses"].as_array().unwrap().clone();
        if analyses.is_empty() {
            break;
        }
        read.extend(analyses);
        offset += 25;
    }
    assert_eq!(column(&json!(read), "analysisId"), published);
    for analysis in &read {
        for name in ["analysisId", "analysisType", "analysisState", "updatedAt", "studyId", "files", "samples"] {
            assert!(!analysis[name].is_null(), "{name}");
        }
        for name in ["objectId", "studyId", "analysisId", "fileName", "fileType", "fileMd5sum", "fileAccess"] {
            assert!(!analysis["files"][0][name].is_null(), "{name}");
        }
    }
}

/// The indexer of the fifth version moves on by one and stops at an empty page.
#[tokio::test]
async fn the_newer_indexer_comes_to_an_end_too() {
    let server = server_with_study().await;
    let published = publish(&server, 6).await;
    let mut seen = std::collections::BTreeSet::new();
    for offset in 0.. {
        let page = server.get(&format!("/studies/S/analysis/paginated?limit=4&offset={offset}")).await.ok();
        seen.extend(column(&page["analyses"], "analysisId").into_iter().map(str::to_owned));
        let count = |name: &str| page[name].as_u64().unwrap();
        if page["analyses"].as_array().unwrap().is_empty() || count("currentTotalAnalyses") >= count("totalAnalyses") {
            break;
        }
    }
    assert!(published.iter().all(|id| seen.contains(id)));
}

/// The storage server finds the entity of an object, then the state of its analysis.
#[tokio::test]
async fn the_storage_server_finds_the_state_of_an_object() {
    let server = server_with_study().await;
    let id = publish(&server, 1).await.remove(0);
    let object_id = object_id(&server, &id, 0).await;
    let entity = server.get(&format!("/entities/{object_id}")).await.ok();
    let (study, analysis) = (entity["projectCode"].as_str().unwrap(), entity["gnosId"].as_str().unwrap());
    assert_eq!(server.analysis(study, analysis).await["analysisState"], "PUBLISHED");
    assert_eq!(server.get(&format!("/studies/{study}/files/{object_id}")).await.ok()["analysisId"], id);
    let unknown = "00000000-0000-4000-8000-000000000000";
    assert_eq!(server.get(&format!("/entities/{unknown}")).await.status, 404);
}

/// The storage client reads pages of entities until one is the last.
#[tokio::test]
async fn the_storage_client_reads_the_entities_of_an_analysis() {
    let server = server_with_study().await;
    let id = server.submit(&Payload::new("S").with_files(45)).await;
    let mut names = Vec::new();
    for number in 0.. {
        let path = format!("/entities?gnosId={id}&projectCode=S&fields=id&fields=fileName&size=20&page={number}");
        let page = server.get(&path).await.ok();
        names.extend(column(&page["content"], "fileName").into_iter().map(str::to_owned));
        if page["last"] == true {
            break;
        }
    }
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 45);
}

/// The command line client reads one object, whether it names a version or not.
#[tokio::test]
async fn the_command_line_client_gets_one_analysis_type() {
    let server = TestServer::start().await;
    server.register_minimal("t").await;
    server.register_minimal("t").await;
    for (query, version) in [("?unrenderedOnly=false", 2), ("?version=1&unrenderedOnly=true", 1)] {
        let shown = server.get(&format!("/schemas/t{query}")).await.ok();
        assert_eq!((&shown["name"], &shown["version"]), (&json!("t"), &json!(version)));
        assert!(shown["schema"].is_object());
    }
}

/// The command line client submits, makes a manifest, publishes and exports in batches.
#[tokio::test]
async fn the_command_line_client_takes_an_analysis_all_the_way() {
    let server = server_with_study().await;
    server.get("/isAlive").await.assert_text(200, "true");
    let submitted = server.post("/submit/S?allowDuplicates=false", &Payload::new("S").build()).await.ok();
    let id = submitted["analysisId"].as_str().unwrap();
    let files = server.get(&format!("/studies/S/analysis/{id}/files")).await.ok();
    let manifest = |file: &Value| ["objectId", "fileName", "fileMd5sum"].map(|name| file[name].as_str().unwrap().len());
    assert_eq!(manifest(&files[0]), [36, 9, 32]);
    server.put_empty(&format!("/studies/S/analysis/publish/{id}?ignoreUndefinedMd5=false")).await.ok();
    let ids = vec![id; 100].join(",");
    let exported = server.get(&format!("/export/analysis/{ids}")).await.ok();
    assert_eq!(exported[0]["payloads"].as_array().unwrap().len(), 100);
}

/// The Python client needs every member of an error.
#[tokio::test]
async fn errors_have_what_the_python_client_reads() {
    let server = TestServer::start().await;
    let error = server.get("/studies/NEWX?x=%C3%A9%20").await;
    error.assert_error_id(404, "study.id.does.not.exist");
    let error = error.json();
    assert_eq!(error["requestUrl"], format!("{}/studies/NEWX?x=é ", server.base()));
    assert_eq!(error["httpStatusName"], "NOT_FOUND");
    let datetime = error["datetime"].as_str().unwrap();
    let shape: String = datetime.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    assert_eq!(shape, "0000-00-00T00:00:00.000Z[UTC]");
    assert!(error["timestamp"].is_i64());
}
