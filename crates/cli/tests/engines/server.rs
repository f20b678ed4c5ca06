//! The binary as a server, in an environment that holds nothing but what a test puts there.

use std::io::{BufRead, BufReader};
use std::ops::Deref;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use cantata_testkit::{TestClient, TestResponse};
use serde_json::{Value, json};
use tempfile::TempDir;

/// How often something is looked for until the test gives up.
const MAX_POLLS: usize = 1_200;

/// What is asked of a small index.
pub(crate) const QUERY: &str = "{ plant { hits { total } } }";

/// A running server; dropping it ends it. It can be used as a client of itself.
pub(crate) struct Server {
    child: Child,
    client: TestClient,
    folder: TempDir,
}

impl Server {
    /// Starts a server with configuration files and environment variables.
    pub(crate) async fn start(files: &[(&str, Value)], variables: &[(&str, &str)]) -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), files, variables).await
    }

    /// Starts a server on a folder whose `data` is the data folder.
    pub(crate) async fn start_in(folder: TempDir, files: &[(&str, Value)], variables: &[(&str, &str)]) -> Self {
        for (path, content) in files {
            write(folder.path(), path, content);
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_cantata"));
        command.args(["serve", "--server-port=0", "--data-dir"]).arg(folder.path().join("data"));
        command.arg("--configs-path").arg(folder.path().join("configs"));
        command.env_clear().envs(variables.iter().copied()).env("LOG", "debug,hyper=info,reqwest=info");
        let log = fs_err::File::create(folder.path().join("log")).unwrap();
        let mut child = command.stdout(Stdio::piped()).stderr(log.into_parts().0).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let Some(base) = line.trim_end().strip_prefix("cantata is ready on ") else {
            panic!("not the ready line: {line:?}; the log: {}", log_in(folder.path()));
        };
        Self { child, client: TestClient::connect(base).await, folder }
    }

    /// Starts a server with one catalogue, `plants`, on a cluster that has three seconds to answer.
    pub(crate) async fn of_plants(index: &str, cluster: &str) -> Self {
        let files = [("base.json", plants(index, &json!({ "catalogId": "plants" })))];
        Self::start(&files, &[("ES_HOST", cluster), ("ES_TIMEOUT", "3")]).await
    }

    /// Writes a configuration file.
    pub(crate) fn write_config(&self, path: &str, content: &Value) {
        write(self.folder.path(), path, content);
    }

    /// Returns what the log has told so far.
    pub(crate) fn log(&self) -> String {
        log_in(self.folder.path())
    }

    /// Asks the plants of the only catalogue, and returns the answer.
    pub(crate) async fn ask(&self) -> Value {
        self.graphql("/graphql", QUERY, &json!({})).await.ok()
    }

    /// Waits until a catalogue is shown as failed with a code, or as available.
    pub(crate) async fn until_shown(&self, id: &str, code: Option<&str>) {
        until(
            &format!("{id} to be {code:?}"),
            || self.log(),
            async || self.directory().await["catalogs"][id]["error"]["code"].as_str() == code,
        )
        .await;
    }

    /// Waits until catalogues are shown as available. A busy machine may need more than the server waits at its start.
    pub(crate) async fn until_available(&self, ids: &[&str]) {
        for id in ids {
            self.until_shown(id, None).await;
        }
    }

    /// Returns the directory of the catalogues.
    pub(crate) async fn directory(&self) -> Value {
        self.get("/introspection").await.ok()
    }

    /// Downloads the plants of the only catalogue.
    pub(crate) async fn download(&self) -> TestResponse {
        self.post("/download", &json!({ "files": [{ "columns": ["name"] }] })).await
    }
}

impl Deref for Server {
    type Target = TestClient;

    fn deref(&self) -> &TestClient {
        &self.client
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            eprintln!("the log of the server: {}", self.log());
        }
    }
}

/// Waits until something is so.
pub(crate) async fn until(what: &str, log: impl Fn() -> String, mut is_so: impl AsyncFnMut() -> bool) {
    for _ in 0..MAX_POLLS {
        if is_so().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("waited in vain for {what}; the log: {}", log());
}

/// Returns a configuration of plants with more keys.
pub(crate) fn plants(index: &str, more: &Value) -> Value {
    let mut config = json!({ "documentType": "plant", "esIndex": index });
    config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    config
}

fn write(folder: &Path, path: &str, content: &Value) {
    let path = folder.join("configs").join(path);
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    fs_err::write(path, content.to_string()).unwrap();
}

fn log_in(folder: &Path) -> String {
    fs_err::read_to_string(folder.join("log")).unwrap()
}
