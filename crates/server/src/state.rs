//! The state that handlers and layers share.

use std::sync::Arc;

use cantata_core::Error;
use cantata_indexing::Indexing;
use cantata_metadata::MetadataService;
use http::{HeaderMap, header};
use tokio::sync::watch;

use crate::limits::Limits;
use crate::metrics::Metrics;
use crate::shared_check::SharedCheck;
use crate::{AccessControl, HttpSettings};

/// The state of most handlers; a request clones no more than one `Arc`.
pub(crate) type AppState = Arc<SharedState>;

/// The services and settings behind the routes.
pub(crate) struct SharedState {
    pub(crate) metadata: Arc<MetadataService>,
    pub(crate) settings: Arc<HttpSettings>,
    pub(crate) limits: Limits,
    pub(crate) access: Arc<AccessControl>,
    pub(crate) metrics: Arc<Metrics>,
    health_check: SharedCheck<Result<(), Error>>,
    stopping: watch::Sender<bool>,
}

impl SharedState {
    pub(crate) fn new(metadata: Arc<MetadataService>, access: Arc<AccessControl>, settings: HttpSettings) -> Self {
        let limits = Limits::new(&settings.limits);
        let metrics = Arc::new(Metrics::new());
        let stopping = watch::Sender::new(false);
        let health_check = SharedCheck::default();
        Self { metadata, settings: Arc::new(settings), limits, access, metrics, health_check, stopping }
    }

    /// Returns the path below which the sender of a request has the server; empty where it has the whole host.
    pub(crate) fn base_path(&self, headers: &HeaderMap) -> &str {
        self.settings.public_address.base_path(headers.get(header::HOST))
    }

    /// Checks that the store can be read and that it takes writes; one check at a time, for all who ask.
    ///
    /// # Errors
    ///
    /// Why it cannot.
    pub(crate) async fn check_store(&self) -> Result<(), Error> {
        let metadata = Arc::clone(&self.metadata);
        self.health_check.run(async move { metadata.check_health().await }).await
    }

    /// Tells streams that never end by themselves to end.
    pub(crate) fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Waits until the server stops.
    pub(crate) async fn stopped(&self) {
        // The sender is here, so waiting cannot fail.
        let _ = self.stopping.subscribe().wait_for(|stopping| *stopping).await;
    }
}

/// The state of the handlers of indexing.
#[derive(Clone)]
pub(crate) struct IndexingState {
    pub(crate) app: AppState,
    pub(crate) indexing: Arc<Indexing>,
}
