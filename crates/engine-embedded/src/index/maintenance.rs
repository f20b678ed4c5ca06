//! Flushes and merges run in the background, so their errors reach no request.
//!
//! An error is kept until the same work succeeds: a health check says so, and has the work tried again. Without that an index
//! that is not written to any more would never be merged, and one whose merges all fail would grow slower unnoticed. The index
//! is read and written meanwhile. A merge that fills the disk takes the space of everybody else each time that it is tried, so
//! the interval between attempts doubles with each failure.

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use cantata_engine::EngineError;

use super::Index;
use crate::retry_pace::{Attempt, RetryPace};

/// The longest interval between attempts.
const MAX_RETRY_INTERVAL: Duration = Duration::from_secs(10 * 60);

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
            retry_pace: RetryPace::with_backoff(retry_interval, retry_interval.max(MAX_RETRY_INTERVAL)),
        }
    }

    /// Keeps the outcome of a flush or merge, given where its error is kept.
    pub(super) fn noted(
        &self,
        failure: &ArcSwapOption<EngineError>,
        outcome: Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        match &outcome {
            Ok(()) => {
                failure.store(None);
                if self.failure().is_none() {
                    self.retry_pace.note_success();
                }
            }
            Err(error @ (EngineError::Failed(_) | EngineError::NotWritable(_))) => {
                failure.store(Some(Arc::new(error.clone())));
                self.retry_pace.note_failure();
            }
            // That it is deleted or damaged is known elsewhere.
            Err(_) => {}
        }
        outcome
    }

    fn failure(&self) -> Option<EngineError> {
        let failures = [&self.flush_failure, &self.merge_failure];
        failures.into_iter().find_map(|failure| failure.load().as_deref().cloned())
    }
}

impl Index {
    /// Returns why the last flush or merge failed; nothing if both succeeded.
    pub(crate) fn maintenance_failure(&self) -> Option<EngineError> {
        self.maintenance.failure()
    }

    /// Returns whether a flush or merge can be begun: none has failed a moment ago.
    pub(crate) fn is_maintenance_due(&self) -> bool {
        self.maintenance_failure().is_none() || self.maintenance.retry_pace.is_due()
    }

    /// Begins to try a failed flush or merge again, unless that was tried a moment ago.
    pub(crate) fn try_begin_maintenance(&self) -> Option<Attempt> {
        self.maintenance.retry_pace.try_begin()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::OpenContext;
    use crate::test_index::{create_index, put};

    #[test]
    fn writes_do_not_begin_a_merge_that_failed_a_moment_ago() {
        let (_folder, index) = create_index(None, &OpenContext::new(Duration::MAX));
        for number in 0..20 {
            index.write(&[put(&number.to_string())], None).unwrap();
        }
        let failed = Err(EngineError::NotWritable("the disk is full".to_owned()));
        let Maintenance { flush_failure, merge_failure, .. } = &index.maintenance;
        assert_eq!(index.maintenance.noted(merge_failure, failed.clone()), failed);
        assert!(!index.claim_maintenance());
        index.maintenance.noted(flush_failure, Ok(())).unwrap();
        assert_eq!(index.maintenance_failure(), failed.clone().err(), "a flush is not a merge");
        assert!(!index.claim_maintenance());
        index.maintenance.noted(merge_failure, Ok(())).unwrap();
        assert!(index.claim_maintenance());
    }
}
