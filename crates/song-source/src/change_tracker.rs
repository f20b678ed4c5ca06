//! Detects changes between polls of a server, and numbers them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The analyses of a server as of the last poll.
#[derive(Debug, Default)]
pub(crate) struct ChangeTracker {
    analyses: HashMap<String, TrackedAnalysis>,
    /// Every analysis by the number of its last change.
    order: BTreeSet<(u64, String)>,
    last: u64,
    /// Whether all analyses were polled once, so that an unknown one is new.
    pub(crate) is_complete: bool,
}

#[derive(Debug, Clone)]
struct TrackedAnalysis {
    change: u64,
    study: String,
    /// That of the document; nothing once the analysis is gone.
    fingerprint: Option<u64>,
}

/// A change between two polls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DetectedChange {
    pub(crate) change: u64,
    pub(crate) analysis_id: String,
    pub(crate) study: String,
    pub(crate) is_gone: bool,
}

impl ChangeTracker {
    /// Returns the number of the last change.
    pub(crate) fn last(&self) -> u64 {
        self.last
    }

    /// Records an analysis of the first snapshot, which is no change.
    pub(crate) fn seed(&mut self, analysis_id: &str, study: &str, document: &str) {
        self.insert(analysis_id, study, Some(fingerprint(document)), 0);
    }

    /// Records an analysis; it is a change if it differs from the poll before.
    pub(crate) fn record(&mut self, analysis_id: &str, study: &str, document: &str) {
        let fingerprint = Some(fingerprint(document));
        if self.analyses.get(analysis_id).is_none_or(|tracked| tracked.fingerprint != fingerprint) {
            self.last += 1;
            self.insert(analysis_id, study, fingerprint, self.last);
        }
    }

    /// Records that an analysis is gone.
    pub(crate) fn record_gone(&mut self, analysis_id: &str) {
        let Some(tracked) = self.analyses.get(analysis_id).filter(|tracked| tracked.fingerprint.is_some()) else {
            return;
        };
        let study = tracked.study.clone();
        self.last += 1;
        self.insert(analysis_id, &study, None, self.last);
    }

    fn insert(&mut self, analysis_id: &str, study: &str, fingerprint: Option<u64>, change: u64) {
        let tracked = TrackedAnalysis { change, study: study.to_owned(), fingerprint };
        if let Some(before) = self.analyses.insert(analysis_id.to_owned(), tracked) {
            self.order.remove(&(before.change, analysis_id.to_owned()));
        }
        self.order.insert((change, analysis_id.to_owned()));
    }

    /// Returns the known analyses that are not among these, with their studies.
    pub(crate) fn missing_from(&self, present: &HashSet<String>) -> Vec<(String, String)> {
        let is_missed =
            |(id, tracked): &(&String, &TrackedAnalysis)| tracked.fingerprint.is_some() && !present.contains(*id);
        self.analyses.iter().filter(is_missed).map(|(id, tracked)| (id.clone(), tracked.study.clone())).collect()
    }

    /// Returns the number of changes after one, or of all.
    pub(crate) fn count_after(&self, change: Option<u64>) -> usize {
        self.order.range((first_after(change), String::new())..).count()
    }

    /// Returns the first changes after one, or of all. Seeded analyses are returned at once, since they have one number.
    pub(crate) fn after(&self, change: Option<u64>, limit: usize) -> Vec<DetectedChange> {
        let mut found: Vec<DetectedChange> = Vec::new();
        for (change, analysis_id) in self.order.range((first_after(change), String::new())..) {
            if found.len() >= limit && found.last().is_some_and(|last| last.change != *change) {
                break;
            }
            let Some(tracked) = self.analyses.get(analysis_id) else { continue };
            found.push(DetectedChange {
                change: *change,
                analysis_id: analysis_id.clone(),
                study: tracked.study.clone(),
                is_gone: tracked.fingerprint.is_none(),
            });
        }
        found
    }
}

fn first_after(change: Option<u64>) -> u64 {
    change.map_or(0, |change| change.saturating_add(1))
}

fn fingerprint(document: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    document.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(tracker: &ChangeTracker, after: Option<u64>) -> Vec<String> {
        tracker.after(after, 10).into_iter().map(|found| found.analysis_id).collect()
    }

    #[test]
    fn only_what_differs_is_a_change_and_the_last_one_counts() {
        let mut tracker = ChangeTracker::default();
        tracker.seed("a", "S", "1");
        tracker.seed("b", "S", "1");
        assert_eq!((tracker.last(), ids(&tracker, Some(0)).len()), (0, 0));
        assert_eq!(ids(&tracker, None), ["a", "b"]);
        tracker.record("a", "S", "1");
        tracker.record("b", "S", "2");
        tracker.record("c", "S", "1");
        assert_eq!(ids(&tracker, Some(0)), ["b", "c"]);
        tracker.record("b", "S", "3");
        assert_eq!(ids(&tracker, Some(0)), ["c", "b"]);
        assert_eq!(ids(&tracker, Some(2)), ["b"]);
        assert_eq!((tracker.count_after(Some(2)), tracker.count_after(None)), (1, 3));
    }

    #[test]
    fn what_is_gone_is_a_change_once_and_may_come_back() {
        let mut tracker = ChangeTracker::default();
        tracker.record("a", "S", "1");
        let present = HashSet::new();
        assert_eq!(tracker.missing_from(&present), [("a".to_owned(), "S".to_owned())]);
        tracker.record_gone("a");
        tracker.record_gone("a");
        assert_eq!(tracker.last(), 2);
        assert!(tracker.after(Some(1), 1)[0].is_gone);
        assert_eq!(tracker.missing_from(&present), []);
        tracker.record("a", "S", "1");
        assert!(!tracker.after(Some(2), 1)[0].is_gone);
    }
}
