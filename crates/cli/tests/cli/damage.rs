//! Damage of a data folder: it is found and named, and nothing that is not as it was written is served.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

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
        assert!(code != 0 && stderr.contains(&ids[1]), "{stderr}");
        assert!(!folder.with_file_name("b").is_file(), "{stderr}");
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

/// Columns that the checksum of a row covers, and those that other rows have too.
#[test]
fn verify_and_backup_find_a_flip_in_any_row_of_the_metadata() {
    let (_place, folder, ids) = filled();
    let server = Server::start("serve", &folder, &[]);
    publish(&server, &ids[0]);
    assert_eq!(server.request("POST", "/studies/OTHER", &json!({"studyId": "OTHER"}).to_string()).0, 200);
    server.stop("TERM");
    assert_eq!(run(&folder, &["verify"]).0, 0);
    let metadata = folder.join("metadata.db");
    let whole = fs_err::read(&metadata).unwrap();
    for flip in [
        "UPDATE study SET study_id = 'DAMAGD' WHERE study_id = 'DAMAGE'",
        "UPDATE study SET document = replace(document, 'DAMAGE', 'DAMAGD') WHERE study_id = 'DAMAGE'",
        "UPDATE study SET study_key = study_key + 64 WHERE study_id = 'DAMAGE'",
        "UPDATE analysis_type SET name = 'variantCalm' WHERE name = 'variantCall'",
        "UPDATE analysis_type SET version = version + 2 WHERE name = 'variantCall'",
        "UPDATE analysis_type SET schema = replace(schema, 'object', 'objecu') WHERE name = 'variantCall'",
        "UPDATE analysis SET study_key = (SELECT study_key FROM study WHERE study_id = 'OTHER') WHERE revision = 2",
        "UPDATE analysis SET state = state + 1 WHERE revision = 2",
        "UPDATE analysis SET revision = 3 WHERE revision = 2",
        "UPDATE analysis SET revision = 1, state = (SELECT state FROM event WHERE seq = 1) WHERE revision = 4",
        "UPDATE event SET study_key = (SELECT study_key FROM study WHERE study_id = 'OTHER') WHERE seq = 1",
        "UPDATE event SET study_key = study_key + 64 WHERE seq = 1",
        "UPDATE event SET seq = seq + 1024 WHERE seq = 1",
        "UPDATE event SET state = state + 1 WHERE seq = 1",
        "UPDATE file_block SET study_key = (SELECT study_key FROM study WHERE study_id = 'OTHER') WHERE block_key = 1",
        "UPDATE file_block SET files = zeroblob(length(files)) WHERE block_key = 1",
    ] {
        let database = Connection::open(&metadata).unwrap();
        // Nobody watches over the references of a flipped bit.
        database.pragma_update(None, "foreign_keys", false).unwrap();
        assert_eq!(database.execute(flip, []).unwrap(), 1, "{flip}");
        drop(database);
        let (code, stdout, stderr) = run(&folder, &["verify"]);
        assert!(code == 1 && stdout.contains("metadata.db: damaged"), "{flip}: {stdout}{stderr}");
        let (code, _, stderr) = run(&folder, &["backup", "b"]);
        assert!(code == 1 && stderr.contains("damaged"), "{flip}: {stderr}");
        assert!(!folder.with_file_name("b").is_file(), "{flip}");
        fs_err::write(&metadata, &whole).unwrap();
    }
    assert_eq!(run(&folder, &["verify"]).0, 0);
}

/// Runs a server that must not start; returns what it says.
#[track_caller]
fn not_started(folder: &Path) -> String {
    let (code, stdout, stderr) = run(folder, &["serve", "--server-port=0"]);
    assert_eq!((code, stdout.as_str()), (1, ""), "{stderr}");
    stderr
}

#[test]
fn a_folder_that_lost_its_metadata_is_not_started_empty() {
    let (_place, folder, ids) = filled();
    let metadata = folder.join("metadata.db");
    let kept = fs_err::read(&metadata).unwrap();
    fs_err::remove_file(&metadata).unwrap();
    let said = not_started(&folder);
    assert!(said.contains("has lost its metadata") && said.contains("cantata restore"), "{said}");
    assert!(said.contains("remove lookup.db"), "{said}");
    assert!(!metadata.is_file());
    let (code, _, stderr) = run(&folder, &["backup", "b"]);
    assert!(code == 1 && stderr.contains("has lost its metadata"), "{stderr}");
    fs_err::write(&metadata, "").unwrap();
    let said = not_started(&folder);
    assert!(said.contains("has lost its metadata"), "{said}");

    fs_err::write(&metadata, kept).unwrap();
    let server = Server::start("serve", &folder, &[]);
    assert_eq!(server.get(&format!("/studies/{STUDY}/analysis/{}", ids[0])).0, 200);
    server.stop("TERM");

    for name in ["metadata.db", "lookup.db"] {
        fs_err::remove_file(folder.join(name)).unwrap();
    }
    let server = Server::start("serve", &folder, &[]);
    assert_eq!(server.get("/studies/all").1, json!([]), "without both files the server starts empty");
}

/// Starts a server with a catalogue of the published files, and waits until it has this many events.
fn start_indexed(folder: &Path, event: u64, change: impl FnOnce(&Server)) -> Server {
    let configs = folder.with_file_name("configs");
    fs_err::create_dir_all(&configs).unwrap();
    let base = json!({"catalogId": "files", "documentType": "file", "esIndex": "files"});
    fs_err::write(configs.join("base.json"), base.to_string()).unwrap();
    fs_err::write(configs.join("source.json"), json!({"source": {"document": "file-centric"}}).to_string()).unwrap();
    let server = Server::start("serve", folder, &["--configs-path", configs.to_str().unwrap()]);
    change(&server);
    for _ in 0..1_200 {
        let status = &server.get("/admin/indexing").1[0];
        if status["status"] == "following" && status["position"].as_str() == Some(&event.to_string()) {
            return server;
        }
        thread::sleep(Duration::from_millis(50));
    }
    panic!("{}", server.get("/admin/indexing").1);
}

fn publish(server: &Server, id: &str) {
    assert_eq!(server.request("PUT", &format!("/studies/{STUDY}/analysis/publish/{id}"), "").0, 200);
}

#[test]
fn metadata_that_is_behind_its_index_is_not_started() {
    let (_place, folder, ids) = filled();
    start_indexed(&folder, 4, |server| publish(server, &ids[0])).stop("TERM");
    let older = fs_err::read(folder.join("metadata.db")).unwrap();
    start_indexed(&folder, 5, |server| publish(server, &ids[1])).stop("TERM");
    fs_err::write(folder.join("metadata.db"), older).unwrap();
    let said = not_started(&folder);
    assert!(
        said.contains("is behind index `files-1`") && said.contains("event 4") && said.contains("event 5"),
        "{said}"
    );
    let (code, _, stderr) = run(&folder, &["index", "delete", "files-1", "--yes"]);
    assert_eq!(code, 0, "{stderr}");
    let server = start_indexed(&folder, 4, |_| {});
    let index = server.get("/admin/indexes").1;
    assert_eq!((&index[0]["name"], &index[0]["documents"]), (&json!("files-1"), &json!(1)), "{index}");
}

/// Makes the manifest of every index unreadable.
fn damage_indexes(folder: &Path) {
    for entry in fs_err::read_dir(folder.join("search")).unwrap() {
        let manifest = entry.unwrap().path().join("manifest.json");
        if manifest.is_file() {
            fs_err::write(manifest, "{").unwrap();
        }
    }
}

#[test]
fn a_damaged_index_keeps_its_name_and_says_what_to_do() {
    let (_place, folder, _) = filled();
    let server = Server::start("serve", &folder, &[]);
    assert_eq!(server.request("PUT", "/admin/indexes/things", "").0, 201);
    server.stop("TERM");
    damage_indexes(&folder);
    let (code, listed, stderr) = run(&folder, &["index", "list"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(listed.contains("index `things` is damaged") && listed.contains("cantata index delete things"), "{listed}");
    let (code, _, stderr) = run(&folder, &["backup", "b"]);
    assert!(code == 1 && stderr.contains("index `things` is damaged"), "{stderr}");

    let server = Server::start("serve", &folder, &[]);
    let listed = server.get("/admin/indexes").1;
    assert!(listed[0]["name"] == "things" && listed[0]["problem"].is_string(), "{listed}");
    let (status, answer) = server.get("/admin/indexes/things");
    assert_eq!((status, &answer["errorId"]), (500, &json!("stored.data.damaged")), "{answer}");
    assert_eq!(server.request("PUT", "/admin/indexes/things", "").0, 409);
    server.stop("TERM");

    let (code, _, stderr) = run(&folder, &["index", "delete", "things", "--yes"]);
    assert_eq!(code, 0, "{stderr}");
    let (_, listed, _) = run(&folder, &["index", "list", "--json"]);
    assert_eq!(listed.trim(), "[]");
}

#[test]
fn a_damaged_log_of_an_index_is_reported_and_not_dropped() {
    let (_place, folder, _) = filled();
    let server = Server::start("serve", &folder, &[]);
    assert_eq!(server.request("PUT", "/admin/indexes/things", "").0, 201);
    for id in 0..3 {
        let (status, answer) = server.request("PUT", &format!("/_es/things/_doc/{id}"), "{\"number\": 1}");
        assert!(status < 300, "{answer}");
    }
    server.stop("TERM");
    let mut files = fs_err::read_dir(folder.join("search/things")).unwrap().map(|entry| entry.unwrap().path());
    let log = files.find(|path| path.extension().is_some_and(|extension| extension == "log")).unwrap();
    let mut bytes = fs_err::read(&log).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs_err::write(&log, &bytes).unwrap();
    for arguments in [["verify"].as_slice(), &["verify", "--repair"], &["verify"]] {
        let (code, stdout, stderr) = run(&folder, arguments);
        assert_eq!(code, 1, "{stdout}{stderr}");
        assert!(stdout.contains("index things: damaged") && stdout.contains(".log"), "{stdout}");
        assert_eq!(fs_err::read(&log).unwrap(), bytes);
    }
}

#[test]
fn a_flip_in_a_manifest_or_in_the_aliases_is_reported() {
    let (_place, folder, _) = filled();
    let server = Server::start("serve", &folder, &[]);
    for index in ["things", "others"] {
        assert_eq!(server.request("PUT", &format!("/admin/indexes/{index}"), "").0, 201);
    }
    let actions = json!({"actions": [{"add": {"index": "things", "alias": "everything"}}]});
    assert_eq!(server.request("POST", "/_es/_aliases", &actions.to_string()).0, 200);
    server.stop("TERM");
    for (file, from, to) in [("things/manifest.json", "\"log\": ", "\"log\": 7"), (".aliases.json", "every", "evesy")] {
        let path = folder.join("search").join(file);
        let text = fs_err::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{text}");
        fs_err::write(&path, text.replace(from, to)).unwrap();
    }
    for _ in 0..2 {
        let (code, stdout, stderr) = run(&folder, &["verify"]);
        assert_eq!(code, 1, "{stdout}{stderr}");
        assert!(stdout.contains("index things: damaged") && stdout.contains("index others: sound"), "{stdout}");
        assert!(stdout.contains("aliases of indexes: damaged"), "{stdout}");
    }
}

#[test]
fn a_sound_folder_is_verified_part_by_part() {
    let (_place, folder, ids) = filled();
    start_indexed(&folder, 4, |server| publish(server, &ids[0])).stop("TERM");
    // A rebuild that was interrupted; the next start removes it.
    for name in ["lookup.db.unfinished", "lookup.db.unfinished-wal", "lookup.db.unfinished-shm"] {
        fs_err::write(folder.join(name), "half of it").unwrap();
    }
    let (code, stdout, stderr) = run(&folder, &["verify"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    for part in ["metadata.db", "lookup.db", "index files-1", "keys.json"] {
        assert!(stdout.contains(&format!("{part}: sound")), "{part}: {stdout}");
    }
    let server = Server::start("serve", &folder, &[]);
    let (code, _, stderr) = run(&folder, &["verify"]);
    assert!(code == 1 && stderr.contains("is in use"), "{stderr}");
    drop(server);
    let (code, _, stderr) = run(&folder.with_file_name("nothing"), &["verify"]);
    assert!(code == 1 && stderr.contains("there is no data folder"), "{stderr}");
}

#[test]
fn metadata_and_keys_are_reported_and_never_repaired() {
    let (_place, folder, ids) = filled();
    damage_event(&folder, 2);
    fs_err::write(folder.join("keys.json"), "[").unwrap();
    for arguments in [["verify"].as_slice(), &["verify", "--repair"]] {
        let (code, stdout, stderr) = run(&folder, arguments);
        assert_eq!(code, 1, "{stderr}");
        assert!(stdout.contains("metadata.db: damaged") && stdout.contains(&ids[1]), "{stdout}");
        assert!(stdout.contains("keys.json: damaged") && !stdout.contains("repaired"), "{stdout}");
    }
    let (_, stdout, _) = run(&folder, &["verify", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((&report["sound"], &report["parts"][0]["name"]), (&json!(false), &json!("metadata.db")), "{report}");
}

#[test]
fn what_is_derived_is_repaired() {
    let (_place, folder, ids) = filled();
    start_indexed(&folder, 4, |server| publish(server, &ids[0])).stop("TERM");
    // Opening the indexes writes what is in their logs to segments.
    assert_eq!(run(&folder, &["verify"]).0, 0);
    fs_err::write(folder.join("lookup.db"), "this is no database, but long enough to look like one").unwrap();
    fs_err::write(folder.join(".backup-left-behind"), "by a process that was killed").unwrap();
    fs_err::create_dir_all(folder.join("indexing")).unwrap();
    fs_err::write(folder.join("indexing/jobs.json"), "{").unwrap();
    assert!(flip_segments(&folder) > 0);
    let damaged = ["lookup.db", "index files-1", "indexing/jobs.json", ".backup-left-behind"];
    let (code, stdout, stderr) = run(&folder, &["verify"]);
    assert_eq!(code, 1, "{stderr}");
    assert!(damaged.iter().all(|part| stdout.contains(&format!("{part}: damaged"))), "{stdout}");
    let (code, stdout, stderr) = run(&folder, &["verify", "--repair"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert_eq!(stdout.matches("repaired: ").count(), damaged.len(), "{stdout}");
    let server = start_indexed(&folder, 4, |_| {});
    assert_eq!(server.get("/admin/indexes").1[0]["documents"], 1);
    server.stop("TERM");
    assert_eq!(run(&folder, &["verify"]).0, 0);
}

/// Only what the indexing has built can be built again, whatever the name and the mapping of an import are.
#[test]
fn an_imported_index_with_the_name_of_a_generation_is_never_repaired() {
    let (place, folder, _) = filled();
    let file = |name: &str, content: &str| {
        let path = place.path().join(name);
        fs_err::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let documents = file("things.ndjson", "{\"_id\": \"1\", \"n\": 1}\n");
    let mapping = file("mapping.json", "{\"properties\": {\"n\": {\"type\": \"long\"}}, \"_meta\": {\"cantata\": {}}}");
    for more in [["--index", "plain-2"].as_slice(), &["--index", "copied-2", "--mapping", mapping.as_str()]] {
        let (code, _, stderr) = run(&folder, &[["import", documents.as_str()].as_slice(), more].concat());
        assert_eq!(code, 0, "{stderr}");
    }
    let aliases = json!({"aliases": {"plain": "plain-2", "copied": "copied-2"}}).to_string();
    fs_err::write(folder.join("search/.aliases.json"), aliases).unwrap();
    assert_eq!(run(&folder, &["verify"]).0, 0);
    assert_eq!(flip_segments(&folder), 2);
    let (code, stdout, stderr) = run(&folder, &["verify", "--repair"]);
    assert_eq!(code, 1, "{stderr}");
    for name in ["plain-2", "copied-2"] {
        assert!(stdout.contains(&format!("index {name}: damaged")), "{stdout}");
        assert!(stdout.contains(&format!("cantata index delete {name} --yes")), "{stdout}");
        assert!(folder.join("search").join(name).join("manifest.json").is_file());
    }
    assert!(!stdout.contains("repaired"), "{stdout}");
}

/// An index that cannot be read now may be sound.
#[test]
fn an_index_that_cannot_be_read_at_the_moment_is_not_repaired() {
    let (_place, folder, ids) = filled();
    start_indexed(&folder, 4, |server| publish(server, &ids[0])).stop("TERM");
    // A folder stands where the manifest would be read.
    let (manifest, hidden) = (folder.join("search/files-1/manifest.json"), folder.join("search/files-1.hidden"));
    fs_err::rename(&manifest, &hidden).unwrap();
    fs_err::create_dir(&manifest).unwrap();
    let (code, stdout, stderr) = run(&folder, &["verify", "--repair"]);
    assert_eq!(code, 1, "{stderr}");
    assert!(stdout.contains("files-1") && stdout.contains("verify it again"), "{stdout}");
    assert!(!stdout.contains("repaired"), "{stdout}");
    fs_err::remove_dir(&manifest).unwrap();
    fs_err::rename(&hidden, &manifest).unwrap();
    assert_eq!(run(&folder, &["verify"]).0, 0);
}

/// Flips a bit in the middle of every segment; returns how many there are.
fn flip_segments(folder: &Path) -> usize {
    let mut flipped = 0;
    for index in fs_err::read_dir(folder.join("search")).unwrap() {
        let index = index.unwrap().path();
        if !index.is_dir() {
            continue;
        }
        for file in fs_err::read_dir(index).unwrap() {
            let file = file.unwrap().path();
            if file.extension().is_some_and(|extension| extension == "segment") {
                let mut bytes = fs_err::read(&file).unwrap();
                let middle = bytes.len() / 2;
                bytes[middle] ^= 1;
                fs_err::write(&file, bytes).unwrap();
                flipped += 1;
            }
        }
    }
    flipped
}
