//! What is kept of requests.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use cantata_access::AuditLog;
use cantata_server::AccessControl;
use cantata_testkit::{Payload, TestServer, raw};
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
    let key = guarded.key("ada", &["STUDY.ABC.WRITE"]);
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

/// Whoever is denied must not fill the disk with it.
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
