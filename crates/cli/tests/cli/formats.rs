//! Data folders that earlier versions have written: every later version opens, serves, verifies and backs them up.
//!
//! `fixtures/formats/<version>/` has the folder `data` as a killed server left it, and `expected.json` with what a server on it
//! answers. A folder is never changed once its version is released; [`write`] makes a new one.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use fs_err as fs;
use serde_json::{Value, json};

use crate::process::{Server, cantata, outcome};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/formats");

/// The variable that names the version of a new fixture.
const WRITE_VARIABLE: &str = "CANTATA_WRITE_FIXTURE";

const STUDY: &str = "FORMATS";

/// What belongs to a running process, and not to the data.
const NOT_DATA: [&str; 4] = ["lock", "store.lock", "keys.lock", "server.json"];

#[test]
fn every_version_opens_serves_verifies_and_backs_up() {
    let mut versions: Vec<PathBuf> = match fs::read_dir(FIXTURES) {
        Ok(entries) => entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect(),
        Err(_) => Vec::new(),
    };
    versions.sort();
    assert!(!versions.is_empty(), "{FIXTURES} has no version; {WRITE_VARIABLE}=0.1.0 writes one");
    for version in versions {
        let expected: Value = serde_json::from_slice(&fs::read(version.join("expected.json")).unwrap()).unwrap();
        let place = tempfile::tempdir().unwrap();
        let data = place.path().join("data");
        copy_folder(&version.join("data"), &data);
        assert_serves(&data, &expected);
        let (code, stdout, stderr) = run(&data, &["verify"]);
        assert_eq!(code, 0, "{}: {stdout}{stderr}", version.display());
        let (code, _, stderr) = run(&data, &["backup", "b"]);
        assert_eq!(code, 0, "{}: {stderr}", version.display());
        let restored = place.path().join("restored");
        let (code, _, stderr) = run(&restored, &["restore", "b"]);
        assert_eq!(code, 0, "{}: {stderr}", version.display());
        assert_serves(&restored, &expected);
    }
}

/// Serves a folder, and compares what it answers with what is expected.
fn assert_serves(data: &Path, expected: &Value) {
    let server = start(data, &[]);
    until_indexed(&server);
    for entry in expected["answers"].as_array().unwrap() {
        let found = ask(&server, entry);
        assert!(is_in(&entry["answer"], &found), "{entry:#}\nfound {found:#}");
    }
    // What was there counts: the same file again is a duplicate, and a new one is taken.
    assert_eq!(send(&server, "", "POST", &format!("/submit/{STUDY}"), &payload("reads", 1)).0, 409);
    server.stop("TERM");
    let (code, listed, stderr) = run(data, &["key", "list", "--json"]);
    assert_eq!(code, 0, "{stderr}");
    let listed: Value = serde_json::from_str(&listed).unwrap();
    assert!(is_in(&expected["keys"], &listed), "{listed:#}");
    let server = start(data, &["--auth-mode=api-key", "--require-auth-for-reads"]);
    let key = expected["key"].as_str().unwrap();
    assert_eq!(send(&server, key, "GET", "/studies/all", "").0, 200);
    assert_eq!(send(&server, "", "GET", "/studies/all", "").0, 401);
    server.stop("TERM");
}

/// Returns whether a value has everything that is expected; objects may have more members.
fn is_in(expected: &Value, found: &Value) -> bool {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => {
            expected.iter().all(|(name, value)| found.get(name).is_some_and(|found| is_in(value, found)))
        }
        (Value::Array(expected), Value::Array(found)) => {
            expected.len() == found.len() && expected.iter().zip(found).all(|(one, other)| is_in(one, other))
        }
        _ => expected == found,
    }
}

/// Writes the fixture of a version, if the environment asks for one.
#[test]
fn write() {
    let Ok(version) = std::env::var(WRITE_VARIABLE) else { return };
    let fixture = Path::new(FIXTURES).join(&version);
    assert!(!fixture.is_dir(), "{} is there already", fixture.display());
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data");
    configure(&data);
    let key = create_keys(&data);

    let server = start(&data, &[]);
    fill(&server);
    until_indexed(&server);
    server.stop("TERM");
    // The logs of the store and of an index have something, because nothing merges what a killed server has written last.
    let server = start(&data, &[]);
    let ids = fill_more(&server);
    server.stop("KILL");
    copy_folder(&data, &fixture.join("data"));

    let server = start(&data, &[]);
    until_indexed(&server);
    let answers: Vec<Value> = questions(&server, &ids)
        .into_iter()
        .map(|mut question| {
            question["answer"] = ask(&server, &question);
            question
        })
        .collect();
    server.stop("TERM");
    let (_, listed, _) = run(&data, &["key", "list", "--json"]);
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let of_key = |key: &Value| json!({"id": key["id"], "name": key["name"], "scopes": key["scopes"]});
    let keys: Vec<Value> = listed.as_array().unwrap().iter().map(of_key).collect();
    let expected = json!({"version": version, "key": key, "keys": keys, "answers": answers});
    fs::write(fixture.join("expected.json"), format!("{expected:#}\n")).unwrap();
}

/// Writes the configuration of a catalogue of files, with saved sets.
fn configure(data: &Path) {
    let folder = data.join("configs/files");
    fs::create_dir_all(&folder).unwrap();
    let base = json!({"catalogId": "files", "documentType": "file", "esIndex": "files", "enableSets": true});
    fs::write(folder.join("base.json"), format!("{base:#}\n")).unwrap();
    let source = json!({"source": {"document": "file-centric"}});
    fs::write(folder.join("source.json"), format!("{source:#}\n")).unwrap();
}

/// Creates an active and a revoked key; returns the secret of the active one.
fn create_keys(data: &Path) -> String {
    let create = |name: &str| {
        let (code, stdout, stderr) =
            run(data, &["key", "create", "--name", name, "--scope", "song.WRITE", "--scope", "song.READ", "--json"]);
        assert_eq!(code, 0, "{stderr}");
        serde_json::from_str::<Value>(&stdout).unwrap()["key"].as_str().unwrap().to_owned()
    };
    let key = create("active");
    create("revoked");
    assert_eq!(run(data, &["key", "revoke", "revoked"]).0, 0);
    key
}

/// Registers and submits something of everything, and imports an index.
fn fill(server: &Server) {
    let study = json!({"studyId": STUDY, "name": "Formats", "description": "With ü and 漢"}).to_string();
    done(server, "POST", &format!("/studies/{STUDY}"), &study);
    for (name, properties) in [
        ("reads", json!({"experiment": {"type": "object"}})),
        ("reads", json!({"experiment": {"type": "object"}, "depth": {"type": "integer"}})),
        ("variants", json!({"experiment": {"type": "object"}})),
    ] {
        let schema = json!({"type": "object", "required": ["experiment"], "properties": properties});
        done(server, "POST", "/schemas", &json!({"name": name, "schema": schema}).to_string());
    }
    let ids: Vec<String> = [("reads", 1), ("reads", 2), ("variants", 3), ("reads", 4)]
        .into_iter()
        .map(|(name, marker)| {
            let answer = done(server, "POST", &format!("/submit/{STUDY}"), &payload(name, marker));
            serde_json::from_str::<Value>(&answer).unwrap()["analysisId"].as_str().unwrap().to_owned()
        })
        .collect();
    // The last one stays as it was submitted.
    for (change, id) in [("publish", 0), ("publish", 1), ("unpublish", 1), ("publish", 2), ("suppress", 2)] {
        done(server, "PUT", &format!("/studies/{STUDY}/analysis/{change}/{}", ids[id]), "");
    }
    let patch = json!({"experiment": {"platform": "second"}}).to_string();
    done(server, "PATCH", &format!("/studies/{STUDY}/analysis/{}", ids[1]), &patch);

    done(server, "PUT", "/admin/indexes/things", "");
    for part in [0..20, 20..40] {
        let lines: String =
            part.map(|number| format!("{}\n", json!({"_id": number.to_string(), "number": number}))).collect();
        done(server, "POST", "/admin/indexes/things/import", &lines);
    }
    done(server, "DELETE", "/_es/things/_doc/7", "");
    let actions = json!({"actions": [{"add": {"index": "things", "alias": "everything"}}]});
    done(server, "POST", "/_es/_aliases", &actions.to_string());
}

/// Publishes one more analysis, saves a set and writes to an index; returns the ids of all analyses.
fn fill_more(server: &Server) -> Vec<String> {
    let answer = done(server, "POST", &format!("/submit/{STUDY}"), &payload("reads", 5));
    let id = serde_json::from_str::<Value>(&answer).unwrap()["analysisId"].as_str().unwrap().to_owned();
    done(server, "PUT", &format!("/studies/{STUDY}/analysis/publish/{id}"), "");
    until_indexed(server);
    let save = "mutation { saveSet(type: file, path: \"objectId\", name: \"All\", sqon: {}) { setId size } }";
    done(server, "POST", "/files/graphql", &json!({"query": save}).to_string());
    let all =
        done(server, "GET", &format!("/studies/{STUDY}/analysis?analysisStates=PUBLISHED,UNPUBLISHED,SUPPRESSED"), "");
    let all: Value = serde_json::from_str(&all).unwrap();
    done(server, "PUT", "/_es/things/_doc/40", &json!({"number": 40}).to_string());
    all.as_array().unwrap().iter().map(|one| one["analysisId"].as_str().unwrap().to_owned()).collect()
}

/// Returns what is asked of a fixture.
fn questions(server: &Server, ids: &[String]) -> Vec<Value> {
    let get = |path: String| json!({"method": "GET", "path": path});
    let graphql = |query: &str| json!({"method": "POST", "path": "/files/graphql", "body": {"query": query}});
    let mut questions = vec![
        get("/studies/all".to_owned()),
        get(format!("/studies/{STUDY}")),
        get("/schemas/reads?version=1&unrenderedOnly=true".to_owned()),
        get("/schemas/reads?version=2&unrenderedOnly=true".to_owned()),
        get("/schemas/variants?version=1&unrenderedOnly=true".to_owned()),
        get("/events?follow=false".to_owned()),
        get("/_es/_alias/everything".to_owned()),
        get("/_es/things/_count".to_owned()),
        get("/_es/everything/_doc/40".to_owned()),
        get("/_es/things/_mapping".to_owned()),
        graphql(
            "{ file { hits { total } aggregations { fileType { buckets { key doc_count } }
             analysis__analysisState { buckets { key doc_count } } } } }",
        ),
        graphql("{ sets { hits { total edges { node { name size path } } } } }"),
    ];
    for id in ids {
        let path = format!("/studies/{STUDY}/analysis/{id}");
        let (_, analysis) = send(server, "", "GET", &path, "");
        let analysis: Value = serde_json::from_str(&analysis).unwrap();
        questions.push(get(format!("/entities/{}", analysis["files"][0]["objectId"].as_str().unwrap())));
        questions.push(get(path));
    }
    questions
}

/// Asks a question; a stream of events becomes a list of their messages.
fn ask(server: &Server, question: &Value) -> Value {
    let text = |name: &str| question[name].as_str().unwrap();
    let body = question.get("body").map(ToString::to_string).unwrap_or_default();
    let answer = done(server, text("method"), text("path"), &body);
    if text("path").starts_with("/events") {
        let messages = answer.lines().filter_map(|line| line.strip_prefix("data: "));
        return messages.map(|message| serde_json::from_str::<Value>(message).unwrap()).collect();
    }
    let answer: Value = serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{error}: {question} {answer}"));
    assert_eq!(answer.get("errors"), None, "{question}");
    answer
}

fn payload(name: &str, marker: usize) -> String {
    let file = |number: usize, kind: &str| {
        json!({
            "fileName": format!("{marker}-{number}.{kind}"), "fileSize": marker, "fileType": kind, "fileAccess": "open",
            "dataType": "reads", "fileMd5sum": format!("{:032x}", marker * 10 + number),
        })
    };
    let (files, experiment) = (json!([file(0, "bam"), file(1, "vcf")]), json!({"platform": "first", "marker": marker}));
    json!({"studyId": STUDY, "analysisType": {"name": name}, "files": files, "experiment": experiment}).to_string()
}

/// Starts a server with the catalogues of its data folder.
fn start(data: &Path, more: &[&str]) -> Server {
    let configs = data.join("configs");
    Server::start("serve", data, &[["--configs-path", configs.to_str().unwrap()].as_slice(), more].concat())
}

/// Waits until the catalogue has everything and is served.
fn until_indexed(server: &Server) {
    for _ in 0..1_200 {
        let status = &server.get("/admin/indexing").1[0];
        if status["status"] == "following" && status["behind"] == 0 && server.get("/ready").0 == 200 {
            return;
        }
        thread::sleep(Duration::from_millis(50));
    }
    panic!("{}", server.get("/admin/indexing").1);
}

/// Sends a request that must succeed; returns the body of the answer.
#[track_caller]
fn done(server: &Server, method: &str, path: &str, body: &str) -> String {
    let (status, answer) = send(server, "", method, path, body);
    assert!((200..300).contains(&status), "{method} {path}: {status} {answer}");
    answer
}

/// Sends a request with a credential, if there is one; returns the status and the body of the answer.
fn send(server: &Server, credential: &str, method: &str, path: &str, body: &str) -> (u16, String) {
    let header = if credential.is_empty() { String::new() } else { format!("Authorization: Bearer {credential}\r\n") };
    let mut stream = TcpStream::connect(&server.address).unwrap();
    let (address, length) = (&server.address, body.len());
    write!(
        stream,
        "{method} {path} HTTP/1.0\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\
         {header}\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

/// Runs a command on a data folder; returns its exit code, standard output and standard error.
fn run(data: &Path, arguments: &[&str]) -> (i32, String, String) {
    outcome(cantata(arguments).arg("--data-dir").arg(data).current_dir(data.parent().unwrap()))
}

/// Copies the data of a folder.
fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &to.join(name));
        } else if !NOT_DATA.contains(&name.as_str()) && !name.ends_with("-shm") {
            fs::copy(entry.path(), to.join(name)).unwrap();
        }
    }
}
