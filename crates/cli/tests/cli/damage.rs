//! Damage of a data folder: it is found and named, and nothing that is not as it was written is served.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde_json::json;
use tempfile::TempDir;

use crate::process::{Server, cantata, outcome};

const STUDY: &str = "DAMAGE";

/// A data folder with three analyses, and their ids.
fn filled() -> (TempDir, PathBuf, Vec<String>) {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("data");
    let server = Server::start("serve", &folder, &[]);
    let study = json!({"studyId": STUDY}).to_string();
    assert_eq!(server.request("POST", &format!("/studies/{STUDY}"), &study).0, 200);
    let ids = (0..3).map(|marker| submit(&server, marker)).collect();
    server.stop("TERM");
    (place, folder, ids)
}

fn submit(server: &Server, marker: usize) -> String {
    let file = json!({
        "fileName": "a.bam", "fileSize": 1, "fileType": "bam", "fileAccess": "open", "dataType": "reads",
        "fileMd5sum": format!("{marker:032x}"),
    });
    let experiment = json!({"matchedNormalSampleSubmitterId": marker.to_string(), "variantCallingTool": "sound"});
    let payload =
        json!({"studyId": STUDY, "analysisType": {"name": "variantCall"}, "files": [file], "experiment": experiment});
    let (status, answer) = server.request("POST", &format!("/submit/{STUDY}"), &payload.to_string());
    assert_eq!(status, 200, "{answer}");
    answer["analysisId"].as_str().unwrap().to_owned()
}

/// Changes the document of an event behind the back of the store.
fn damage_event(folder: &Path, seq: u64) {
    let database = Connection::open(folder.join("metadata.db")).unwrap();
    let sql = "UPDATE event SET document = replace(document, 'sound', 'wound') WHERE seq = ?1";
    assert_eq!(database.execute(sql, [seq]).unwrap(), 1);
}

/// Returns everything that the server answers to a request, to the end of the connection.
fn raw_get(server: &Server, path: &str) -> String {
    let mut stream = TcpStream::connect(&server.address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", server.address).unwrap();
    let mut answer = Vec::new();
    // A connection that is broken off may end with an error.
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8(answer).unwrap()
}

/// Runs a command on a data folder; returns its exit code, standard output and standard error.
fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    outcome(cantata(arguments).arg("--data-dir").arg(folder).current_dir(folder.parent().unwrap()))
}

#[test]
fn a_changed_document_is_named_and_not_shown_exported_or_backed_up() {
    let (_place, folder, ids) = filled();
    damage_event(&folder, 2);
    let server = Server::start("serve", &folder, &[]);
    let (status, answer) = server.get(&format!("/studies/{STUDY}/analysis/{}", ids[1]));
    assert_eq!((status, &answer["errorId"]), (500, &json!("stored.data.damaged")), "{answer}");
    let message = answer["message"].as_str().unwrap();
    assert!(message.contains(&ids[1]) && message.contains("backup"), "{message}");
    for id in [&ids[0], &ids[2]] {
        assert_eq!(server.get(&format!("/studies/{STUDY}/analysis/{id}")).0, 200);
    }
    for path in [
        format!("/studies/{STUDY}/analysis?analysisStates=UNPUBLISHED"),
        format!("/export/studies/{STUDY}"),
        "/events?follow=false".to_owned(),
    ] {
        let answer = raw_get(&server, &path);
        assert!(!answer.contains("wound"), "{path}: {answer}");
        assert!(!answer.starts_with("HTTP/1.1 200") || !answer.ends_with("\r\n0\r\n\r\n"), "{path}: {answer}");
    }
    let address = format!("http://{}", server.address);
    for more in [["--server", address.as_str()].as_slice(), &[]] {
        let arguments = [["backup", "b"].as_slice(), more].concat();
        let (code, _, stderr) = run(&folder, &arguments);
        assert_ne!(code, 0, "{stderr}");
        assert!(!folder.with_file_name("b").exists(), "{stderr}");
    }
    server.stop("TERM");
    let (code, _, stderr) = run(&folder, &["backup", "b"]);
    assert!(code == 1 && stderr.contains(&ids[1]), "{stderr}");
}

#[test]
fn a_feed_of_events_that_meets_damage_breaks_off_after_what_is_whole() {
    let (_place, folder, _) = filled();
    damage_event(&folder, 2);
    let server = Server::start("serve", &folder, &[]);
    let answer = raw_get(&server, "/events?follow=false");
    assert!(answer.contains("id: 1\n") && !answer.contains("id: 2\n"), "{answer}");
    assert!(!answer.ends_with("\r\n0\r\n\r\n"), "it ends as if it were complete: {answer}");
    let answer = raw_get(&server, "/events?follow=false&after=2");
    assert!(answer.contains("id: 3\n") && answer.ends_with("\r\n0\r\n\r\n"), "{answer}");
}
