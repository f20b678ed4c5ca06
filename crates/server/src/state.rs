//! What every handler can reach.

use std::sync::Arc;

use cantata_metadata::MetadataService;
use tokio::sync::watch;

use crate::limits::Limits;
use crate::{AccessControl, HttpSettings};

/// The services and settings behind the routes; clones share them.
#[derive(Clone)]
pub(crate) struct AppState {
    pub(crate) metadata: Arc<MetadataService>,
    pub(crate) settings: Arc<HttpSettings>,
    pub(crate) limits: Arc<Limits>,
    pub(crate) access: Arc<AccessControl>,
    stopping: Arc<watch::Sender<bool>>,
}

impl AppState {
    pub(crate) fn new(metadata: Arc<MetadataService>, access: Arc<AccessControl>, settings: HttpSettings) -> Self {
        let limits = Arc::new(Limits::new(&settings.limits));
        Self { metadata, settings: Arc::new(settings), limits, access, stopping: Arc::new(watch::Sender::new(false)) }
    }

    /// Tells answers that would never end that they should.
    pub(crate) fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Waits until the server stops.
    pub(crate) async fn stopped(&self) {
        // The sender lives in self, so waiting cannot fail.
        let _ = self.stopping.subscribe().wait_for(|stopping| *stopping).await;
    }
}
