//! Databases of a real PostgreSQL, one for each test.
//!
//! `databases/with-postgres` starts the server and says in the environment where. A test that needs one fails without it.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use tokio_postgres::NoTls;
use uuid::Uuid;

use crate::engines::address;

/// An empty database, dropped with the value.
pub struct TestDatabase {
    server: String,
    name: String,
}

/// Makes a database on the server of the test run.
#[track_caller]
pub fn postgres() -> TestDatabase {
    TestDatabase::on(&address("CANTATA_TEST_POSTGRES", "databases/with-postgres"))
}

impl TestDatabase {
    /// Makes a database on a server, which is given as the address of another database.
    pub fn on(server: &str) -> Self {
        let name = format!("test_{}", Uuid::new_v4().simple());
        run(server, &format!("CREATE DATABASE {name}"));
        Self { server: server.to_owned(), name }
    }

    /// Returns the address of the database.
    pub fn address(&self) -> String {
        let (server, _) = self.server.rsplit_once('/').unwrap();
        format!("{server}/{}", self.name)
    }

    /// Runs statements in the database.
    pub fn run(&self, statements: &str) {
        run(&self.address(), statements);
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        // Servers that are about to end may still be connected.
        run(&self.server, &format!("DROP DATABASE {} WITH (FORCE)", self.name));
    }
}

/// Runs statements on a thread of their own, so that any caller can wait for them.
fn run(address: &str, statements: &str) {
    let statements = async {
        let (client, connection) = tokio_postgres::connect(address, NoTls).await.unwrap();
        let driver = tokio::spawn(connection);
        client.batch_execute(statements).await.unwrap();
        drop(client);
        driver.await.unwrap().unwrap();
    };
    std::thread::scope(|scope| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        scope.spawn(move || runtime.block_on(statements)).join().unwrap();
    });
}

/// A PostgreSQL server for a single test, which may damage it; it stops when dropped.
pub struct DedicatedPostgres {
    folder: TempDir,
    address: String,
}

impl DedicatedPostgres {
    /// Starts a server.
    pub fn start() -> Self {
        let folder = TempDir::new().unwrap();
        let address = script("start", folder.path());
        Self { folder, address }
    }

    /// Returns the address of a database of the server.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Returns the folder in which the server keeps its data.
    pub fn data_folder(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Kills the server.
    pub fn crash(&self) {
        script("crash", self.folder.path());
    }

    /// Starts the server again at the same address.
    pub fn restart(&self) {
        script("start", self.folder.path());
    }
}

impl Drop for DedicatedPostgres {
    fn drop(&mut self) {
        // A test may have ended it already.
        let _ = command("crash", self.folder.path()).output();
    }
}

fn command(what: &str, folder: &Path) -> Command {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../databases/postgres");
    let mut command = Command::new(script);
    command.arg(what).arg(folder).env("POSTGRES_OWNER", std::process::id().to_string());
    command
}

fn script(what: &str, folder: &Path) -> String {
    let output = command(what, folder).output().unwrap();
    assert!(output.status.success(), "{what}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}
