//! What was written to an index and may not be visible yet.
//!
//! A cluster shows what was written after a refresh, which costs it much more than the write. So a change after a pause is
//! refreshed at once, and those that follow soon are refreshed together, once in an interval. Meanwhile:
//!
//! * no position is published while something before it is unrefreshed;
//! * no batch looks up the documents of an analysis that is unrefreshed: it would miss those that it must delete. What was
//!   written of others does not matter, since a document belongs to one analysis.
//!
//! What another process has left unrefreshed is not known here, so an index is refreshed when it is opened.

use std::time::{Duration, Instant};

use hashbrown::HashSet;

/// So many analyses are refreshed before the interval is over.
const MAX_ANALYSES: usize = 10_000;

/// What was written to one index since its last refresh.
#[derive(Debug, Default)]
pub(crate) struct Unrefreshed {
    /// When it was refreshed because of a write.
    refreshed: Option<Instant>,
    /// The analyses that were written since.
    analyses: HashSet<String>,
    /// Whether a write failed since, of which parts may have been written.
    has_failed: bool,
}

impl Unrefreshed {
    /// Records a refresh.
    pub(crate) fn record_refresh(&mut self, now: Instant) {
        *self = Self { refreshed: Some(now), ..Self::default() };
    }

    /// Records a write without a refresh.
    pub(crate) fn record_write(&mut self, analyses: &HashSet<String>) {
        self.analyses.extend(analyses.iter().cloned());
    }

    /// Records a write that failed.
    pub(crate) fn record_failure(&mut self) {
        self.has_failed = true;
    }

    /// Returns whether everything is visible.
    pub(crate) fn is_empty(&self) -> bool {
        self.analyses.is_empty() && !self.has_failed
    }

    /// Returns whether a look-up of these analyses could miss documents.
    pub(crate) fn hides(&self, analyses: &HashSet<String>) -> bool {
        if self.has_failed { !analyses.is_empty() } else { !self.analyses.is_disjoint(analyses) }
    }

    /// Returns whether the next write goes without a refresh. It must while something is unrefreshed: a write refreshes only
    /// the shards that it changes.
    pub(crate) fn defers(&self, interval: Duration, now: Instant) -> bool {
        !self.is_empty() || self.refreshed.is_some_and(|refreshed| now.saturating_duration_since(refreshed) < interval)
    }

    /// Returns when the index must be refreshed; nothing if it need not be.
    pub(crate) fn due(&self, interval: Duration, now: Instant) -> Option<Instant> {
        if self.is_empty() {
            return None;
        }
        let waits = !self.has_failed && self.analyses.len() < MAX_ANALYSES;
        Some(self.refreshed.filter(|_| waits).map_or(now, |refreshed| refreshed + interval))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERVAL: Duration = Duration::from_secs(1);

    fn analyses(ids: &[&str]) -> HashSet<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    #[test]
    fn a_change_after_a_pause_is_refreshed_at_once_and_those_after_it_together() {
        let begin = Instant::now();
        let after = |millis: u64| begin + Duration::from_millis(millis);
        let mut written = Unrefreshed::default();
        assert!(!written.defers(INTERVAL, begin));
        written.record_refresh(begin);
        assert!(written.is_empty() && written.due(INTERVAL, begin).is_none());
        assert!(written.defers(INTERVAL, after(999)) && !written.defers(INTERVAL, after(1_000)));
        written.record_write(&analyses(&["a"]));
        assert!(!written.is_empty() && written.defers(INTERVAL, after(1_000)));
        assert_eq!(written.due(INTERVAL, after(500)), Some(after(1_000)));
        written.record_refresh(after(1_000));
        assert!(written.is_empty() && written.due(INTERVAL, after(1_000)).is_none());
    }

    #[test]
    fn without_an_interval_every_write_is_refreshed() {
        let now = Instant::now();
        let mut written = Unrefreshed::default();
        written.record_refresh(now);
        assert!(!written.defers(Duration::ZERO, now));
    }

    #[test]
    fn what_was_written_is_looked_up_after_a_refresh_only() {
        let mut written = Unrefreshed::default();
        written.record_write(&analyses(&["a", "b"]));
        assert!(written.hides(&analyses(&["b", "c"])));
        assert!(!written.hides(&analyses(&["c", "d"])) && !written.hides(&analyses(&[])));
        written.record_refresh(Instant::now());
        assert!(!written.hides(&analyses(&["b", "c"])));
    }

    #[test]
    fn nothing_is_known_of_a_write_that_failed() {
        let now = Instant::now();
        let mut written = Unrefreshed::default();
        written.record_refresh(now);
        written.record_failure();
        assert!(!written.is_empty() && written.hides(&analyses(&["c"])) && !written.hides(&analyses(&[])));
        assert!(written.defers(Duration::ZERO, now));
        assert_eq!(written.due(INTERVAL, now), Some(now));
    }

    #[test]
    fn many_analyses_do_not_wait() {
        let now = Instant::now();
        let mut written = Unrefreshed::default();
        written.record_refresh(now);
        written.record_write(&(0..MAX_ANALYSES).map(|id| id.to_string()).collect());
        assert_eq!(written.due(INTERVAL, now), Some(now));
    }
}
