//! The event feed: all events after a number, in order, then new ones.

use std::sync::Arc;

use cantata_core::{Event, Result};
use cantata_store::{Store, StoreError};
use tokio::sync::watch;

use crate::MetadataService;

/// How many events are read at once.
const BATCH_EVENTS: usize = 64;

/// Follows the events of the store.
///
/// The consumer keeps its position: it misses no event and gets none twice, across any number of connections and
/// restarts.
pub struct EventStream {
    store: Arc<dyn Store>,
    server_id: String,
    position: u64,
    latest: watch::Receiver<u64>,
}

/// An event as it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamedEvent {
    /// Its number.
    pub seq: u64,
    /// The study of its analysis.
    pub study_id: String,
    /// Its message.
    pub message: String,
}

impl MetadataService {
    /// Follows the events numbered above `after`.
    pub fn events_after(&self, after: u64) -> EventStream {
        EventStream {
            store: Arc::clone(&self.store),
            server_id: self.settings.server_id.clone(),
            position: after,
            latest: self.store.latest_event(),
        }
    }
}

impl EventStream {
    /// Returns the next events there are; none when there are no more yet.
    pub async fn next_batch(&mut self) -> Result<Vec<StreamedEvent>> {
        let events = match self.store.events_after(self.position, BATCH_EVENTS).await {
            // What comes before the damage is whole.
            Err(StoreError::Corrupt { .. }) => self.store.events_after(self.position, 1).await?,
            events => events?,
        };
        self.position = events.last().map_or(self.position, |event| event.seq);
        let streamed = |event: &Event| -> Result<StreamedEvent> {
            Ok(StreamedEvent { seq: event.seq, study_id: event.study_id.clone(), message: self.message(event)? })
        };
        events.iter().map(streamed).collect()
    }

    /// Waits until there is an event after the position; returns false when there will be none because the store
    /// stops.
    pub async fn wait_for_event(&mut self) -> bool {
        let position = self.position;
        self.latest.wait_for(|latest| *latest > position).await.is_ok()
    }

    fn message(&self, event: &Event) -> Result<String> {
        let corrupt = |error: serde_json::Error| StoreError::corrupt(format!("event {}", event.seq), error);
        Ok(event.message(&self.server_id).map_err(corrupt)?)
    }
}
