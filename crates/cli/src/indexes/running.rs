//! The file that says where the server of a data folder listens: `server.json`.
//!
//! A server that was killed leaves it behind. That does no harm: the lock of the search folder says whether anybody
//! is there, this file only where.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};

use cantata_access::KeySecret;
use cantata_durable_file::replace_private;
use serde::{Deserialize, Serialize};

const FILE: &str = "server.json";

/// The server of a data folder.
#[derive(Serialize, Deserialize)]
pub(crate) struct RunningServer {
    /// Its address, such as `http://127.0.0.1:5050`.
    pub(crate) url: String,
    /// The secret that lets commands in, where it asks for one. Only whoever may read the data folder can read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) credential: Option<String>,
}

/// Removes the file when the server stops.
pub(crate) struct Announced(PathBuf);

impl RunningServer {
    /// Returns the server that a data folder tells of.
    pub(crate) fn of(data_dir: &Path) -> Option<Self> {
        serde_json::from_slice(&fs_err::read(data_dir.join(FILE)).ok()?).ok()
    }

    /// Leaves word of a server that listens on an address. Without it commands have to be told where the server is,
    /// so a failure does not stop the server.
    pub(crate) fn announce(data_dir: &Path, address: SocketAddr, operator: Option<KeySecret>) -> Option<Announced> {
        let credential = operator.map(|secret| secret.reveal().to_owned());
        let server = Self { url: format!("http://{}", reachable(address)), credential };
        let path = data_dir.join(FILE);
        match serde_json::to_vec(&server).map_err(io::Error::from).and_then(|text| replace_private(&path, &text)) {
            Ok(()) => Some(Announced(path)),
            Err(error) => {
                tracing::warn!(%error, "commands will not find this server by its data folder");
                None
            }
        }
    }
}

impl Drop for Announced {
    fn drop(&mut self) {
        // Left behind it does no harm.
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
