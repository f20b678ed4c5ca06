//! Three nodes of OpenSearch that are one cluster; each of them can be killed and started again.

use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;

use crate::fleet::{free_ports, send_signal};

/// How many nodes there are: two of them still elect a manager.
pub(crate) const NODES: usize = 3;

/// The nodes; they end with the test. Indexes have a replica by default, so each node can be missed.
pub(crate) struct Cluster {
    folders: Vec<TempDir>,
    /// The ports for clients.
    http_ports: Vec<u16>,
    /// The ports at which the nodes speak with each other.
    transport_ports: Vec<u16>,
}

impl Cluster {
    /// Starts the nodes.
    pub(crate) fn start() -> Self {
        let mut ports = free_ports(2 * NODES);
        let transport_ports = ports.split_off(NODES);
        let folders = (0..NODES).map(|_| tempfile::tempdir().unwrap()).collect();
        let cluster = Self { folders, http_ports: ports, transport_ports };
        // None can be used before most of them run.
        std::thread::scope(|scope| {
            for nth in 0..NODES {
                let cluster = &cluster;
                scope.spawn(move || cluster.start_node(nth));
            }
        });
        cluster.wait_until_complete();
        cluster
    }

    /// Returns the addresses of the nodes, as the settings of a server name them.
    pub(crate) fn addresses(&self) -> String {
        let addresses: Vec<String> = self.http_ports.iter().map(|port| format!("http://127.0.0.1:{port}")).collect();
        addresses.join(",")
    }

    /// Starts a node, and waits until it is one of the cluster.
    pub(crate) fn start_node(&self, nth: usize) {
        let mut ports: Vec<String> = self.transport_ports.iter().map(u16::to_string).collect();
        ports.rotate_left(nth);
        let mut command = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../engines/start"));
        command.arg("opensearch").arg(self.folders[nth].path()).arg(self.http_ports[nth].to_string());
        command.env("ENGINE_CLUSTER", ports.join(",")).env("ENGINE_OWNER", std::process::id().to_string());
        let output = command.output().unwrap();
        assert!(output.status.success(), "node {nth} does not start: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Kills a node, and waits until it has ended.
    pub(crate) fn kill_node(&self, nth: usize) {
        send_signal(&self.pid(nth).unwrap(), "KILL");
        fs_err::remove_file(self.pid_file(nth)).unwrap();
        while TcpStream::connect(("127.0.0.1", self.http_ports[nth])).is_ok() {
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until all nodes are there and have all shards, so that the next one can be missed.
    pub(crate) fn wait_until_complete(&self) {
        let path = format!("_cluster/health?wait_for_status=green&wait_for_nodes={NODES}&timeout=120s");
        let address = format!("http://127.0.0.1:{}/{path}", self.http_ports[0]);
        let output = Command::new("curl").args(["-sS", "--fail-with-body", "--max-time", "180", &address]).output();
        let output = output.unwrap();
        assert!(output.status.success(), "the cluster is not complete: {}", String::from_utf8_lossy(&output.stdout));
    }

    /// Returns the process of a node; none while it is killed.
    fn pid(&self, nth: usize) -> Option<String> {
        let text = fs_err::read_to_string(self.pid_file(nth)).ok()?;
        Some(text.trim_end().to_owned())
    }

    fn pid_file(&self, nth: usize) -> PathBuf {
        self.folders[nth].path().join("engine.pid")
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for pid in (0..NODES).filter_map(|nth| self.pid(nth)) {
            let _ = Command::new("kill").args(["-s", "KILL", &pid]).status();
        }
    }
}
