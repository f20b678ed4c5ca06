//! The MCP server as the official client uses it: over HTTP, and through `cantata mcp`.
#![expect(clippy::unwrap_used, reason = "a test helper that fails should fail its test")]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A server on a data folder with one catalogue; it is ended with the test.
struct Server {
    child: Child,
    address: String,
    folder: TempDir,
}

fn cantata(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cantata"));
    command.args(arguments).env_clear();
    command
}

fn done(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

impl Server {
    fn start(more: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, content: &Value| {
            let path = folder.path().join(name);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(&path, content.to_string()).unwrap();
            path.to_str().unwrap().to_owned()
        };
        write("data/configs/files/base.json", &json!({"documentType": "file", "esIndex": "files"}));
        let mapping = write("mapping.json", &json!({"properties": {"format": {"type": "keyword"}}}));
        let documents = ["bam", "bam", "vcf"].iter().enumerate();
        let documents = documents.map(|(id, format)| json!({"_id": id.to_string(), "format": format})).collect();
        let documents = write("documents.json", &Value::Array(documents));
        let data = folder.path().join("data");
        let import = ["import", "--index=files", "--mapping", &mapping, &documents];
        done(cantata(&import).env("DATA_DIR", &data));
        let mut command = cantata(&["serve", "--server-port=0"]);
        command
            .args(more)
            .env("DATA_DIR", &data)
            .env("CONFIGS_PATH", data.join("configs"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim_end().strip_prefix("cantata is ready on ").unwrap().to_owned();
        Self { child, address, folder }
    }

    /// Makes a key.
    fn key(&self, scope: &str) -> String {
        let data = self.folder.path().join("data");
        let made = done(cantata(&["key", "create", "--name=model", "--scope", scope, "--json"]).env("DATA_DIR", &data));
        serde_json::from_str::<Value>(&made).unwrap()["key"].as_str().unwrap().to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Lets the official client ask a server over both transports, and returns what it found.
fn official_client(server: &Server, key: Option<&str>) -> Value {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../clients/mcp/run");
    let mut command = Command::new(script);
    command.args([server.address.as_str(), env!("CARGO_BIN_EXE_cantata")]).args(key);
    serde_json::from_str(&done(&mut command)).unwrap()
}

/// Sends lines to `cantata mcp`, and returns the lines that it writes.
fn bridge(address: &str, key: Option<&str>, lines: &[Value]) -> Vec<Value> {
    let mut command = cantata(&["mcp"]);
    command.env("CANTATA_URL", address).envs(key.map(|key| ("CANTATA_KEY", key)));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for line in lines {
        let text = line.as_str().map_or_else(|| line.to_string(), str::to_owned);
        writeln!(stdin, "{text}").unwrap();
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let mut answers: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    answers.sort_by_key(|answer| answer["id"].as_u64());
    answers
}

#[test]
fn the_official_client_finds_everything_over_both_transports() {
    let server = Server::start(&[]);
    let answers = official_client(&server, None);
    assert_eq!(answers["server"]["name"], "cantata");
    assert_eq!(answers["catalogueId"], "files");
    assert_eq!(answers["hits"]["hits"], json!([{"format": "bam"}, {"format": "bam"}]));
    assert_eq!(answers["resources"].as_array().unwrap().len(), 3);
}

#[test]
fn the_official_client_shows_its_key_over_both_transports() {
    let server = Server::start(&["--auth-mode=api-key", "--require-auth-for-reads=true"]);
    let key = server.key("song.WRITE");
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    // A running server takes a moment to see a new key.
    let is_seen = || bridge(&server.address, Some(&key), std::slice::from_ref(&list))[0]["result"]["tools"].is_array();
    assert!((0..1_000).any(|_| is_seen()), "the key opens nothing");
    assert_eq!(official_client(&server, Some(&key))["hits"]["total"], 2);
    let refused = bridge(&server.address, None, std::slice::from_ref(&list));
    let message = refused[0]["error"]["message"].as_str().unwrap();
    assert!(message.contains("CANTATA_KEY"), "{message}");
}

#[test]
fn every_request_on_standard_input_is_answered_whatever_happens() {
    let server = Server::start(&[]);
    let request = |id: u64, method: &str| json!({"jsonrpc": "2.0", "id": id, "method": method});
    let mut lines = vec![json!("no json"), json!({"jsonrpc": "2.0", "method": "notifications/initialized"})];
    lines.extend((1..=100).map(|id| request(id, "tools/list")));
    lines.push(request(101, "no/such/method"));
    let answers = bridge(&server.address, None, &lines);
    assert_eq!(answers.len(), 102);
    assert_eq!(answers[0]["error"]["code"], -32700);
    assert!(answers[1..101].iter().all(|answer| answer["result"]["tools"].is_array()));
    assert_eq!(answers[101]["error"]["code"], -32601);
    let unreachable = bridge("http://127.0.0.1:1", None, &[request(1, "tools/list")]);
    assert!(unreachable[0]["error"]["message"].as_str().unwrap().contains("cannot be reached"), "{unreachable:?}");
}
