//! `cantata demo`: sample data in an empty folder, kept data in any other.

use std::path::Path;

use serde_json::{Value, json};

use crate::process::Server;

/// Returns the ids of all analyses, whatever their state.
fn analysis_ids(server: &Server) -> Vec<Value> {
    let (status, studies) = server.get("/studies/all");
    assert_eq!(status, 200);
    let listed = studies.as_array().unwrap().iter().flat_map(|study| {
        let path =
            format!("/studies/{}/analysis?analysisStates=PUBLISHED,UNPUBLISHED,SUPPRESSED", study.as_str().unwrap());
        let (status, analyses) = server.get(&path);
        assert_eq!(status, 200);
        analyses.as_array().unwrap().clone()
    });
    listed.map(|analysis| analysis["analysisId"].clone()).collect()
}

fn start(folder: &Path, more: &[&str]) -> Server {
    Server::start("demo", folder, &[&["--count=20"], more].concat())
}

#[test]
fn sample_data_is_there_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path(), &[]);
    assert_eq!(server.get("/studies/all").1.as_array().unwrap().len(), 4);
    let (_, types) = server.get("/schemas?hideSchema=true");
    assert_eq!(types["count"], 6);
    let first = analysis_ids(&server);
    assert_eq!(first.len(), 20);
    let (hints, status) = server.stop("TERM");
    assert_eq!(status.code(), Some(0));
    assert!(hints.contains("/studies/all"), "{hints}");

    let server = start(folder.path(), &[]);
    assert_eq!(analysis_ids(&server), first);
}

#[test]
fn the_addresses_it_suggests_work() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path(), &[]);
    let address = server.address.clone();
    let (hints, _) = server.stop("TERM");
    let paths: Vec<_> =
        hints.lines().filter_map(|line| line.trim().strip_prefix(&format!("http://{address}"))).collect();
    assert!(paths.len() >= 3, "{hints}");
    let server = start(folder.path(), &[]);
    for path in paths.into_iter().filter(|path| *path != "/docs") {
        // The pages of GraphQL are for browsers; others ask something.
        let question = if path.ends_with("/graphql") { "?query=%7B__typename%7D" } else { "" };
        assert_eq!(server.get(&format!("{path}{question}")).0, 200, "{path}");
    }
}

#[test]
fn fresh_deletes_the_stores_own_files_only() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path(), &[]);
    let first = analysis_ids(&server);
    server.stop("TERM");
    let foreign = ["metadata.db.backup", "notes.txt", "lookup.db-old"].map(|name| folder.path().join(name));
    foreign.iter().for_each(|path| fs_err::write(path, "mine").unwrap());

    let server = start(folder.path(), &["--fresh"]);
    let second = analysis_ids(&server);
    assert_eq!(second.len(), 20);
    assert!(first.iter().all(|id| !second.contains(id)));
    for path in foreign {
        assert_eq!(fs_err::read_to_string(path).unwrap(), "mine");
    }
}

#[test]
fn strict_settings_hold_for_clients_but_not_for_the_sample_data() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path(), &["--schemas-enforce-latest", "--score-url=http://127.0.0.1:9"]);
    assert_eq!(analysis_ids(&server).len(), 20);
    let payload = json!({"studyId": "LUNG-EU", "analysisType": {"name": "rnaExpression", "version": 1}});
    let (status, error) = server.request("POST", "/submit/LUNG-EU", &payload.to_string());
    assert_eq!((status, &error["errorId"]), (409, &json!("analysis.type.incorrect.version")));
}
