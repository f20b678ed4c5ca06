//! `DATABASE_URL`: where analyses are kept instead of the data folder, and what an address that cannot be used leads to.

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cantata_testkit::Payload;
use cantata_testkit::databases::postgres;
use serde_json::json;

use crate::process::{Server, cantata, outcome};

const PASSWORD: &str = "geheim-1";

/// The variable that names the binary of an earlier version.
const EARLIER_VARIABLE: &str = "CANTATA_EARLIER_BINARY";

/// How many analyses an earlier version publishes at most while the database is migrated.
const MAX_MEANWHILE: usize = 1_000;

#[test]
fn servers_on_one_database_share_what_they_store() {
    let database = postgres();
    let address = format!("--database-url={}", database.address());
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let servers = folders.each_ref().map(|folder| Server::start("serve", folder.path(), &[&address]));
    let study = json!({"studyId": "S", "name": "Shared"}).to_string();
    assert_eq!(servers[0].request("POST", "/studies/S/", &study).0, 200);
    let of_first = servers[0].get("/studies/S");
    assert_eq!((of_first.0, &of_first.1["name"]), (200, &json!("Shared")));
    assert_eq!(servers[1].get("/studies/S"), of_first);
    assert_ne!(servers[1].request("POST", "/studies/S/", &study).0, 200, "the study is there already");
    for folder in &folders {
        assert!(!folder.path().join("metadata.db").try_exists().unwrap(), "nothing of it is in the data folder");
    }
}

/// Asks until the answer is as expected; a server may take a moment to see a change.
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
fn servers_on_one_database_share_their_keys() {
    let database = postgres();
    let address = format!("--database-url={}", database.address());
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let options = [address.as_str(), "--auth-mode=api-key"];
    let mut servers = folders.each_ref().map(|folder| Server::start("serve", folder.path(), &options));
    assert!(servers[0].next_line().contains("The first key"));
    let administrator = servers[0].next_line();
    eventually(&servers[1], &administrator, 200);
    let body = json!({"name": "ada", "scopes": ["song.READ"]}).to_string();
    let (status, made) = servers[1].request_with(&administrator, "POST", "/admin/keys", &body);
    assert_eq!(status, 201, "{made}");
    let key = made["key"].as_str().unwrap();
    eventually(&servers[0], key, 200);
    let mut revoke = cantata(&["key", "revoke", "ada", &address, "--data-dir"]);
    let (code, _, stderr) = outcome(revoke.arg(folders[0].path()));
    assert_eq!(code, 0, "{stderr}");
    for server in &servers {
        eventually(server, key, 401);
    }
}

/// Submits and publishes an analysis on a server; returns its id.
fn publish_new(server: &Server) -> String {
    let (status, submitted) = server.request("POST", "/submit/S", &Payload::new("S").build().to_string());
    assert_eq!(status, 200, "{submitted}");
    let id = submitted["analysisId"].as_str().unwrap().to_owned();
    let (status, published) = server.request("PUT", &format!("/studies/S/analysis/publish/{id}"), "");
    assert_eq!(status, 200, "{published}");
    id
}

/// A rolling upgrade: the new version migrates the database while the one before goes on. Where the environment names no
/// earlier version, there is nothing to test; `make test-upgrade` names one.
#[test]
fn a_server_of_an_earlier_version_goes_on_beside_this_one() {
    let Some(binary) = std::env::var_os(EARLIER_VARIABLE) else { return };
    let database = postgres();
    let address = format!("--database-url={}", database.address());
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let mut command = Command::new(binary);
    command.env_clear().args(["serve", "--server-port=0", &address, "--data-dir"]).arg(folders[0].path());
    let earlier = Server::of(command).unwrap();
    assert_eq!(earlier.request("POST", "/studies/S/", &json!({"studyId": "S"}).to_string()).0, 200);
    let mut ids = vec![publish_new(&earlier)];
    let is_migrated = AtomicBool::new(false);
    let latest = std::thread::scope(|scope| {
        let meanwhile = scope.spawn(|| -> Vec<String> {
            let wanted = (0..MAX_MEANWHILE).take_while(|_| !is_migrated.load(Ordering::Relaxed));
            wanted.map(|_| publish_new(&earlier)).collect()
        });
        let latest = Server::start("serve", folders[1].path(), &[&address]);
        is_migrated.store(true, Ordering::Relaxed);
        ids.extend(meanwhile.join().unwrap());
        latest
    });
    for server in [&earlier, &latest, &earlier] {
        ids.push(publish_new(server));
    }
    for id in &ids {
        let path = format!("/studies/S/analysis/{id}");
        let of_earlier = earlier.get(&path);
        assert_eq!((of_earlier.0, &of_earlier.1["analysisState"]), (200, &json!("PUBLISHED")));
        assert_eq!(latest.get(&path), of_earlier);
    }
    latest.stop("TERM");
    let id = publish_new(&earlier);
    assert_eq!(earlier.get(&format!("/studies/S/analysis/{id}")).0, 200);
}

#[test]
fn an_address_that_cannot_be_used_is_refused_without_its_password() {
    for (address, part) in [
        (format!("mysql://ann:{PASSWORD}@127.0.0.1/d"), "begins with postgres://"),
        (format!("postgres://ann:{PASSWORD}@127.0.0.1:port/d"), "postgres://user:password@host:5432/database"),
        (format!("postgres://ann:{PASSWORD}@127.0.0.1/d?sslmode=prefer"), "sslmode"),
    ] {
        let (code, stdout, stderr) = outcome(cantata(&["serve", "--server-port=0"]).env("DATABASE_URL", &address));
        assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
        assert!(stderr.contains("DATABASE_URL") && stderr.contains(part), "{stderr}");
        assert!(!stderr.contains(PASSWORD), "{stderr}");
    }
}

#[test]
fn a_database_that_is_not_there_is_named_without_its_password() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = cantata(&["serve", "--server-port=0", "--data-dir"]);
    command.arg(folder.path()).env("DATABASE_URL", format!("postgres://ann:{PASSWORD}@127.0.0.1:1/d"));
    let (code, stdout, stderr) = outcome(&mut command);
    assert_eq!((code, stdout.as_str()), (1, ""), "{stderr}");
    assert!(stderr.contains("127.0.0.1:1/d") && stderr.contains("DATABASE_URL"), "{stderr}");
    assert!(!stderr.contains(PASSWORD), "{stderr}");
}

#[test]
fn the_demo_empties_no_database() {
    let mut command = cantata(&["demo", "--fresh", "--server-port=0"]);
    let (code, _, stderr) = outcome(command.env("DATABASE_URL", "postgres://ann@127.0.0.1:1/d"));
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("--fresh") && stderr.contains("DATABASE_URL"), "{stderr}");
}
