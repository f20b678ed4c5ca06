//! People sign in at a real Keycloak, through its login form: the path of a new user from the sign-in to a published analysis
//! and out again, and what a person without rights gets.
#![expect(clippy::unwrap_used, reason = "a test helper that fails should fail its test")]

mod browser;

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

use cantata_testkit::Payload;
use cantata_testkit::identity::keycloak;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::browser::{Browser, location};

/// A server at which people sign in; it is ended with the test.
struct Server {
    child: Child,
    stdout: BufReader<ChildStdout>,
    base: String,
    folder: TempDir,
}

fn cantata() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cantata"));
    command.env_clear();
    command
}

impl Server {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let roles = folder.path().join("roles.json");
        let mapping = json!({"scopes": {"curators": ["STUDY.ABC.WRITE"], "data-access": ["portal.USE"]}});
        fs_err::write(&roles, mapping.to_string()).unwrap();
        let mut command = cantata();
        command.args(["serve", "--server-port=0"]).env("DATA_DIR", folder.path().join("data"));
        command.env("AUTH_MODE", "api-key,oidc").env("PUBLIC_URL", "https://cantata.example");
        command.env("OIDC_ISSUER", keycloak()).env("OIDC_CLIENT_ID", "cantata");
        command.env("OIDC_CLIENT_SECRET", "a-secret-of-tests-only").env("ROLE_MAPPING_FILE", &roles);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let base = line.trim_end().strip_prefix("cantata is ready on ").unwrap().to_owned();
        Self { child, stdout, base, folder }
    }

    /// Returns the first key, which the server shows once.
    fn first_key(&mut self) -> String {
        let mut lines = [String::new(), String::new()];
        for line in &mut lines {
            self.stdout.read_line(line).unwrap();
        }
        assert!(lines[0].contains("The first key"), "{lines:?}");
        lines[1].trim_end().to_owned()
    }

    /// Runs a command with a key; returns whether it succeeded, and its output, or else what went wrong.
    fn command(&self, key: &str, arguments: &[&str]) -> (bool, String) {
        let mut command = cantata();
        command.args(arguments).env("CANTATA_URL", &self.base).env("CANTATA_KEY", key);
        let output = command.stdin(Stdio::null()).output().unwrap();
        let is_done = output.status.success();
        (is_done, String::from_utf8(if is_done { output.stdout } else { output.stderr }).unwrap())
    }

    /// Runs a command that must succeed.
    #[track_caller]
    fn done(&self, key: &str, arguments: &[&str]) -> String {
        let (is_done, text) = self.command(key, arguments);
        assert!(is_done, "{arguments:?}: {text}");
        text
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn person(browser: &mut Browser, server: &Server) -> Value {
    let session = browser.call("GET", &format!("{}/auth/session", server.base), None).await;
    assert_eq!(session.status(), 200);
    serde_json::from_slice::<Value>(&session.bytes().await.unwrap()).unwrap()["person"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_user_signs_in_makes_a_key_submits_publishes_finds_and_signs_out() {
    let mut server = Server::start();
    let administrator = server.first_key();
    server.done(&administrator, &["study", "create", "ABC"]);
    let mut ada = Browser::new();
    assert_eq!(person(&mut ada, &server).await, Value::Null);
    ada.sign_in(&server.base, "ada", "analytical-engine").await;
    let found = person(&mut ada, &server).await;
    assert_eq!(found["name"], "Ada Lovelace", "{found}");
    let scopes = found["scopes"].as_array().unwrap();
    assert!(["STUDY.ABC.WRITE", "portal.USE"].iter().all(|scope| scopes.contains(&json!(scope))), "{found}");

    let keys = format!("{}/auth/keys", server.base);
    let wanted = json!({"name": "laptop", "scopes": ["STUDY.ABC.WRITE"], "expiresInDays": 1});
    let made = ada.call("POST", &keys, Some(&wanted)).await;
    assert_eq!(made.status(), 201);
    let made: Value = serde_json::from_slice(&made.bytes().await.unwrap()).unwrap();
    let key = made["key"].as_str().unwrap();

    let file = server.folder.path().join("payload.json");
    fs_err::write(&file, Payload::new("ABC").build().to_string()).unwrap();
    let id = server.done(key, &["submit", "--quiet", file.to_str().unwrap()]).trim().to_owned();
    server.done(key, &["publish", "--study", "ABC", &id]);
    let analysis: Value = serde_json::from_str(&server.done(key, &["get", "--study", "ABC", "--json", &id])).unwrap();
    assert_eq!(analysis["analysisState"], "PUBLISHED", "{analysis}");
    let (is_done, refused) = server.command(key, &["study", "create", "XYZ"]);
    assert!(!is_done, "the key has no other study: {refused}");

    let revoked = ada.call("DELETE", &format!("{keys}/{}", made["id"].as_str().unwrap()), None).await;
    assert_eq!(revoked.status(), 204);
    let (is_done, refused) = server.command(key, &["get", "--study", "ABC", &id]);
    assert!(!is_done, "the key is revoked: {refused}");
    let signed_out = ada.call("POST", &format!("{}/auth/sign-out", server.base), None).await;
    assert_eq!(signed_out.status(), 200);
    let signed_out: Value = serde_json::from_slice(&signed_out.bytes().await.unwrap()).unwrap();
    assert_eq!(person(&mut ada, &server).await, Value::Null);
    // Keycloak ends its own session where the server says; afterwards it asks for the password again.
    let url = signed_out["url"].as_str().unwrap();
    assert!(url.starts_with(&keycloak()), "{url}");
    let ended = ada.get(url).await;
    assert!(ended.status().is_success() || location(&ended).starts_with("https://cantata.example/"), "{ended:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_without_a_group_has_no_scope_and_can_give_none_to_a_key() {
    let server = Server::start();
    let mut bob = Browser::new();
    bob.sign_in(&server.base, "bob", "difference-engine").await;
    let found = person(&mut bob, &server).await;
    let scopes = found["scopes"].as_array().unwrap();
    assert!(!scopes.contains(&json!("STUDY.ABC.WRITE")) && !scopes.contains(&json!("portal.USE")), "{found}");
    let wanted = json!({"name": "more", "scopes": ["STUDY.ABC.WRITE"]});
    let refused = bob.call("POST", &format!("{}/auth/keys", server.base), Some(&wanted)).await;
    assert_eq!(refused.status(), 403);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_keycloak_has_sent_to_one_browser_is_of_no_use_in_another_or_again() {
    let server = Server::start();
    let (mut ada, mut thief) = (Browser::new(), Browser::new());
    let query = ada.query_of_sign_in(&server.base, "ada", "analytical-engine").await;
    let callback = format!("{}/auth/callback?{query}", server.base);
    assert_eq!(thief.get(&callback).await.status(), 400, "no sign-in was begun there");
    thief.get(&format!("{}/auth/sign-in", server.base)).await;
    assert_eq!(thief.get(&callback).await.status(), 400, "the state is that of another sign-in");
    assert_eq!(ada.get(&callback).await.status(), 303);
    assert_eq!(ada.get(&callback).await.status(), 400, "a sign-in is completed once");
    assert_eq!(person(&mut thief, &server).await, Value::Null);
}
