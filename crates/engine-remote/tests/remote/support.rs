//! A cluster that several tests use at once, each as if it were alone.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use cantata_core::ClusterCredentials;
use cantata_engine::{
    Alias, AliasChange, BatchReport, Document, EngineError, ExportRequest, ExportStream, IndexAdmin, IndexReader,
    IndexSummary, IndexWriter, SearchPlan, SearchResponse, WriteOperation,
};
use cantata_engine_remote::{Product, RemoteEngine, RemoteSettings};
use cantata_mapping::IndexMapping;
use serde_json::{Value, json};

/// Returns the engine behind an address.
pub(crate) fn engine(host: &str) -> RemoteEngine {
    let settings = RemoteSettings {
        hosts: vec![host.to_owned()],
        product: None,
        credentials: ClusterCredentials::None,
        ca_certificate: None,
        timeout: Duration::from_secs(60),
        refresh_interval: Duration::ZERO,
    };
    RemoteEngine::new(settings).unwrap()
}

/// An engine that has the indexes of one test only; they go with it.
pub(crate) struct Scoped {
    engine: RemoteEngine,
    host: String,
    product: Product,
    shards: usize,
    prefix: String,
    made: Mutex<BTreeSet<String>>,
}

impl Scoped {
    pub(crate) fn new(host: String, product: Product) -> Self {
        let number: u64 = rand::random();
        let prefix = format!("test-{number:016x}-");
        Self { engine: engine(&host), host, product, shards: 1, prefix, made: Mutex::default() }
    }

    /// Has every index made of several shards.
    pub(crate) fn with_shards(mut self, shards: usize) -> Self {
        self.shards = shards;
        self
    }

    /// Returns the name that the cluster knows an index by.
    pub(crate) fn name(&self, index: &str) -> String {
        format!("{}{index}", self.prefix)
    }

    /// Returns an error that names an index as the test does.
    fn named<T>(&self, index: &str, result: Result<T, EngineError>) -> Result<T, EngineError> {
        result.map_err(|error| match error {
            EngineError::IndexNotFound(name) if name == self.name(index) => {
                EngineError::IndexNotFound(index.to_owned())
            }
            EngineError::IndexExists(name) if name == self.name(index) => EngineError::IndexExists(index.to_owned()),
            other => other,
        })
    }
}

/// Names the types as a cluster of the product does; a wildcard of OpenSearch keeps no values to sort by unless told.
fn dialect(product: Product, value: &mut Value) {
    if let Value::Object(members) = value {
        if product == Product::OpenSearch && members.get("type") == Some(&json!("flattened")) {
            members.insert("type".to_owned(), json!("flat_object"));
        }
        if product == Product::OpenSearch && members.get("type") == Some(&json!("wildcard")) {
            members.entry("doc_values").or_insert(json!(true));
        }
        members.values_mut().for_each(|inner| dialect(product, inner));
    }
}

#[async_trait]
impl IndexReader for Scoped {
    async fn mapping(&self, index: &str) -> Result<Arc<IndexMapping>, EngineError> {
        self.named(index, self.engine.mapping(&self.name(index)).await)
    }

    async fn search(&self, index: &str, plan: Arc<SearchPlan>) -> Result<SearchResponse, EngineError> {
        self.named(index, self.engine.search(&self.name(index), plan).await)
    }

    async fn export(&self, index: &str, request: ExportRequest) -> Result<Box<dyn ExportStream>, EngineError> {
        self.named(index, self.engine.export(&self.name(index), request).await)
    }

    async fn document(&self, index: &str, id: &str) -> Result<Option<Document>, EngineError> {
        self.named(index, self.engine.document(&self.name(index), id).await)
    }
}

#[async_trait]
impl IndexWriter for Scoped {
    async fn write(&self, index: &str, batch: Vec<WriteOperation>) -> Result<BatchReport, EngineError> {
        self.named(index, self.engine.write(&self.name(index), batch).await)
    }

    async fn write_with_position(
        &self,
        index: &str,
        batch: Vec<WriteOperation>,
        position: &str,
    ) -> Result<BatchReport, EngineError> {
        self.named(index, self.engine.write_with_position(&self.name(index), batch, position).await)
    }

    async fn write_unrefreshed(
        &self,
        index: &str,
        batch: Vec<WriteOperation>,
        position: &str,
    ) -> Result<BatchReport, EngineError> {
        self.named(index, self.engine.write_unrefreshed(&self.name(index), batch, position).await)
    }

    async fn refresh(&self, index: &str) -> Result<(), EngineError> {
        self.named(index, self.engine.refresh(&self.name(index)).await)
    }

    async fn position(&self, index: &str) -> Result<Option<String>, EngineError> {
        self.named(index, self.engine.position(&self.name(index)).await)
    }
}

#[async_trait]
impl IndexAdmin for Scoped {
    async fn create_index(&self, index: &str, mapping: Option<&Value>) -> Result<(), EngineError> {
        let name = self.name(index);
        let mut given = mapping.cloned().unwrap_or_else(|| json!({}));
        dialect(self.product, &mut given);
        if given.is_object() {
            let settings = json!({"number_of_shards": self.shards, "number_of_replicas": 0});
            given = json!({"mappings": given, "settings": settings});
        }
        self.made.lock().unwrap().insert(name.clone());
        self.named(index, self.engine.create_index(&name, Some(&given)).await)
    }

    async fn delete_index(&self, index: &str) -> Result<(), EngineError> {
        let name = self.name(index);
        self.made.lock().unwrap().remove(&name);
        self.named(index, self.engine.delete_index(&name).await)
    }

    async fn indexes(&self) -> Result<Vec<IndexSummary>, EngineError> {
        let mut indexes = self.engine.indexes().await?;
        indexes.retain(|index| index.name.starts_with(&self.prefix));
        for index in &mut indexes {
            index.name.drain(..self.prefix.len());
        }
        Ok(indexes)
    }

    async fn extend_mapping(&self, index: &str, mapping: &Value) -> Result<(), EngineError> {
        self.named(index, self.engine.extend_mapping(&self.name(index), mapping).await)
    }

    async fn aliases(&self) -> Result<Vec<Alias>, EngineError> {
        let aliases = self.engine.aliases().await?;
        let own = |alias: Alias| {
            let without = |name: &str| name.strip_prefix(&self.prefix).map(str::to_owned);
            Some(Alias { name: without(&alias.name)?, index: without(&alias.index)? })
        };
        Ok(aliases.into_iter().filter_map(own).collect())
    }

    async fn change_aliases(&self, changes: &[AliasChange]) -> Result<(), EngineError> {
        let scoped: Vec<AliasChange> = changes
            .iter()
            .map(|change| match change {
                AliasChange::Add { alias, index } => {
                    AliasChange::Add { alias: self.name(alias), index: self.name(index) }
                }
                AliasChange::Remove { alias, index } => {
                    AliasChange::Remove { alias: self.name(alias), index: self.name(index) }
                }
            })
            .collect();
        self.engine.change_aliases(&scoped).await.map_err(|error| match error {
            EngineError::IndexNotFound(name) => {
                EngineError::IndexNotFound(name.strip_prefix(&self.prefix).unwrap_or(&name).to_owned())
            }
            other => other,
        })
    }
}

impl Drop for Scoped {
    fn drop(&mut self) {
        let (host, made) = (self.host.clone(), std::mem::take(&mut *self.made.lock().unwrap()));
        // The runtime of the test may be the one that is dropping this.
        let removing = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let engine = engine(&host);
                for index in made {
                    engine.delete_index(&index).await.ok();
                }
            });
        });
        removing.join().ok();
    }
}
