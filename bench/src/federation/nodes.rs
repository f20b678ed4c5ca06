//! The servers of a network: each with its own data folder and the sample catalogue of files.

use std::io::{BufWriter, Write};
use std::net::SocketAddr;
use std::ops::Range;
use std::process::Stdio;

use cantata_demo::catalogue::{Documents, FILE_INDEX, catalogue_files, mapping};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::Outcome;
use crate::client::get;
use crate::server_process::{ServerProcess, cantata};
use crate::workspace::Workspace;

/// The world that the documents tell of.
const SEED: u64 = 4;

/// The line of the metrics that has the number of searches.
const SEARCHES: &str = "cantata_searches_total{catalogue=\"files\"} ";

/// A running server with a share of the documents.
pub(super) struct NodeServer {
    pub(super) server: ServerProcess,
    _folder: TempDir,
}

impl NodeServer {
    /// Imports documents and starts a server on them, with a network if there is one.
    pub(super) fn start(workspace: &Workspace, documents: &Range<u64>, network: Option<&Value>) -> Outcome<Self> {
        let folder = workspace.new_folder()?;
        let (lines, shape) = (folder.path().join("files.ndjson"), folder.path().join("mapping.json"));
        let mut file = BufWriter::new(fs_err::File::create(&lines)?);
        Documents::new(SEED, documents.end).slice(documents.clone()).write_to(&mut file)?;
        file.flush()?;
        fs_err::write(&shape, mapping(FILE_INDEX).to_string())?;
        let data = folder.path().join("data");
        fs_err::create_dir_all(&data)?;
        let mut import = cantata(&data)?;
        import.args(["import", "--index", FILE_INDEX, "--mapping"]).arg(&shape).arg(&lines);
        let ended = import.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
        if !ended.success() {
            return Err(format!("the import ended with {ended}").into());
        }
        fs_err::remove_file(&lines)?;
        let configs = folder.path().join("configs");
        for (path, text) in catalogue_files().iter().filter(|(path, _)| path.starts_with("files/")) {
            let path = configs.join(path);
            if let Some(parent) = path.parent() {
                fs_err::create_dir_all(parent)?;
            }
            fs_err::write(path, text)?;
        }
        if let Some(network) = network {
            fs_err::write(configs.join("files/network.json"), network.to_string())?;
        }
        Ok(Self { server: ServerProcess::with_catalogues(&data, &configs)?, _folder: folder })
    }

    /// Returns how many searches the server has executed.
    pub(super) fn searches(&self) -> Outcome<u64> {
        let mut connection = self.server.connect()?;
        let text = std::str::from_utf8(connection.exchange(&get("/metrics"))?)?;
        let count = text.lines().find_map(|line| line.strip_prefix(SEARCHES));
        Ok(count.ok_or("the metrics have no number of searches")?.parse()?)
    }
}

/// Returns the `network.json` of a server that asks these.
pub(super) fn network(nodes: &[NodeServer]) -> Value {
    let addresses = nodes.iter().map(|node| node.server.address);
    let node = |(index, address): (usize, SocketAddr)| {
        json!({
            "displayName": format!("Node {}", index + 1),
            "nodeId": format!("node-{}", index + 1),
            "kind": "cantata",
            "documentType": "file",
            "graphqlUrl": format!("http://{address}/files/graphql"),
        })
    };
    json!({ "network": { "remoteNodes": addresses.enumerate().map(node).collect::<Vec<Value>>() } })
}
