//! The thread that writes frozen batches into the lookup database.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use cantata_store::{Result, StoreError};

use super::database::LookupDatabase;
use super::shared::Shared;

/// How long to wait before a batch that could not be written is tried again.
const RETRY_PAUSE: Duration = Duration::from_secs(1);

pub(crate) struct Applier {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Applier {
    pub(crate) fn start(mut database: LookupDatabase, shared: Arc<Shared>) -> Result<Self> {
        let batches = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("store-lookup".to_owned())
            .spawn(move || {
                while let Some(batch) = batches.next_batch() {
                    let sorted = batch.sorted();
                    while let Err(error) = database.apply(sorted.iter().copied()) {
                        tracing::error!(%error, "the file lookup could not be written; trying again");
                        if batches.is_stopping() {
                            return;
                        }
                        std::thread::sleep(RETRY_PAUSE);
                    }
                    batches.thaw(database.runs());
                }
            })
            .map_err(|error| StoreError::failed("starting the lookup thread", error))?;
        Ok(Self { shared, thread: Some(thread) })
    }
}

impl Drop for Applier {
    fn drop(&mut self) {
        self.shared.stop();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the store's lookup thread panicked");
        }
    }
}
