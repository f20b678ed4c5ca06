//! A real OpenSearch node, started with the project's own script.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cantata_demo::catalogue::FILE_INDEX;
use serde_json::Value;

use crate::Outcome;
use crate::client::{Connection, get};
use crate::process_memory::ProcessMemory;

/// The file that says that all documents are in the node's folder.
const FILLED: &str = "filled";

/// A running node, which is stopped when this is dropped.
pub(crate) struct Node {
    /// The folder of the scripts.
    scripts: PathBuf,
    folder: PathBuf,
    pub(crate) address: SocketAddr,
}

impl Node {
    /// Returns whether a folder has all documents from an earlier run.
    pub(super) fn is_filled(folder: &Path) -> Outcome<bool> {
        Ok(folder.join(FILLED).try_exists()?)
    }

    pub(crate) fn start(scripts: &Path, folder: &Path, heap: &str) -> Outcome<Self> {
        let mut command = Command::new(scripts.join("start"));
        command.arg("opensearch").arg(folder).env("ENGINE_HEAP", heap);
        let started = command.env("ENGINE_OWNER", std::process::id().to_string()).stderr(Stdio::inherit()).output()?;
        if !started.status.success() {
            return Err("OpenSearch does not start".into());
        }
        let url = String::from_utf8(started.stdout)?;
        let address = url.trim().trim_start_matches("http://").parse()?;
        Ok(Self { scripts: scripts.to_owned(), folder: folder.to_owned(), address })
    }

    /// Notes that all documents are there.
    pub(super) fn mark_filled(&self) -> Outcome<()> {
        Ok(fs_err::write(self.folder.join(FILLED), "")?)
    }

    pub(super) fn connect(&self) -> Outcome<Connection> {
        Connection::open(self.address)
    }

    /// Returns how many megabytes the index takes.
    pub(super) fn megabytes_on_disk(&self) -> Outcome<f64> {
        let stats: Value = self.connect()?.fetch(&get(&format!("/{FILE_INDEX}/_stats/store")))?;
        let bytes = stats["_all"]["primaries"]["store"]["size_in_bytes"].as_f64();
        Ok(bytes.ok_or("OpenSearch does not say how large the index is")? / 1e6)
    }

    /// Returns the folder of the index.
    pub(super) fn data_folder(&self) -> PathBuf {
        self.folder.join("data")
    }

    pub(super) fn memory(&self) -> Outcome<ProcessMemory> {
        ProcessMemory::of(fs_err::read_to_string(self.folder.join("engine.pid"))?.trim().parse()?)
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // The node ends with this process at the latest.
        let _ = Command::new(self.scripts.join("stop")).arg(&self.folder).status();
    }
}
