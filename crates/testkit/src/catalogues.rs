//! The catalogues of a test server: configuration files in a folder, and indexes with documents in a real engine.

use std::path::Path;
use std::sync::Arc;

use cantata_catalogue::ConfigDefaults;
use cantata_engine::{IndexAdmin as _, SearchEngine, WriteOperation};
use cantata_engine_embedded::EmbeddedEngine;
use cantata_search::{ConfigSource, SearchService};
use serde_json::Value;

/// The folder of the configuration files, within the folder of a server.
const CONFIGS: &str = "configs";

/// Describes the catalogues of a test server.
///
/// The paths of the files make the layout: `base.json` is one catalogue, `files/base.json` one in a folder of its
/// own.
#[derive(Debug, Clone, Default)]
pub struct TestCatalogues {
    files: Vec<(String, String)>,
    indexes: Vec<TestIndex>,
    defaults: ConfigDefaults,
    is_watched: bool,
}

#[derive(Debug, Clone)]
struct TestIndex {
    name: String,
    mapping: Value,
    documents: Vec<(String, Value)>,
}

impl TestCatalogues {
    /// Creates an empty description.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a configuration file.
    pub fn file(self, path: &str, content: &Value) -> Self {
        self.text_file(path, &content.to_string())
    }

    /// Adds a configuration file that may be no JSON.
    pub fn text_file(mut self, path: &str, content: &str) -> Self {
        self.files.push((path.to_owned(), content.to_owned()));
        self
    }

    /// Adds an index with documents by id.
    pub fn index<'d>(
        mut self,
        name: &str,
        mapping: &Value,
        documents: impl IntoIterator<Item = (&'d str, Value)>,
    ) -> Self {
        let documents = documents.into_iter().map(|(id, document)| (id.to_owned(), document)).collect();
        self.indexes.push(TestIndex { name: name.to_owned(), mapping: mapping.clone(), documents });
        self
    }

    /// Sets the defaults of the configuration.
    pub fn defaults(mut self, defaults: ConfigDefaults) -> Self {
        self.defaults = defaults;
        self
    }

    /// Lets the server follow changes of the files and of the mappings.
    pub fn watched(mut self) -> Self {
        self.is_watched = true;
        self
    }

    /// Writes the files and indexes below a folder, and starts the service that searches them.
    pub(crate) async fn start(self, folder: &Path, engine: Arc<EmbeddedEngine>) -> Arc<SearchService> {
        std::fs::create_dir_all(folder.join(CONFIGS)).unwrap();
        for (path, content) in &self.files {
            write_config(folder, path, content);
        }
        for index in self.indexes {
            engine.create_index(&index.name, Some(&index.mapping)).await.unwrap();
            put_documents(&*engine, &index.name, index.documents).await;
        }
        let source = ConfigSource::Folder(folder.join(CONFIGS), Box::new(self.defaults));
        let service = Arc::new(SearchService::start(engine, source).await.unwrap());
        if self.is_watched {
            service.watch();
        }
        service
    }
}

/// Writes a configuration file of the server that has this folder.
pub(crate) fn write_config(folder: &Path, path: &str, content: &str) {
    let path = folder.join(CONFIGS).join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

/// Removes a configuration file, or a folder of them.
pub(crate) fn remove_config(folder: &Path, path: &str) {
    let path = folder.join(CONFIGS).join(path);
    if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) }.unwrap();
}

/// Puts documents into an index; all must be accepted.
pub async fn put_documents(
    engine: &dyn SearchEngine,
    index: &str,
    documents: impl IntoIterator<Item = (String, Value)>,
) {
    let put = |(id, document): (String, Value)| WriteOperation::Put { id, source: document.to_string().into_bytes() };
    let report = engine.write(index, documents.into_iter().map(put).collect()).await.unwrap();
    assert_eq!(report.rejected, [], "{index}");
}
