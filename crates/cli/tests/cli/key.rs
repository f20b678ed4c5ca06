//! `cantata key`, and a server that asks for keys.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::process::{Server, cantata, outcome};

fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    outcome(cantata(&[&["key"], arguments].concat()).arg("--data-dir").arg(folder))
}

#[track_caller]
fn ok(folder: &Path, arguments: &[&str]) -> Value {
    let (code, stdout, stderr) = run(folder, &[arguments, &["--json"]].concat());
    assert_eq!(code, 0, "{stderr}");
    serde_json::from_str(&stdout).unwrap()
}

fn create(folder: &Path, name: &str, scope: &str) -> String {
    ok(folder, &["create", "--name", name, "--scope", scope])["key"].as_str().unwrap().to_owned()
}

fn register(server: &Server, key: &str, study: &str) -> u16 {
    server.request_with(key, "POST", &format!("/studies/{study}"), &json!({"studyId": study}).to_string()).0
}

/// Asks until the answer is as expected; a running server may take a moment to see a change.
fn eventually(server: &Server, key: &str, expected: u16) {
    for _ in 0..3_000 {
        if server.request_with(key, "GET", "/studies/all", "").0 == expected {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(server.request_with(key, "GET", "/studies/all", "").0, expected);
}

#[test]
fn keys_are_made_listed_and_revoked_without_a_server() {
    let folder = TempDir::new().unwrap();
    let (code, stdout, stderr) =
        run(folder.path(), &["create", "--name", "ada", "--scope", "STUDY.A.WRITE", "--scope", "STUDY.B.READ"]);
    assert_eq!(code, 0, "{stderr}");
    let (key, rest) = stdout.split_once('\n').unwrap();
    assert!(key.starts_with("cantata_") && key.len() == 72 && rest.contains("not shown again"), "{stdout}");
    let temporary = ok(folder.path(), &["create", "--name", "guest", "--scope", "song.READ", "--expires", "30d"]);
    assert!(temporary["expires"].is_string());

    let (_, listed, _) = run(folder.path(), &["list"]);
    assert!(
        listed.contains("ada") && listed.contains("STUDY.A.WRITE STUDY.B.READ") && !listed.contains(key),
        "{listed}"
    );
    let listed = ok(folder.path(), &["list"]);
    assert!(listed.as_array().unwrap().iter().all(|key| key.get("key").is_none() && key.get("digest").is_none()));

    ok(folder.path(), &["revoke", "ada"]);
    ok(folder.path(), &["revoke", temporary["id"].as_str().unwrap()]);
    let listed = ok(folder.path(), &["list"]);
    assert!(listed.as_array().unwrap().iter().all(|key| key["state"] == "revoked"), "{listed}");
}

#[test]
fn what_cannot_be_done_is_told() {
    let folder = TempDir::new().unwrap();
    create(folder.path(), "ada", "song.READ");
    for (arguments, code, part) in [
        (&["create", "--name", "ada", "--scope", "x"][..], 1, "a key is named 'ada' already"),
        (&["create", "--name", "bob"], 2, "--scope"),
        (&["create", "--name", "", "--scope", "x"], 2, "cannot be the name"),
        (&["create", "--name", "bob", "--scope", "a b"], 2, "cannot be a scope"),
        (&["create", "--name", "bob", "--scope", "STUDY.XYZ"], 2, "such as STUDY.XYZ.WRITE"),
        (&["create", "--name", "bob", "--scope", "x", "--expires", "yesterday"], 2, "expected a duration such as"),
        (&["create", "--name", "bob", "--scope", "x", "--expires", "1999-01-01"], 2, "a date in the future"),
        (&["revoke", "bob"], 1, "no key that is in force has the name or id 'bob'"),
    ] {
        let (found, stdout, stderr) = run(folder.path(), arguments);
        assert!(found == code && stdout.is_empty() && stderr.contains(part), "{arguments:?}: {found} {stderr}");
    }
}

#[test]
fn the_first_key_is_made_and_shown_once() {
    let folder = TempDir::new().unwrap();
    let mut server = Server::start("serve", folder.path(), &["--auth-mode=api-key"]);
    assert!(server.next_line().contains("The first key"));
    let key = server.next_line();
    assert!(key.starts_with("cantata_"), "{key}");
    assert_eq!(register(&server, "", "ABC"), 401);
    assert_eq!(register(&server, &key, "ABC"), 200);
    server.stop("TERM");
    let server = Server::start("serve", folder.path(), &["--auth-mode=api-key"]);
    assert_eq!(register(&server, &key, "XYZ"), 200);
    assert_eq!(server.stop("TERM").0, "");
    assert_eq!(ok(folder.path(), &["list"]).as_array().unwrap().len(), 1);
}

#[test]
fn a_running_server_sees_new_and_revoked_keys() {
    let folder = TempDir::new().unwrap();
    let server = Server::start("serve", folder.path(), &["--auth-mode=api-key", "--require-auth-for-reads"]);
    let key = create(folder.path(), "ada", "STUDY.ABC.WRITE");
    eventually(&server, &key, 200);
    assert_eq!(register(&server, &key, "ABC"), 200);
    assert_eq!(register(&server, &key, "ABCD"), 403);
    ok(folder.path(), &["revoke", "ada"]);
    eventually(&server, &key, 401);
}

#[test]
fn commands_on_the_data_folder_need_no_key_and_others_do() {
    let folder = TempDir::new().unwrap();
    let server = Server::start("serve", folder.path(), &["--auth-mode=api-key"]);
    let (code, _, stderr) = outcome(cantata(&["index", "list"]).arg("--data-dir").arg(folder.path()));
    assert_eq!(code, 0, "{stderr}");
    let address = format!("http://{}", server.address);
    let elsewhere = || cantata(&["index", "list", "--server", &address]);
    let (code, _, stderr) = outcome(&mut elsewhere());
    assert!(code == 1 && stderr.contains("CANTATA_KEY"), "{stderr}");
    let key = create(folder.path(), "operator", "song.WRITE");
    eventually(&server, &key, 200);
    let (code, _, stderr) = outcome(elsewhere().env("CANTATA_API_KEY", &key));
    assert_eq!(code, 0, "{stderr}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs_err::metadata(folder.path().join("server.json")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn an_address_that_others_reach_asks_for_keys_unless_told_otherwise() {
    let folder = TempDir::new().unwrap();
    let mut server = Server::start("serve", folder.path(), &["--bind-addr=0.0.0.0"]);
    assert!(server.next_line().contains("The first key"));
    assert_eq!(register(&server, "", "ABC"), 401);
    drop(server);
    let server = Server::start("serve", folder.path(), &["--bind-addr=0.0.0.0", "--insecure"]);
    assert_eq!(register(&server, "", "ABC"), 200);
}
