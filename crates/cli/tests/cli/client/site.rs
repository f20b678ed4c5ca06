//! A server, and the binary as its client.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::process::{Server, cantata, outcome};

/// Four plants, of which one has no height.
const PLANTS: &str = r#"{"_id": "p1", "name": "Daisy", "height": 12.5, "seeds": 9007199254740993, "colours": ["white", "yellow"], "found": "2024-05-31", "edible": true, "places": [{"country": "Norway"}]}
{"_id": "p2", "name": "Sunflower", "height": 210, "seeds": 1500, "colours": ["yellow"], "found": "2023-08-02", "edible": true, "places": [{"country": "Peru"}, {"country": "Chile"}]}
{"_id": "p3", "name": "Moss, Irish", "found": "2024-11-15", "edible": false, "places": []}
{"_id": "p4", "name": "Tab\tbed\u001b[31m", "height": 1, "seeds": 1, "colours": [], "found": "2020-01-01", "edible": false, "places": [{"country": "Norway"}]}
"#;

/// A server with its data folder, and files beside it.
pub(super) struct Site {
    folder: TempDir,
    pub(super) server: Server,
}

impl Site {
    /// Starts an empty server.
    pub(super) fn new() -> Self {
        Self::with(&[])
    }

    /// Starts an empty server with more settings.
    pub(super) fn with(settings: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::start("serve", &folder.path().join("data"), settings);
        Self { folder, server }
    }

    /// Starts a server with the study `S`.
    pub(super) fn with_study() -> Self {
        let site = Self::new();
        site.ok(&["study", "create", "S"]);
        site
    }

    /// Starts a server with a catalogue of plants.
    pub(super) fn with_plants(base: &Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let file = |name: &str, content: &str| {
            let path = folder.path().join(name);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(&path, content).unwrap();
            path.to_str().unwrap().to_owned()
        };
        let mapping = json!({"properties": {
            "name": {"type": "keyword"}, "height": {"type": "double"}, "seeds": {"type": "long"},
            "colours": {"type": "keyword"}, "found": {"type": "date"}, "edible": {"type": "boolean"},
            "places": {"type": "nested", "properties": {"country": {"type": "keyword"}}}
        }});
        let mapping = file("mapping.json", &mapping.to_string());
        let plants = file("plants.ndjson", PLANTS);
        let mut import = cantata(&["import", "--index=plants", "--mapping", &mapping, &plants]);
        let (code, _, stderr) = outcome(import.arg("--data-dir").arg(&data));
        assert_eq!(code, 0, "{stderr}");
        file("configs/plants/base.json", &base.to_string());
        let extended = json!({"extended": [{"fieldName": "colours", "isArray": true}]});
        file("configs/plants/extended.json", &extended.to_string());
        let columns = ["name", "height", "places.country"].map(|name| json!({"fieldName": name, "show": true}));
        file("configs/plants/table.json", &json!({"table": {"columns": columns}}).to_string());
        let configs = format!("--configs-path={}", folder.path().join("configs").display());
        let server = Server::start("serve", &data, &[&configs]);
        Self { folder, server }
    }

    pub(super) fn address(&self) -> String {
        format!("http://{}", self.server.address)
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file.
    pub(super) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path().join(name);
        fs_err::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Returns the binary as a client of the server, not started yet.
    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = cantata(arguments);
        command.env("CANTATA_URL", self.address()).current_dir(self.path());
        command
    }

    /// Runs the binary.
    pub(super) fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        outcome(&mut self.command(arguments))
    }

    /// Runs the binary with something on standard input.
    pub(super) fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> (i32, String, String) {
        let mut command = self.command(arguments);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    /// Runs the binary, which must end well, and returns what it writes.
    #[track_caller]
    pub(super) fn ok(&self, arguments: &[&str]) -> String {
        let (code, stdout, stderr) = self.run(arguments);
        assert_eq!(code, 0, "{arguments:?}: {stdout}{stderr}");
        stdout
    }

    /// Runs the binary with `--json`, which must end well, and returns what it writes.
    #[track_caller]
    pub(super) fn json(&self, arguments: &[&str]) -> Value {
        read(&self.ok(&[arguments, &["--json"]].concat()))
    }

    /// Runs the binary, which must end with this code and tell these words on standard error.
    #[track_caller]
    pub(super) fn refused(&self, code: i32, arguments: &[&str], words: &[&str]) {
        let (found, stdout, stderr) = self.run(arguments);
        assert_eq!(found, code, "{arguments:?}: {stdout}{stderr}");
        for word in words {
            assert!(stderr.contains(word), "{arguments:?}: '{word}' is not in: {stderr}");
        }
    }
}

/// Reads JSON.
#[track_caller]
pub(super) fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Reads a JSON value from each line.
#[track_caller]
pub(super) fn read_lines(text: &str) -> Vec<Value> {
    text.lines().map(read).collect()
}

/// Returns the words of each line of a table.
pub(super) fn cells(table: &str) -> Vec<Vec<&str>> {
    table.lines().map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect()).collect()
}
