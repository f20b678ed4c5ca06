//! What is kept of requests.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use cantata_access::AuditLog;
use cantata_server::AccessControl;
use cantata_testkit::{Payload, TestCatalogues, TestResponse, TestServer, raw};
use http::Method;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};

use crate::support::Guarded;

fn shown(entry: &Value) -> [&str; 6] {
    ["who", "how", "method", "path", "study", "result"].map(|name| entry[name].as_str().unwrap_or("-"))
}

#[tokio::test]
async fn every_writing_and_every_denied_request_is_kept_and_no_other() {
    let guarded = Guarded::open().await;
    guarded.study("ABC").await;
    let key = guarded.key("ada", &["STUDY.ABC.WRITE"]).await;
    guarded.submit("ABC", &key).await.assert_status(200);
    guarded.submit("XYZ", &key).await.assert_status(403);
    guarded.submit("ABC", "").await.assert_status(401);
    guarded.submit("ABC", "nonsense").await.assert_status(401);
    guarded.send(Method::POST, "/submit/ABC?token=secret", &key, Some(&json!({}))).await.assert_status(400);
    guarded.get("/admin/indexes", &key).await.assert_status(403);
    for path in ["/studies/all", "/studies/ABC", "/isAlive", "/nothing", "/admin/indexes"] {
        guarded.get(path, &guarded.administrator).await;
    }
    let entries = guarded.audit();
    let found: Vec<_> = entries.iter().map(shown).collect();
    let expected = [
        ["administrator", "key", "POST", "/studies/ABC", "ABC", "done"],
        ["ada", "key", "POST", "/submit/ABC", "ABC", "done"],
        ["ada", "key", "POST", "/submit/XYZ", "XYZ", "denied"],
        ["anonymous", "no credential", "POST", "/submit/ABC", "ABC", "denied"],
        ["anonymous", "refused credential", "POST", "/submit/ABC", "ABC", "denied"],
        ["ada", "key", "POST", "/submit/ABC", "ABC", "failed"],
        ["ada", "key", "GET", "/admin/indexes", "-", "denied"],
    ];
    assert_eq!(found, expected);
    assert_eq!(entries[1]["status"], 200);
    let text = std::fs::read_to_string(guarded.folder.path().join("audit.log")).unwrap();
    assert!(!text.contains("secret") && !text.contains(&key) && !text.contains("nonsense"));
}

#[tokio::test]
async fn a_dry_run_is_marked_where_it_changes_nothing_and_nowhere_else() {
    let guarded = Guarded::open().await;
    guarded.study("ABC").await;
    let payload = Payload::new("ABC").build();
    let send = async |path: &str, body: &Value| {
        guarded.send(Method::POST, path, &guarded.administrator, Some(body)).await.assert_status(200);
        guarded.audit().last().unwrap()["dryRun"].clone()
    };
    assert_eq!(send("/submit/ABC?validateOnly=true", &payload).await, true);
    assert_eq!(send("/submit/ABC/batch?validateOnly=true", &json!([payload])).await, true);
    let rows = json!([{"row": 2, "cells": ["a"]}]);
    let sheets = json!({"sheets": [{"name": "analyses", "columns": [{"name": "#row"}], "rows": rows}]});
    assert_eq!(send("/sheets/ABC?type=sequencingRead&validateOnly=true", &sheets).await, true);
    assert_eq!(send("/sheets/ABC?type=sequencingRead", &sheets).await, Value::Null);
    assert_eq!(send("/submit/ABC?validateOnly=false", &payload).await, Value::Null);
    assert_eq!(send("/studies/XYZ?validateOnly=true", &json!({"studyId": "XYZ"})).await, Value::Null);
}

#[tokio::test]
async fn an_answer_carries_the_number_of_its_line() {
    let guarded = Guarded::open().await;
    let response = guarded.submit("ABC", "").await;
    assert_eq!(guarded.audit()[0]["requestId"], response.header("x-request-id").unwrap());
    for (given, is_taken) in
        [("trace-17.a_b", true), ("", false), ("a b", false), (&"x".repeat(128), true), (&"x".repeat(129), false)]
    {
        let response = guarded.server.send(Method::POST, "/schemas", &[("x-request-id", given)], None).await;
        response.assert_status(401);
        let number = response.header("x-request-id").unwrap();
        assert_eq!(number == given, is_taken, "{given}");
        assert_eq!(guarded.audit().last().unwrap()["requestId"], number);
    }
}

#[tokio::test]
async fn only_its_owner_can_read_the_log() {
    let guarded = Guarded::open().await;
    guarded.study("ABC").await;
    let mode = std::fs::metadata(guarded.folder.path().join("audit.log")).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "{mode:o}");
}

/// Denied requests must not fill the disk.
#[tokio::test]
async fn a_line_has_a_limit_whatever_a_client_writes_into_the_address() {
    let guarded = Guarded::open().await;
    guarded.submit(&"ü".repeat(5000), "").await.assert_status(401);
    let line = guarded.audit()[0].to_string();
    assert!(line.contains("üüü") && line.len() < 2000, "{} bytes", line.len());
}

#[tokio::test]
async fn a_change_whose_client_leaves_is_kept_too() {
    // Accepts connections and never says anything, so that the change is under way until it is given up.
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let folder = TempDir::new().unwrap();
    let access = AccessControl { audit: Some(AuditLog::in_folder(folder.path())), ..AccessControl::default() };
    let server = TestServer::builder()
        .access(access)
        .score_url(&format!("http://{}", silent.local_addr().unwrap()))
        .call_timeout(Duration::from_secs(3600))
        .start()
        .await;
    server.create_study("ABC").await;
    let id = server.submit(&Payload::new("ABC")).await;
    let target = format!("/studies/ABC/analysis/publish/{id}");
    let mut client = TcpStream::connect(server.address()).await.unwrap();
    client.write_all(&raw::request("PUT", target.as_bytes(), &[], b"")).await.unwrap();
    let _asked = silent.accept().await.unwrap();
    drop(client);
    let is_kept = async {
        let log = folder.path().join("audit.log");
        while !std::fs::read_to_string(&log).unwrap().contains(r#""result":"cut off""#) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), is_kept).await.expect("it is not in the log");
}

const SAVE_SET: &str =
    "mutation { saveSet(type: file, userId: \"u\", sqon: {}, path: \"name\", refresh: WAIT_FOR) { setId } }";

/// Starts a server with saved sets, whose audit log is in a folder.
async fn with_sets(folder: &TempDir, is_required: bool) -> TestServer {
    let audit = AuditLog::in_folder(folder.path()).required(is_required);
    let mapping = json!({"properties": {"name": {"type": "keyword"}}});
    let catalogues = TestCatalogues::new()
        .file("base.json", &json!({"documentType": "file", "esIndex": "files", "enableSets": true}))
        .index("files", &mapping, [("f1", json!({"name": "a"}))]);
    let access = AccessControl { audit: Some(audit), ..AccessControl::default() };
    TestServer::builder().access(access).catalogues(catalogues).start().await
}

async fn post(server: &TestServer, path: &str, body: &Value) -> TestResponse {
    let headers = [("content-type", "application/json")];
    server.send(Method::POST, path, &headers, Some(body.to_string().into_bytes())).await
}

fn kept(folder: &TempDir) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(folder.path().join("audit.log")).unwrap_or_default();
    let entries = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let member = |entry: &Value, name: &str| entry[name].as_str().unwrap().to_owned();
    entries.map(|entry| (member(&entry, "path"), member(&entry, "result"))).collect()
}

#[tokio::test]
async fn a_saved_set_is_kept_and_a_query_is_not() {
    let folder = TempDir::new().unwrap();
    let server = with_sets(&folder, false).await;
    post(&server, "/graphql", &json!({"query": "{ file { hits { total } } }"})).await.assert_status(200);
    assert!(kept(&folder).is_empty());
    post(&server, "/graphql", &json!({"query": SAVE_SET})).await.assert_status(200);
    assert_eq!(kept(&folder), [("/graphql".to_owned(), "done".to_owned())]);
}

#[tokio::test]
async fn where_the_log_is_required_nothing_is_changed_without_it() {
    let folder = TempDir::new().unwrap();
    // In the way of the log, as a full disk would be.
    let in_the_way = folder.path().join("audit.log");
    std::fs::create_dir(&in_the_way).unwrap();
    let server = with_sets(&folder, true).await;
    let study = json!({"studyId": "ABC"});
    post(&server, "/studies/ABC", &study).await.assert_error_id(503, "audit.unavailable");
    post(&server, "/graphql", &json!({"query": SAVE_SET})).await.assert_status(503);
    assert_eq!(server.get("/studies/all").await.ok(), json!([]), "reads go on");
    std::fs::remove_dir(&in_the_way).unwrap();
    post(&server, "/studies/ABC", &study).await.assert_status(200);
    post(&server, "/graphql", &json!({"query": SAVE_SET})).await.assert_status(200);
    let entry = |path: &str, result: &str| (path.to_owned(), result.to_owned());
    let (begun, done) = (|path| entry(path, "begun"), |path| entry(path, "done"));
    let (study, graphql) = ("/studies/ABC", "/graphql");
    assert_eq!(kept(&folder), [begun(study), done(study), begun(graphql), done(graphql)]);
}

#[tokio::test]
async fn where_the_log_is_not_required_changes_go_on_without_it() {
    let folder = TempDir::new().unwrap();
    std::fs::create_dir(folder.path().join("audit.log")).unwrap();
    let server = with_sets(&folder, false).await;
    post(&server, "/studies/ABC", &json!({"studyId": "ABC"})).await.assert_status(200);
}
