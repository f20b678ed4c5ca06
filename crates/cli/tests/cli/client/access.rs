//! Keys, servers that are not there, and what scripts learn from exit codes.

use serde_json::Value;

use super::site::Site;
use crate::process::{cantata, outcome};

fn key(site: &Site, scope: &str) -> String {
    let mut command = cantata(&["key", "create", "--json", "--name", scope, "--scope", scope, "--data-dir"]);
    let (code, stdout, stderr) = outcome(command.arg(site.path().join("data")));
    assert_eq!(code, 0, "{stderr}");
    serde_json::from_str::<Value>(&stdout).unwrap()["key"].as_str().unwrap().to_owned()
}

#[test]
fn a_key_is_taken_from_the_flag_or_the_environment() {
    let site = Site::with(&["--auth-mode=api-key", "--require-auth-for-reads"]);
    site.refused(4, &["study", "list"], &["unauthorized.token", "CANTATA_KEY", &site.address()]);
    let key = key(&site, "song.WRITE");
    // A running server takes a moment to see a new key.
    for _ in 0..1_000 {
        if site.run(&["study", "list", "--key", &key]).0 == 0 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    site.ok(&["study", "list", "--key", &key]);
    site.ok(&["study", "list", "--api-key", &key]);
    for variable in ["CANTATA_KEY", "CANTATA_API_KEY"] {
        let (code, _, stderr) = outcome(site.command(&["study", "list"]).env(variable, &key));
        assert_eq!(code, 0, "{variable}: {stderr}");
    }
    let both = || [("CANTATA_KEY", key.as_str()), ("CANTATA_API_KEY", "wrong")];
    assert_eq!(outcome(site.command(&["study", "list"]).envs(both())).0, 0);
    let (code, _, stderr) = outcome(site.command(&["study", "list"]).env("CANTATA_KEY", "a\nb"));
    assert!(code == 2 && stderr.contains("CANTATA_KEY") && !stderr.contains("a\nb"), "{stderr}");
    let (code, _, stderr) = outcome(site.command(&["study", "list"]).env("CANTATA_KEY", "cantata_wrong"));
    assert!(code == 4 && !stderr.contains("cantata_wrong"), "{stderr}");
}

#[test]
fn what_a_key_does_not_allow_ends_with_its_own_code() {
    let site = Site::with(&["--auth-mode=api-key"]);
    let key = key(&site, "STUDY.A.WRITE");
    let run = |arguments: &[&str]| outcome(site.command(arguments).env("CANTATA_KEY", &key));
    for _ in 0..1_000 {
        if run(&["study", "create", "A"]).0 != 4 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let (code, _, stderr) = run(&["study", "create", "B"]);
    assert!(code == 4 && stderr.contains("forbidden.token"), "{stderr}");
    let type_file = site.file("type.json", "{}");
    assert_eq!(run(&["type", "register", &type_file]).0, 4);
    let payload = site.file("payload.json", cantata_testkit::Payload::new("B").build().to_string());
    let (code, _, stderr) = run(&["submit", &payload]);
    assert!(code == 4 && stderr.contains("forbidden.token"), "{stderr}");
    let (code, _, stderr) = run(&["publish", "-s", "B", "00000000-0000-4000-8000-000000000000"]);
    assert!(code == 4 && stderr.contains("forbidden.token"), "{stderr}");
}

#[test]
fn servers_that_are_none_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let run = |server: &str, arguments: &[&str]| {
        outcome(cantata(arguments).args(["--server", server]).current_dir(folder.path()))
    };
    let file = folder.path().join("payload.json");
    fs_err::write(&file, cantata_testkit::Payload::new("S").build().to_string()).unwrap();
    let file = file.to_str().unwrap();
    for arguments in [
        &["study", "list"][..],
        &["type", "list"],
        &["submit", file],
        &["publish", "-s", "S", "x"],
        &["get", "x"],
        &["search", "-a", "x"],
        &["export", "-s", "S"],
        &["update", "x", "--patch", "{}"],
        &["update-file", "x", "--size", "1"],
        &["manifest", "x"],
        &["query", "x"],
        &["download", "x"],
    ] {
        let (code, stdout, stderr) = run("http://127.0.0.1:9", arguments);
        assert_eq!((code, stdout.as_str()), (3, ""), "{arguments:?}: {stderr}");
        assert!(stderr.contains("http://127.0.0.1:9/ cannot be reached") && stderr.contains("CANTATA_URL"), "{stderr}");
    }
    assert_eq!(run("nonsense", &["study", "list"]).0, 2);
    assert_eq!(run("ftp://x", &["study", "list"]).0, 2);
}

#[test]
fn something_else_than_a_server_is_told() {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\n<html>");
        }
    });
    for arguments in [&["study", "list"][..], &["export", "-s", "S"], &["query", "x"], &["type", "list"]] {
        let (code, _, stderr) = outcome(cantata(arguments).args(["--server", &address]));
        assert_eq!(code, 3, "{arguments:?}: {stderr}");
        assert!(stderr.contains("does not answer like a Cantata server"), "{stderr}");
    }
}

#[test]
fn the_settings_of_a_server_are_of_no_concern() {
    let site = Site::with_study();
    let mut command = site.command(&["study", "list"]);
    let (code, stdout, stderr) = outcome(command.env("CANTATA_CONFIG", "/none.toml").env("PORT", "1"));
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (0, "S\n", ""));
    let (code, stdout, _) = outcome(site.command(&["study", "list"]).env("CANTATA_KEY", ""));
    assert_eq!((code, stdout.as_str()), (0, "S\n"));
    assert!(!site.path().join("cantata-data").is_dir());
}
