//! The engine itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use cantata_engine::{
    Alias, AliasChange, Answer, BatchReport, Document, EngineError, ExportRequest, Exporting, IndexSummary, Operation,
    Plan, SearchEngine,
};
use cantata_mapping::IndexMapping;
use serde_json::Value;

use crate::connection::Connection;
use crate::export::Export;
use crate::failures::is_about_ids;
use crate::mappings::Mappings;
use crate::search::Searched;
use crate::settings::{RemoteSettings, SettingsError};
use crate::sort::Tie;
use crate::{aliases, calls, documents, indexes, positions, write};

/// An engine that is a cluster of OpenSearch or Elasticsearch.
pub struct RemoteEngine {
    connection: Arc<Connection>,
    mappings: Mappings,
    refresh_at_once: bool,
    /// Whether the cluster has said that it does not sort by ids.
    is_without_ids: AtomicBool,
    /// Whether the index of the positions was seen.
    keeps_positions: AtomicBool,
}

impl RemoteEngine {
    /// Prepares the way to a cluster; nothing is sent yet.
    ///
    /// # Errors
    ///
    /// If an address or a certificate cannot be used.
    pub fn new(settings: RemoteSettings) -> Result<Self, SettingsError> {
        let refresh_at_once = settings.refresh_at_once;
        let connection = Arc::new(Connection::new(settings)?);
        Ok(Self {
            connection,
            mappings: Mappings::default(),
            refresh_at_once,
            is_without_ids: AtomicBool::new(false),
            keeps_positions: AtomicBool::new(false),
        })
    }

    async fn searched(&self, index: &str, mapping: Arc<IndexMapping>) -> Result<Searched, EngineError> {
        let cluster = self.connection.cluster().await?;
        let tie = if self.is_without_ids.load(Ordering::Relaxed) { Tie::Number } else { Tie::Id };
        let path = calls::index_path(index)?;
        let connection = Arc::clone(&self.connection);
        Ok(Searched { connection, index: index.to_owned(), path, mapping, cluster, tie })
    }

    /// Does something with an index as it was seen last; once more if that fails because the index has changed, or
    /// because the cluster does not sort by ids.
    async fn searching<T, F>(&self, index: &str, work: impl Fn(Searched) -> F) -> Result<T, EngineError>
    where
        F: Future<Output = Result<T, EngineError>>,
    {
        let mapping = self.mappings.latest(&self.connection, index).await?;
        let failure = match work(self.searched(index, Arc::clone(&mapping)).await?).await {
            Ok(done) => return Ok(done),
            Err(failure) => failure,
        };
        if is_about_ids(&failure) {
            if !self.is_without_ids.swap(true, Ordering::Relaxed) {
                tracing::warn!(
                    "the search engine does not sort by ids (indices.id_field_data.enabled); records that are equal \
                     in all keys come in the order in which they were written"
                );
            }
            return work(self.searched(index, mapping).await?).await;
        }
        match failure {
            EngineError::IndexNotFound(_) => self.mappings.forget(index),
            EngineError::Failed(_) | EngineError::Refused(_) => {
                let current = self.mappings.fetch(&self.connection, index).await?;
                if !Arc::ptr_eq(&current, &mapping) {
                    return work(self.searched(index, current).await?).await;
                }
            }
            _ => {}
        }
        Err(failure)
    }
}

#[async_trait]
impl SearchEngine for RemoteEngine {
    async fn mapping(&self, index: &str) -> Result<Arc<IndexMapping>, EngineError> {
        self.mappings.fetch(&self.connection, index).await
    }

    async fn search(&self, index: &str, plan: Arc<Plan>) -> Result<Answer, EngineError> {
        self.searching(index, |searched| {
            let plan = Arc::clone(&plan);
            async move { searched.run(&plan).await }
        })
        .await
    }

    async fn export(&self, index: &str, request: ExportRequest) -> Result<Box<dyn Exporting>, EngineError> {
        let export = self.searching(index, |searched| Export::begin(searched, request.clone())).await?;
        Ok(Box::new(export))
    }

    async fn document(&self, index: &str, id: &str) -> Result<Option<Document>, EngineError> {
        documents::document(&self.connection, index, id).await
    }

    async fn create_index(&self, index: &str, mapping: Option<&Value>) -> Result<(), EngineError> {
        indexes::create(&self.connection, index, mapping).await
    }

    async fn delete_index(&self, index: &str) -> Result<(), EngineError> {
        self.mappings.forget(index);
        let physical = positions::physical(&self.connection, index).await?;
        indexes::delete(&self.connection, index).await?;
        physical.forget(&self.connection).await;
        Ok(())
    }

    async fn indexes(&self) -> Result<Vec<IndexSummary>, EngineError> {
        indexes::list(&self.connection).await
    }

    async fn write(&self, index: &str, batch: Vec<Operation>) -> Result<BatchReport, EngineError> {
        write::write(&self.connection, index, &batch, self.refresh_at_once).await
    }

    async fn write_at(&self, index: &str, batch: Vec<Operation>, position: &str) -> Result<BatchReport, EngineError> {
        // An alias may lead elsewhere before this is done.
        let physical = positions::physical(&self.connection, index).await?;
        if !self.keeps_positions.load(Ordering::Relaxed) {
            positions::prepare(&self.connection).await?;
            self.keeps_positions.store(true, Ordering::Relaxed);
        }
        let report = match batch.is_empty() {
            true => BatchReport::default(),
            false => write::write(&self.connection, &physical.name, &batch, self.refresh_at_once).await?,
        };
        physical.note(&self.connection, position).await?;
        Ok(report)
    }

    async fn position(&self, index: &str) -> Result<Option<String>, EngineError> {
        positions::physical(&self.connection, index).await?.position(&self.connection).await
    }

    async fn extend_mapping(&self, index: &str, mapping: &Value) -> Result<(), EngineError> {
        indexes::extend(&self.connection, index, mapping).await?;
        self.mappings.forget(index);
        Ok(())
    }

    async fn aliases(&self) -> Result<Vec<Alias>, EngineError> {
        aliases::list(&self.connection).await
    }

    async fn change_aliases(&self, changes: &[AliasChange]) -> Result<(), EngineError> {
        aliases::change(&self.connection, changes).await?;
        for change in changes {
            let (AliasChange::Add { alias, .. } | AliasChange::Remove { alias, .. }) = change;
            self.mappings.forget(alias);
        }
        Ok(())
    }
}
