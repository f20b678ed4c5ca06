//! The real server as a process.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use cantata_testkit::databases::TestDatabase;

pub(crate) struct ServerProcess {
    child: Child,
    pub(crate) address: String,
}

impl ServerProcess {
    /// Starts the server on a folder, and on a database where one is given, and waits until it says where it listens.
    pub(crate) async fn start(folder: &Path, database: Option<&TestDatabase>) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cantata"));
        command.arg("serve").env("DATA_DIR", folder).env("SERVER_PORT", "0").stdout(Stdio::piped());
        if let Some(database) = database {
            command.env("DATABASE_URL", database.address());
        }
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let ready = tokio::task::spawn_blocking(move || {
            lines.find_map(|line| line.ok()?.split_once("http://").map(|(_, address)| address.trim().to_owned()))
        });
        let address = ready.await.unwrap().expect("the server did not start");
        Self { child, address: format!("http://{address}") }
    }

    /// Ends the process without any warning.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns a client. Every one needs a TLS provider, even where it never speaks TLS.
pub(crate) fn http() -> reqwest::Client {
    // Fails when an earlier call has installed it, which is just as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::new()
}
