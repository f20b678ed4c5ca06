//! The servers of a network: each with its own data folder and the sample catalogue of files.

use std::io::{BufWriter, Write};
use std::net::SocketAddr;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use cantata_demo::catalogue::{Documents, FILE_INDEX, catalogue_files, mapping};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::Outcome;
use crate::client::get;
use crate::report;
use crate::search::{OpenSearchNode, load_opensearch};
use crate::server_process::{ServerProcess, cantata};
use crate::workspace::Workspace;

/// The world that the documents tell of.
const SEED: u64 = 4;

/// The line of the metrics that has the number of searches.
const SEARCHES: &str = "cantata_searches_total{catalogue=\"files\"} ";

/// The heap of OpenSearch.
const HEAP: &str = "2g";

/// A running server with a share of the documents.
pub(super) struct NodeServer {
    pub(super) server: ServerProcess,
    /// What it searches, if that is a process of its own.
    _engine: Option<OpenSearchNode>,
    _folder: TempDir,
}

impl NodeServer {
    /// Imports documents and starts a server on them, with a network if there is one.
    pub(super) fn start(workspace: &Workspace, documents: &Range<u64>, network: Option<&Value>) -> Outcome<Self> {
        let folder = workspace.new_folder()?;
        let (lines, shape) = (write_lines(folder.path(), documents)?, folder.path().join("mapping.json"));
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
        let configs = write_configs(folder.path(), network)?;
        let server = ServerProcess::with_catalogues(&data, &configs)?;
        Ok(Self { server, _engine: None, _folder: folder })
    }

    /// Loads documents into an OpenSearch and starts a server on it; `scripts` is the folder of those that start engines.
    pub(super) fn start_on_opensearch(workspace: &Workspace, documents: &Range<u64>, scripts: &Path) -> Outcome<Self> {
        let folder = workspace.new_folder()?;
        let lines = write_lines(folder.path(), documents)?;
        let engine = OpenSearchNode::start(scripts, &folder.path().join("opensearch"), HEAP)?;
        let elapsed = load_opensearch(&lines, &engine)?;
        report::progress(&format!("OpenSearch has them after {:.1} s", elapsed.as_secs_f64()));
        fs_err::remove_file(&lines)?;
        let configs = write_configs(folder.path(), None)?;
        let data = folder.path().join("data");
        fs_err::create_dir_all(&data)?;
        let host = format!("http://{}", engine.address);
        let server = ServerProcess::with_settings(
            &data,
            &[("CONFIGS_PATH", &configs), ("SEARCH_ENGINE", &"opensearch"), ("ES_HOST", &host)],
        )?;
        Ok(Self { server, _engine: Some(engine), _folder: folder })
    }

    /// Returns how many searches the server has executed.
    pub(super) fn searches(&self) -> Outcome<u64> {
        let mut connection = self.server.connect()?;
        let text = std::str::from_utf8(connection.exchange(&get("/metrics"))?)?;
        let count = text.lines().find_map(|line| line.strip_prefix(SEARCHES));
        Ok(count.ok_or("the metrics have no number of searches")?.parse()?)
    }
}

/// Writes documents into a file of a folder, one on each line.
fn write_lines(folder: &Path, documents: &Range<u64>) -> Outcome<PathBuf> {
    let lines = folder.join("files.ndjson");
    let mut file = BufWriter::new(fs_err::File::create(&lines)?);
    Documents::new(SEED, documents.end).slice(documents.clone()).write_to(&mut file)?;
    file.flush()?;
    Ok(lines)
}

/// Writes the configuration of the catalogue into a folder, with a network if there is one.
fn write_configs(folder: &Path, network: Option<&Value>) -> Outcome<PathBuf> {
    let configs = folder.join("configs");
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
    Ok(configs)
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
