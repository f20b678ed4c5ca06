//! The server file `server.json` of a data folder: the address of the server that uses it.
//!
//! A killed server leaves it behind, which is harmless: the lock of the search folder says whether a server is running.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};

use cantata_access::KeySecret;
use cantata_durable_file::replace_private;
use serde::{Deserialize, Serialize};

const FILE: &str = "server.json";

/// The content of the server file.
#[derive(Serialize, Deserialize)]
pub(crate) struct ServerFile {
    /// The URL of the server, such as `http://127.0.0.1:5050`.
    pub(crate) url: String,
    /// The operator secret for local commands, if authentication is enabled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) credential: Option<String>,
}

/// Removes the file when dropped.
pub(crate) struct ServerFileGuard(PathBuf);

impl ServerFile {
    /// Reads the file of a data folder.
    pub(crate) fn read(data_dir: &Path) -> Option<Self> {
        serde_json::from_slice(&fs_err::read(data_dir.join(FILE)).ok()?).ok()
    }

    /// Writes the file of a server that listens on an address. Without it commands need `--server`, so a failure is only
    /// logged.
    pub(crate) fn write(data_dir: &Path, address: SocketAddr, operator: Option<KeySecret>) -> Option<ServerFileGuard> {
        let credential = operator.map(|secret| secret.reveal().to_owned());
        let server = Self { url: format!("http://{}", reachable(address)), credential };
        let path = data_dir.join(FILE);
        match serde_json::to_vec(&server).map_err(io::Error::from).and_then(|text| replace_private(&path, &text)) {
            Ok(()) => Some(ServerFileGuard(path)),
            Err(error) => {
                tracing::warn!(%error, "commands cannot find this server by its data folder");
                None
            }
        }
    }
}

impl Drop for ServerFileGuard {
    fn drop(&mut self) {
        // A file that is left behind is harmless.
        let _ = fs_err::remove_file(&self.0);
    }
}

/// Returns an address that reaches a listener on this machine.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    address
}
