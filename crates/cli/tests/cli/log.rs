//! The log: every line that is about a request has its number, and none has a secret.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Stdio;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::process::{Server, cantata};

/// Starts a server whose log goes to a file of the folder.
fn start(folder: &TempDir, more: &[&str]) -> Server {
    let log = std::fs::File::create(folder.path().join("server.log")).unwrap();
    let mut command = cantata(&["serve", "--server-port=0"]);
    command.arg("--data-dir").arg(folder.path()).args(more).stderr(Stdio::from(log));
    Server::of(command).unwrap()
}

fn log(folder: &TempDir) -> String {
    fs_err::read_to_string(folder.path().join("server.log")).unwrap()
}

/// Asks with a number of one's own; returns the head of the answer.
pub(crate) fn ask(server: &Server, path: &str, id: &str) -> String {
    let mut stream = TcpStream::connect(&server.address).unwrap();
    write!(stream, "GET {path} HTTP/1.0\r\nHost: localhost\r\nX-Request-Id: {id}\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split_once("\r\n\r\n").unwrap().0.to_owned()
}

#[test]
fn lines_about_a_request_have_its_number_in_both_forms() {
    for form in ["text", "json"] {
        let folder = TempDir::new().unwrap();
        let server = start(&folder, &["--log=warn,request=debug", &format!("--log-format={form}")]);
        let head = ask(&server, "/studies/all?secret=1", "trace-17");
        assert!(head.contains("\r\nx-request-id: trace-17"), "{head}");
        server.stop("TERM");
        let log = log(&folder);
        let line = log.lines().find(|line| line.contains("trace-17")).unwrap_or_else(|| panic!("{log}"));
        assert!(!line.contains("secret"), "{line}");
        if form == "json" {
            let line: Value = serde_json::from_str(line).unwrap();
            assert_eq!(line["request_id"], "trace-17");
            assert_eq!((&line["message"], &line["level"]), (&json!("answered"), &json!("DEBUG")));
            assert_eq!((&line["route"], &line["status"]), (&json!("/studies/all"), &json!(200)));
            assert!(line["timestamp"].is_string() && line["milliseconds"].is_number(), "{line}");
        } else {
            assert!(line.ends_with("request_id=trace-17"), "{line}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_whose_log_is_on_a_full_disk_answers_all_the_same() {
    let folder = TempDir::new().unwrap();
    let full = fs_err::OpenOptions::new().write(true).open("/dev/full").unwrap().into_parts().0;
    let mut command = cantata(&["serve", "--server-port=0", "--log=trace"]);
    command.arg("--data-dir").arg(folder.path()).stderr(Stdio::from(full));
    let server = Server::of(command).unwrap();
    assert_eq!(server.get("/isAlive"), (200, json!(true)));
    let (status, answer) = server.request("POST", "/studies/ABC/", r#"{"studyId": "ABC"}"#);
    assert_eq!(status, 200, "{answer}");
    assert_eq!(server.get("/studies/NOPE").0, 404);
    let (_, ended) = server.stop("TERM");
    assert!(ended.success(), "{ended}");
}

#[test]
fn a_hostile_number_is_not_taken_into_the_log() {
    let folder = TempDir::new().unwrap();
    let server = start(&folder, &["--log=warn,request=debug", "--log-format=json"]);
    let head = ask(&server, "/isAlive", "x\" level=\"ERROR");
    assert!(head.contains("\r\nx-request-id: ") && !head.contains("ERROR"), "{head}");
    server.stop("TERM");
    assert!(!log(&folder).contains("ERROR"));
}

/// Not even where the log tells everything.
#[test]
fn no_secret_of_a_key_is_logged() {
    let folder = TempDir::new().unwrap();
    let mut server = start(&folder, &["--log=trace", "--auth-mode=api-key"]);
    assert!(server.next_line().contains("The first key"));
    let administrator = server.next_line();
    let body = json!({"name": "ada", "scopes": ["song.READ"]}).to_string();
    let (status, made) = server.request_with(&administrator, "POST", "/admin/keys", &body);
    assert_eq!(status, 201, "{made}");
    let secret = made["key"].as_str().unwrap().to_owned();
    assert_eq!(server.request_with(&secret, "GET", "/admin/keys", "").0, 403);
    let (status, listed) = server.request_with(&administrator, "GET", "/admin/keys", "");
    assert_eq!((status, listed["keys"].as_array().unwrap().len()), (200, 2));
    server.stop("TERM");
    let log = log(&folder);
    assert!(log.contains("/admin/keys"), "{log}");
    for secret in [administrator, secret] {
        assert!(!log.contains(&secret), "a key is in the log");
    }
}
