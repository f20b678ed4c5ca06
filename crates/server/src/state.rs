//! The state that handlers and layers share.

use std::ops::Deref;
use std::sync::Arc;

use cantata_indexing::Indexing;
use cantata_metadata::MetadataService;
use tokio::sync::watch;

use crate::limits::Limits;
use crate::metrics::Metrics;
use crate::{AccessControl, HttpSettings};

/// The services and settings behind the routes; clones share them.
#[derive(Clone)]
pub(crate) struct AppState(Arc<SharedState>);

/// What an [`AppState`] gives access to.
pub(crate) struct SharedState {
    pub(crate) metadata: Arc<MetadataService>,
    pub(crate) settings: Arc<HttpSettings>,
    pub(crate) limits: Limits,
    pub(crate) access: Arc<AccessControl>,
    pub(crate) metrics: Arc<Metrics>,
    stopping: Arc<watch::Sender<bool>>,
}

impl Deref for AppState {
    type Target = SharedState;

    fn deref(&self) -> &SharedState {
        &self.0
    }
}

impl AppState {
    pub(crate) fn new(metadata: Arc<MetadataService>, access: Arc<AccessControl>, settings: HttpSettings) -> Self {
        let limits = Limits::new(&settings.limits);
        let metrics = Arc::new(Metrics::new());
        let stopping = Arc::new(watch::Sender::new(false));
        Self(Arc::new(SharedState { metadata, settings: Arc::new(settings), limits, access, metrics, stopping }))
    }

    /// Tells streams that never end by themselves to end.
    pub(crate) fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Adds the service that keeps indexes up to date.
    pub(crate) fn with_indexing(&self, indexing: Arc<Indexing>) -> IndexingState {
        IndexingState { indexing, stopping: Arc::clone(&self.stopping) }
    }

    /// Waits until the server stops.
    pub(crate) async fn stopped(&self) {
        stopped(&self.stopping).await;
    }
}

/// The state of the handlers of indexing.
#[derive(Clone)]
pub(crate) struct IndexingState {
    pub(crate) indexing: Arc<Indexing>,
    stopping: Arc<watch::Sender<bool>>,
}

impl IndexingState {
    /// Waits until the server stops.
    pub(crate) async fn stopped(&self) {
        stopped(&self.stopping).await;
    }
}

async fn stopped(stopping: &watch::Sender<bool>) {
    // The sender is here, so waiting cannot fail.
    let _ = stopping.subscribe().wait_for(|stopping| *stopping).await;
}
