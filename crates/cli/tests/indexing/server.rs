//! The binary as a server on one catalogue that has a source.

use std::io::{BufRead, BufReader};
use std::ops::Deref;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use cantata_testkit::TestClient;
use serde_json::{Value, json};
use tempfile::TempDir;

/// How often something is looked for until the test gives up.
const MAX_POLLS: usize = 1_200;

/// What stays when a server is killed.
pub(crate) struct Data {
    folder: TempDir,
    index: String,
    variables: Vec<(String, String)>,
}

impl Data {
    /// Writes the configuration of a catalogue of files.
    pub(crate) fn new(index: &str, variables: &[(&str, &str)]) -> Self {
        Self::with_source(index, variables, &json!({"document": "file-centric"}))
    }

    /// Writes the configuration of a catalogue with a source.
    pub(crate) fn with_source(index: &str, variables: &[(&str, &str)], source: &Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, content: &Value| {
            let path = folder.path().join("configs").join(name);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, content.to_string()).unwrap();
        };
        write("base.json", &json!({"catalogId": "files", "documentType": "file", "esIndex": index}));
        write("source.json", &json!({"source": source}));
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Self { folder, index: index.to_owned(), variables }
    }

    /// Imports a document into an index of the embedded engine, which no server uses at the time.
    pub(crate) fn import(&self, index: &str, document: &Value) {
        let file = self.folder.path().join("documents.json");
        fs_err::write(&file, document.to_string()).unwrap();
        let output = cantata(self).args(["import", "--index", index]).arg(&file).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    fn log(&self) -> String {
        fs_err::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }
}

impl Drop for Data {
    fn drop(&mut self) {
        let host = self.variables.iter().find(|(name, _)| name == "ES_HOST");
        let Some((_, host)) = host else { return };
        // Others use the cluster too. There is no runtime here any more that could be asked to do it.
        for number in 1..9 {
            let address = format!("{host}/{}-{number}", self.index);
            let _ = Command::new("curl").args(["-s", "-X", "DELETE", &address]).stdout(Stdio::null()).status();
        }
    }
}

/// A running server; dropping it ends it. It can be used as a client of itself.
pub(crate) struct Server<'d> {
    data: &'d Data,
    child: Child,
    client: TestClient,
    pub(crate) base: String,
}

impl<'d> Server<'d> {
    pub(crate) async fn start(data: &'d Data) -> Self {
        let folder = data.folder.path();
        let mut command = cantata(data);
        command.args(["serve", "--server-port=0"]).arg("--configs-path").arg(folder.join("configs"));
        let log = fs_err::OpenOptions::new().create(true).append(true).open(folder.join("log")).unwrap();
        let mut child = command.stdout(Stdio::piped()).stderr(log.into_parts().0).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let Some(base) = line.trim_end().strip_prefix("cantata is ready on ") else {
            panic!("not the ready line: {line:?}; the log: {}", data.log());
        };
        Self { data, child, client: TestClient::connect(base).await, base: base.to_owned() }
    }

    /// Runs a command against the server; returns its code and what it wrote.
    pub(crate) fn command(&self, arguments: &[&str]) -> (i32, String) {
        let output = cantata(self.data).args(arguments).env("CANTATA_URL", &self.base).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    }

    /// Returns how the indexing of a catalogue is.
    pub(crate) async fn indexing(&self, catalogue: &str) -> Value {
        let all = self.get("/admin/indexing").await.ok();
        let found = all.as_array().unwrap().iter().find(|one| one["catalogue"] == catalogue);
        found.cloned().unwrap_or_default()
    }

    /// Waits until a catalogue has everything and is served.
    pub(crate) async fn until_indexed(&self, catalogue: &str) {
        for _ in 0..MAX_POLLS {
            let status = self.indexing(catalogue).await;
            let is_indexed = status["status"] == "following" && status["behind"] == 0;
            if is_indexed && self.get("/ready").await.status == 200 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{:#}", self.indexing(catalogue).await);
    }

    /// Ends the process without any warning.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Deref for Server<'_> {
    type Target = TestClient;

    fn deref(&self) -> &TestClient {
        &self.client
    }
}

impl Drop for Server<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            eprintln!("the log of the server: {}", self.data.log());
        }
    }
}

fn cantata(data: &Data) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cantata"));
    command.env_clear().env("DATA_DIR", data.folder.path().join("data"));
    command.envs(data.variables.iter().map(|(name, value)| (name, value)));
    command
}

/// Returns a client. Every one needs a TLS provider, even where it never speaks TLS.
pub(crate) fn http() -> reqwest::Client {
    // Fails when an earlier call has installed it, which is just as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::new()
}
