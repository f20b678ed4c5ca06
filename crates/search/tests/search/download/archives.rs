//! Several files at once.

use std::io::Read;

use flate2::read::GzDecoder;
use serde_json::{Value, json};

use super::support::{Fixture, bytes};

/// Unpacks an archive.
fn entries(archive: &[u8]) -> Vec<(String, String)> {
    let mut archive = tar::Archive::new(GzDecoder::new(archive));
    let unpacked = archive.entries().unwrap().map(|entry| {
        let mut entry = entry.unwrap();
        let name = entry.path().unwrap().to_str().unwrap().to_owned();
        let mut text = String::new();
        entry.read_to_string(&mut text).unwrap();
        (name, text)
    });
    unpacked.collect()
}

#[tokio::test]
async fn several_files_are_an_archive() {
    let fixture = Fixture::sample().await;
    let one = json!({ "op": "in", "content": { "fieldName": "object_id", "value": ["FI2"] } });
    let params = json!({ "fileName": "export", "files": [
        { "fileName": "a.tsv", "columns": ["object_id"] },
        { "fileName": "A.tsv", "columns": ["size"], "sqon": one },
        { "fileType": "json", "columns": ["size"], "sqon": one },
        { "fileName": "../../etc/passwd", "columns": ["size"], "maxRows": 1 },
        { "fileName": "a.tsv", "fileType": "jsonl", "sqon": { "op": "not", "content": [one, {
            "op": "in", "content": { "fieldName": "object_id", "value": ["FI1", "FI3"] },
        }] } },
    ] });
    let download = fixture.begin(&params).await.unwrap();
    assert_eq!((download.file_name.as_str(), download.content_type), ("export.tar.gz", "application/gzip"));
    let text = |text: &str| text.to_owned();
    assert_eq!(
        entries(&bytes(download).await),
        [
            (text("a.tsv"), text("Object Id\nFI1\nFI2\nFI3\n")),
            (text("A-2.tsv"), text("Size\n0\n")),
            (text("file-3.json"), text("[\n{\"size\":0}\n]\n")),
            (text("_.._etc_passwd"), text("Size\n5000000000\n")),
            (text("a-3.tsv"), text("")),
        ]
    );
}

#[tokio::test]
async fn an_entry_may_be_larger_than_what_is_kept_in_memory() {
    let words: Vec<String> = (0..2000_u32).map(|n| format!("{:08x}", n.wrapping_mul(2_654_435_761))).collect();
    let long = words.join(" ");
    let documents: Vec<Value> =
        (0..400).map(|number| json!({ "_id": format!("{number:03}"), "tags": [long] })).collect();
    let fixture = Fixture::new(json!({ "downloads": { "maxRows": 0 } }), &documents).await;
    let file = json!({ "columns": ["id", "tags"] });
    let single = fixture.file(file.clone()).await;
    assert!(single.len() > 6_000_000);
    let archive = bytes(fixture.begin(&json!({ "files": [file, file] })).await.unwrap()).await;
    let entries = entries(&archive);
    assert_eq!(entries.len(), 2);
    assert!(entries.iter().all(|(_, text)| *text == single));
}
