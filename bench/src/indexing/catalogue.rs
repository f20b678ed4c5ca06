//! The catalogue that is measured: documents of files, made of the analyses of the server itself.

use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::Outcome;
use crate::client::{Connection, post_json, put};
use crate::part_bench::PartBench;
use crate::payloads::{STUDY, study_request};
use crate::server_process::ServerProcess;

/// How often the number of documents is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// A server with the catalogue and the study.
pub(super) struct IndexedServer {
    pub(super) server: ServerProcess,
    pub(super) folder: TempDir,
    pub(super) configs: TempDir,
}

impl IndexedServer {
    /// Starts a server on an empty folder.
    pub(super) fn start(bench: &PartBench) -> Outcome<Self> {
        let (folder, configs) = (bench.workspace.new_folder()?, bench.workspace.new_folder()?);
        let base = json!({ "catalogId": "files", "documentType": "file", "esIndex": "files" });
        fs_err::write(configs.path().join("base.json"), base.to_string())?;
        let source = json!({ "source": { "document": "file-centric" } });
        fs_err::write(configs.path().join("source.json"), source.to_string())?;
        let server = ServerProcess::with_catalogues(folder.path(), configs.path())?;
        server.connect()?.send(&study_request())?;
        let served = Self { server, folder, configs };
        served.until_found(0)?;
        Ok(served)
    }

    /// Waits until the catalogue has this many documents.
    pub(super) fn until_found(&self, documents: u64) -> Outcome<()> {
        let mut connection = self.server.connect()?;
        // Until there is an index, the catalogue is not served.
        while found(&mut connection).unwrap_or(None) != Some(documents) {
            std::thread::sleep(POLL_INTERVAL);
            if documents == 0 {
                connection = self.server.connect()?;
            }
        }
        Ok(())
    }
}

/// Returns how many documents there are.
fn found(connection: &mut Connection) -> Outcome<Option<u64>> {
    total(connection, "{ file { hits { total } } }", &json!({}))
}

/// Returns the total of hits that a query selects.
fn total(connection: &mut Connection, query: &str, variables: &Value) -> Outcome<Option<u64>> {
    let answer: Value = connection.fetch(&request(query, variables))?;
    Ok(answer["data"]["file"]["hits"]["total"].as_u64())
}

/// Returns the bytes of a request to the catalogue.
pub(super) fn request(query: &str, variables: &Value) -> Vec<u8> {
    post_json("/graphql", &json!({ "query": query, "variables": variables }))
}

/// Publishes an analysis.
pub(super) fn publish(connection: &mut Connection, analysis_id: &str) -> Outcome<()> {
    connection.send(&put(&format!("/studies/{STUDY}/analysis/publish/{analysis_id}")))
}

/// Says whether something of an analysis is found.
pub(super) fn is_found(connection: &mut Connection, analysis_id: &str) -> Outcome<bool> {
    let content = json!({ "fieldName": "analysis.analysisId", "value": [analysis_id] });
    let filter = json!({ "op": "and", "content": [{ "op": "in", "content": content }] });
    let query = "query ($filters: JSON) { file { hits(filters: $filters) { total } } }";
    Ok(total(connection, query, &json!({ "filters": filter }))?.is_some_and(|total| total > 0))
}
