//! The engine.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use cantata_engine::{
    Alias, AliasChange, BatchOutcome, BatchReport, Document, EngineError, ExportRequest, ExportStream, IndexAdmin,
    IndexReader, IndexSummary, IndexWriter, SearchPlan, SearchResponse, WriteOperation,
};
use cantata_mapping::IndexMapping;
use serde_json::Value;

use crate::client::ClusterClient;
use crate::error::is_id_sort_disabled;
use crate::export::RemoteExport;
use crate::mapping_cache::MappingCache;
use crate::settings::{RemoteSettings, SettingsError};
use crate::sort::TieBreaker;
use crate::target::SearchTarget;
use crate::{aliases, bulk, documents, indexes, positions, request};

/// An engine that is a cluster of OpenSearch or Elasticsearch.
pub struct RemoteEngine {
    client: Arc<ClusterClient>,
    mappings: MappingCache,
    refresh_interval: Duration,
    /// Whether the cluster rejected sorting by `_id`.
    is_id_sort_disabled: AtomicBool,
    /// Whether the index of the positions is known to exist.
    has_positions_index: AtomicBool,
}

impl RemoteEngine {
    /// Makes an engine of a cluster; nothing is sent yet.
    ///
    /// # Errors
    ///
    /// If an address or a certificate cannot be used.
    pub fn new(settings: RemoteSettings) -> Result<Self, SettingsError> {
        let refresh_interval = settings.refresh_interval;
        let client = Arc::new(ClusterClient::new(settings)?);
        Ok(Self {
            client,
            mappings: MappingCache::default(),
            refresh_interval,
            is_id_sort_disabled: AtomicBool::new(false),
            has_positions_index: AtomicBool::new(false),
        })
    }

    async fn target(&self, index: &str, mapping: Arc<IndexMapping>) -> Result<SearchTarget, EngineError> {
        let cluster = self.client.cluster_info().await?;
        let tie =
            if self.is_id_sort_disabled.load(Ordering::Relaxed) { TieBreaker::SequenceNumber } else { TieBreaker::Id };
        let path = request::index_path(index)?;
        let client = Arc::clone(&self.client);
        Ok(SearchTarget { client, index: index.to_owned(), path, mapping, cluster, tie })
    }

    /// Writes a batch, and then its position.
    async fn write_then_position(
        &self,
        index: &str,
        batch: &[WriteOperation],
        position: &str,
        refreshes: bool,
    ) -> Result<BatchReport, EngineError> {
        // The alias may be moved before this is done.
        let concrete = positions::resolve(&self.client, index).await?;
        if !self.has_positions_index.load(Ordering::Relaxed) {
            positions::ensure_index(&self.client).await?;
            self.has_positions_index.store(true, Ordering::Relaxed);
        }
        let report = match batch.is_empty() {
            true => BatchReport::default(),
            false => bulk::write(&self.client, &concrete.name, batch, refreshes).await?,
        };
        concrete.set_position(&self.client, position).await?;
        Ok(report)
    }

    /// Runs something with the cached mapping of an index, and again if it fails because the mapping has changed or
    /// because the cluster does not sort by `_id`.
    async fn with_target<T, F>(&self, index: &str, work: impl Fn(SearchTarget) -> F) -> Result<T, EngineError>
    where
        F: Future<Output = Result<T, EngineError>>,
    {
        let mapping = self.mappings.cached_or_fetch(&self.client, index).await?;
        let failure = match work(self.target(index, Arc::clone(&mapping)).await?).await {
            Ok(done) => return Ok(done),
            Err(failure) => failure,
        };
        if is_id_sort_disabled(&failure) {
            if !self.is_id_sort_disabled.swap(true, Ordering::Relaxed) {
                tracing::warn!(
                    "the search engine does not sort by ids (indices.id_field_data.enabled); records that are equal \
                     in all keys come in the order in which they were written"
                );
            }
            return work(self.target(index, mapping).await?).await;
        }
        match failure {
            EngineError::IndexNotFound(_) => self.mappings.invalidate(index),
            EngineError::Failed(_) | EngineError::Rejected(_) => {
                let current = self.mappings.fetch(&self.client, index).await?;
                if !Arc::ptr_eq(&current, &mapping) {
                    return work(self.target(index, current).await?).await;
                }
            }
            _ => {}
        }
        Err(failure)
    }
}

#[async_trait]
impl IndexReader for RemoteEngine {
    async fn mapping(&self, index: &str) -> Result<Arc<IndexMapping>, EngineError> {
        self.mappings.fetch(&self.client, index).await
    }

    async fn search(&self, index: &str, plan: Arc<SearchPlan>) -> Result<SearchResponse, EngineError> {
        self.with_target(index, |target| {
            let plan = Arc::clone(&plan);
            async move { target.run(&plan).await }
        })
        .await
    }

    async fn export(&self, index: &str, request: ExportRequest) -> Result<Box<dyn ExportStream>, EngineError> {
        let export = self.with_target(index, |target| RemoteExport::begin(target, request.clone())).await?;
        Ok(Box::new(export))
    }

    async fn document(&self, index: &str, id: &str) -> Result<Option<Document>, EngineError> {
        documents::document(&self.client, index, id).await
    }
}

#[async_trait]
impl IndexWriter for RemoteEngine {
    async fn write(&self, index: &str, batch: Vec<WriteOperation>) -> BatchOutcome {
        bulk::write(&self.client, index, &batch, true).await
    }

    async fn write_with_position(&self, index: &str, batch: Vec<WriteOperation>, position: &str) -> BatchOutcome {
        self.write_then_position(index, &batch, position, true).await
    }

    async fn write_unrefreshed(&self, index: &str, batch: Vec<WriteOperation>, position: &str) -> BatchOutcome {
        self.write_then_position(index, &batch, position, false).await
    }

    async fn refresh(&self, index: &str) -> Result<(), EngineError> {
        bulk::refresh(&self.client, index).await
    }

    fn refresh_interval(&self) -> Duration {
        self.refresh_interval
    }

    async fn position(&self, index: &str) -> Result<Option<String>, EngineError> {
        positions::resolve(&self.client, index).await?.position(&self.client).await
    }
}

#[async_trait]
impl IndexAdmin for RemoteEngine {
    async fn create_index(&self, index: &str, mapping: Option<&Value>) -> Result<(), EngineError> {
        indexes::create(&self.client, index, mapping).await
    }

    async fn delete_index(&self, index: &str) -> Result<(), EngineError> {
        self.mappings.invalidate(index);
        let concrete = positions::resolve(&self.client, index).await?;
        indexes::delete(&self.client, index).await?;
        concrete.delete_position(&self.client).await;
        Ok(())
    }

    async fn indexes(&self) -> Result<Vec<IndexSummary>, EngineError> {
        indexes::list(&self.client).await
    }

    async fn extend_mapping(&self, index: &str, mapping: &Value) -> Result<(), EngineError> {
        indexes::extend(&self.client, index, mapping).await?;
        self.mappings.invalidate(index);
        Ok(())
    }

    async fn aliases(&self) -> Result<Vec<Alias>, EngineError> {
        aliases::list(&self.client).await
    }

    async fn change_aliases(&self, changes: &[AliasChange]) -> Result<(), EngineError> {
        aliases::change(&self.client, changes).await?;
        for change in changes {
            let (AliasChange::Add { alias, .. } | AliasChange::Remove { alias, .. }) = change;
            self.mappings.invalidate(alias);
        }
        Ok(())
    }
}
