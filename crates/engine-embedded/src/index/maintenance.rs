//! Flushes and merges run in the background, so their errors reach no request.
//!
//! An error is kept until the same work succeeds: a health check says so, and has the work tried again. Without that an index
//! that is not written to any more would never be merged, and one whose merges all fail would grow slower unnoticed.

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use cantata_engine::EngineError;

use super::Index;
use crate::retry_pace::{Attempt, RetryPace};

/// How the maintenance of an index went.
pub(super) struct Maintenance {
    /// Why the last flush failed; nothing if it did not.
    pub(super) flush_failure: ArcSwapOption<EngineError>,
    /// Why the last merge of segment files failed; nothing if it did not.
    pub(super) merge_failure: ArcSwapOption<EngineError>,
    /// When maintenance that failed is tried again.
    retry_pace: Arc<RetryPace>,
}

impl Maintenance {
    pub(super) fn new(retry_interval: Duration) -> Self {
        Self {
            flush_failure: ArcSwapOption::empty(),
            merge_failure: ArcSwapOption::empty(),
            retry_pace: RetryPace::new(retry_interval),
        }
    }
}

/// Keeps the outcome of a flush or merge.
pub(super) fn noted(failure: &ArcSwapOption<EngineError>, outcome: Result<(), EngineError>) -> Result<(), EngineError> {
    match &outcome {
        Ok(()) => failure.store(None),
        Err(error @ (EngineError::Failed(_) | EngineError::NotWritable(_))) => {
            failure.store(Some(Arc::new(error.clone())));
        }
        // That it is deleted or damaged is known elsewhere.
        Err(_) => {}
    }
    outcome
}

impl Index {
    /// Returns why the last flush or merge failed; nothing if both succeeded.
    pub(crate) fn maintenance_failure(&self) -> Option<EngineError> {
        let Maintenance { flush_failure, merge_failure, .. } = &self.maintenance;
        [flush_failure, merge_failure].into_iter().find_map(|failure| failure.load().as_deref().cloned())
    }

    /// Begins to try a failed flush or merge again, unless that was tried a moment ago.
    pub(crate) fn try_begin_maintenance(&self) -> Option<Attempt> {
        self.maintenance.retry_pace.try_begin()
    }
}
