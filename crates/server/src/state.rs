//! What every handler can reach.

use std::sync::Arc;

use cantata_metadata::MetadataService;
use tokio::sync::watch;

use crate::HttpSettings;

/// The services and settings behind the routes; clones share them.
#[derive(Clone)]
pub(crate) struct AppState {
    pub(crate) metadata: Arc<MetadataService>,
    pub(crate) settings: Arc<HttpSettings>,
    stopping: Arc<watch::Sender<bool>>,
}

impl AppState {
    pub(crate) fn new(metadata: Arc<MetadataService>, settings: HttpSettings) -> Self {
        Self { metadata, settings: Arc::new(settings), stopping: Arc::new(watch::Sender::new(false)) }
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
