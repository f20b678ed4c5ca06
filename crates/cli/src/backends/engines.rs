//! The engines behind the catalogues: the embedded one, and one for each cluster.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use cantata_catalogue::{ClusterConnection, EngineChoice, EngineName};
use cantata_engine::SearchEngine;
use cantata_engine_embedded::EmbeddedEngine;
use cantata_engine_remote::{Product, RemoteEngine, RemoteSettings, SettingsError};
use cantata_search::{EngineProvider, EngineSetupError};
use cantata_store::Store;

/// All engines. Catalogues with the same cluster settings share its connections, which close with the last of them.
pub(crate) struct EngineRegistry {
    embedded: Arc<EmbeddedEngine>,
    store: Arc<dyn Store>,
    clusters: Mutex<HashMap<ClusterConnection, Weak<RemoteEngine>>>,
}

impl EngineRegistry {
    /// Creates a registry without clusters; saved sets are in the store.
    pub(crate) fn new(embedded: Arc<EmbeddedEngine>, store: Arc<dyn Store>) -> Self {
        Self { embedded, store, clusters: Mutex::default() }
    }
}

impl EngineProvider for EngineRegistry {
    fn engine(&self, choice: &EngineChoice) -> Result<Arc<dyn SearchEngine>, EngineSetupError> {
        let connection = match choice {
            EngineChoice::Embedded => return Ok(Arc::clone(&self.embedded) as Arc<dyn SearchEngine>),
            EngineChoice::Remote(connection) => connection,
        };
        let mut clusters = self.clusters.lock().unwrap_or_else(PoisonError::into_inner);
        clusters.retain(|_, engine| engine.strong_count() > 0);
        if let Some(engine) = clusters.get(&**connection).and_then(Weak::upgrade) {
            return Ok(engine);
        }
        let engine = Arc::new(remote_engine(connection).map_err(|error| EngineSetupError(error.into()))?);
        clusters.insert((**connection).clone(), Arc::downgrade(&engine));
        Ok(engine)
    }

    fn set_store(&self) -> Option<Arc<dyn Store>> {
        Some(Arc::clone(&self.store))
    }
}

/// Creates the engine of a cluster; nothing is sent yet.
pub(crate) fn remote_engine(connection: &ClusterConnection) -> Result<RemoteEngine, SettingsError> {
    let settings = RemoteSettings {
        hosts: connection.hosts.iter().map(|host| host.reveal().to_owned()).collect(),
        product: connection.product.and_then(|name| match name {
            EngineName::OpenSearch => Some(Product::OpenSearch),
            EngineName::Elasticsearch => Some(Product::Elasticsearch),
            EngineName::Embedded => None,
        }),
        credentials: connection.credentials.clone(),
        ca_certificate: connection.ca_certificate.clone(),
        timeout: connection.timeout,
        refresh_interval: connection.refresh_interval,
    };
    RemoteEngine::new(settings)
}
