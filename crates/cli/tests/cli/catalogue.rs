//! A data folder whose indexes are filled and read by tests.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cantata_engine::{ExportRequest, Filter, IndexReader};
use cantata_engine_embedded::EmbeddedEngine;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use tempfile::TempDir;

use crate::process::{cantata, outcome};

/// A data folder, and files beside it.
pub(crate) struct Catalogue(TempDir);

impl Catalogue {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn data_dir(&self) -> PathBuf {
        self.0.path().join("data")
    }

    /// Writes a file.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.0.path().join(name);
        fs_err::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Returns the binary on this data folder, not started yet.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = cantata(arguments);
        command.env("DATA_DIR", self.data_dir());
        command
    }

    /// Runs the binary on this data folder.
    pub(crate) fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        outcome(&mut self.command(arguments))
    }

    /// Runs the binary, which must end well, and returns what it writes.
    #[track_caller]
    pub(crate) fn ok(&self, arguments: &[&str]) -> String {
        let (code, stdout, stderr) = self.run(arguments);
        assert_eq!((code, stderr.as_str()), (0, ""), "{arguments:?}: {stdout}");
        stdout
    }

    /// Runs the binary with something on standard input.
    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> (i32, String, String) {
        let mut command = self.command(arguments);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    /// Returns one of the figures of an index.
    #[track_caller]
    pub(crate) fn figure(&self, index: &str, name: &str) -> u64 {
        let stats: Value = serde_json::from_str(&self.ok(&["index", "stats", index, "--json"])).unwrap();
        stats[name].as_u64().unwrap()
    }

    /// Returns the type of a field of an index. No server may be running.
    pub(crate) fn field_type(&self, index: &str, path: &str) -> String {
        let engine = EmbeddedEngine::open(&self.data_dir().join("search")).unwrap();
        let mapping = tokio::runtime::Runtime::new().unwrap().block_on(engine.mapping(index)).unwrap();
        mapping.entry(path).unwrap().type_name.clone()
    }

    /// Returns the documents of an index by id. No server may be running.
    pub(crate) fn documents(&self, index: &str) -> BTreeMap<String, Value> {
        documents(&self.data_dir(), index)
    }
}

fn documents(data_dir: &Path, index: &str) -> BTreeMap<String, Value> {
    let engine = EmbeddedEngine::open(&data_dir.join("search")).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let everything = ExportRequest { filter: Filter::All, sort: vec![], limit: None, page_size: 1000 };
        let mut export = engine.export(index, everything).await.unwrap();
        let mut documents = BTreeMap::new();
        while let Some(page) = export.next().await.unwrap() {
            for hit in page.hits {
                let document = serde_json::to_value(hit.document.unwrap().root()).unwrap();
                assert!(documents.insert(hit.cursor.id.clone(), document).is_none());
            }
        }
        documents
    })
}

/// Zips bytes.
pub(crate) fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
