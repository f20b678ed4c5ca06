//! Housekeeping of the store: what has ended is removed, and what removed records leave is purged. Every server does it; what
//! one has done, another finds done.

use std::sync::Arc;
use std::time::Duration;

use cantata_core::{Timestamp, error_chain};
use cantata_server::AccessControl;
use cantata_store::{RecordPurge, Store};
use tokio::task::JoinHandle;

/// How often. A removed record is purged between one and two intervals after its removal.
const INTERVAL: Duration = Duration::from_secs(3_600);

/// Starts it; it runs until it is aborted.
pub(super) fn start_housekeeping(store: Arc<dyn Store>, access: Arc<AccessControl>) -> JoinHandle<()> {
    tokio::spawn(async move {
        let mut purge = RecordPurge::default();
        loop {
            access.authenticator.remove_ended(Timestamp::now()).await;
            if let Err(error) = purge.run(&*store).await {
                tracing::warn!(error = error_chain(&error), "removed records could not be purged; it is tried again");
            }
            tokio::time::sleep(INTERVAL).await;
        }
    })
}
