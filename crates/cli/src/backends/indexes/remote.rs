//! The indexes of a running server, through `/admin/indexes`, and its backups.

use std::io;

use async_trait::async_trait;
use bytes::Bytes;
use cantata_engine::{EngineError, ImportChunk, ImportOutcome, IndexMaintenance, IndexStats, IndexSummary};
use cantata_mapping::IndexMapping;
use reqwest::{Method, RequestBuilder, Response};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::client::{CallError, ServerClient};
use crate::error::CliError;
use crate::http::push_json_line;

/// The indexes of a running server.
pub(crate) struct RemoteIndexes(ServerClient);

#[derive(Deserialize)]
struct IndexEntry {
    name: String,
    documents: u64,
    bytes: u64,
    problem: Option<String>,
}

#[derive(Deserialize)]
struct VerifyReport {
    problems: Vec<String>,
}

#[derive(Deserialize)]
struct ImportPosition {
    position: u64,
}

impl RemoteIndexes {
    /// Creates a client; nothing is sent yet.
    pub(crate) fn new(address: &str, credential: Option<&str>) -> Result<Self, CliError> {
        ServerClient::new(address, credential, "--server").map(Self)
    }

    /// Returns all indexes, by name.
    pub(crate) async fn indexes(&self) -> Result<Vec<IndexSummary>, EngineError> {
        let listed: Vec<IndexEntry> = self.fetch("", self.request(Method::GET, &[])).await?;
        let summary = |index: IndexEntry| {
            let IndexEntry { name, documents, bytes, problem } = index;
            IndexSummary { name, documents, bytes, problem }
        };
        Ok(listed.into_iter().map(summary).collect())
    }

    /// Returns the mapping of an index.
    pub(crate) async fn mapping(&self, name: &str) -> Result<IndexMapping, EngineError> {
        let mapping: Value = self.fetch(name, self.request(Method::GET, &[name, "mapping"])).await?;
        IndexMapping::parse(&mapping).map_err(|_| rejected(self.0.unexpected_response()))
    }

    /// Creates an index.
    pub(crate) async fn create(&self, name: &str, mapping: Option<&Value>) -> Result<(), EngineError> {
        let body = mapping.map(ToString::to_string).unwrap_or_default();
        self.send(name, self.request(Method::PUT, &[name]).body(body)).await.map(|_| ())
    }

    /// Removes an index with everything in it.
    pub(crate) async fn delete(&self, name: &str) -> Result<(), EngineError> {
        self.send(name, self.request(Method::DELETE, &[name])).await.map(|_| ())
    }

    /// Streams a backup of the server to `take`.
    pub(crate) async fn backup(&self, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> Result<(), EngineError> {
        let request = self.0.request(Method::POST, &["admin", "backup"], &[]);
        let lacking = "keeps its metadata in a database server, which is backed up by its own means";
        let mut answer = self.answer("", lacking, request).await?;
        while let Some(piece) = answer.chunk().await.map_err(|error| rejected(self.0.connection_error(&error)))? {
            take(&piece).map_err(|error| EngineError::Rejected(format!("the backup cannot be written: {error}")))?;
        }
        Ok(())
    }

    fn request(&self, method: Method, path: &[&str]) -> RequestBuilder {
        self.0.request(method, &[["admin", "indexes"].as_slice(), path].concat(), &[])
    }

    fn import_request(&self, method: Method, index: &str, query: &[(&str, &str)]) -> RequestBuilder {
        self.0.request(method, &["admin", "indexes", index, "import"], query)
    }

    async fn fetch<T: DeserializeOwned>(&self, name: &str, request: RequestBuilder) -> Result<T, EngineError> {
        let body = self.send(name, request).await?;
        serde_json::from_slice(&body).map_err(|_| rejected(self.0.unexpected_response()))
    }

    /// Sends a request about an index and returns the body of a good answer.
    async fn send(&self, name: &str, request: RequestBuilder) -> Result<Bytes, EngineError> {
        let answer = self.answer(name, "keeps no indexes", request).await?;
        self.0.bytes(answer).await.map_err(rejected)
    }

    /// Sends a request about an index and returns a good answer. If the server does not have the path, it is `lacking`.
    async fn answer(&self, name: &str, lacking: &str, request: RequestBuilder) -> Result<Response, EngineError> {
        let error = match self.0.attempt(request).await.map_err(rejected)? {
            Ok(response) => return Ok(response),
            Err((_, error)) => error,
        };
        let base = &self.0.base;
        Err(match error.error_id.as_deref() {
            Some("index.not.found") => EngineError::IndexNotFound(name.to_owned()),
            Some("index.already.exists") => EngineError::IndexExists(name.to_owned()),
            Some("unauthorized.token") => EngineError::Rejected(format!(
                "the server at {base} requires a key with the system scope; set CANTATA_KEY"
            )),
            Some("path.not.found") => EngineError::Rejected(format!("the server at {base} {lacking}")),
            Some(_) => EngineError::Rejected(error.message),
            None => rejected(self.0.unexpected_response()),
        })
    }
}

fn rejected(error: CallError) -> EngineError {
    EngineError::Rejected(error.text())
}

#[async_trait]
impl IndexMaintenance for RemoteIndexes {
    async fn stats(&self, index: &str) -> Result<IndexStats, EngineError> {
        self.fetch(index, self.request(Method::GET, &[index])).await
    }

    async fn compact(&self, index: &str) -> Result<(), EngineError> {
        self.send(index, self.request(Method::POST, &[index, "compact"])).await.map(|_| ())
    }

    async fn verify(&self, index: &str) -> Result<Vec<String>, EngineError> {
        let found: VerifyReport = self.fetch(index, self.request(Method::POST, &[index, "verify"])).await?;
        Ok(found.problems)
    }

    async fn import_chunk(&self, index: &str, chunk: ImportChunk, id_field: Option<String>) -> ImportOutcome {
        let first = chunk.documents.first().map_or(1, |(number, _)| *number);
        let (end, line) = (chunk.end.to_string(), first.to_string());
        let mut query = vec![("source", chunk.source.as_str()), ("end", &end), ("line", &line)];
        query.extend(id_field.as_deref().map(|field| ("id", field)));
        let request = self.import_request(Method::POST, index, &query).header("content-type", "application/x-ndjson");
        self.fetch(index, request.body(as_lines(&chunk, first))).await
    }

    async fn import_position(&self, index: &str, source: &str) -> Result<u64, EngineError> {
        let request = self.import_request(Method::GET, index, &[("source", source)]);
        let found: ImportPosition = self.fetch(index, request).await?;
        Ok(found.position)
    }

    async fn end_import(&self, index: &str, source: &str) -> Result<(), EngineError> {
        self.send(index, self.import_request(Method::DELETE, index, &[("source", source)])).await.map(|_| ())
    }
}

/// Writes the documents of a chunk one to a line; a document of number `first + n` stands in the line after n others.
fn as_lines(chunk: &ImportChunk, first: u64) -> Vec<u8> {
    let mut body = Vec::with_capacity(chunk.bytes.len() + chunk.documents.len());
    let mut line = first;
    for (number, range) in &chunk.documents {
        while line < *number {
            body.push(b'\n');
            line += 1;
        }
        push_json_line(&mut body, chunk.bytes.get(range.clone()).unwrap_or_default());
        line += 1;
    }
    body
}
