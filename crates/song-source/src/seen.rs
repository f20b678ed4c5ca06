//! What a server was seen to have, and in which order changes of it were found.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The analyses that were seen.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    analyses: HashMap<String, Sight>,
    /// Every analysis by the number of its last change.
    order: BTreeSet<(u64, String)>,
    last: u64,
    /// Whether everything was seen once, so that what is not known is new.
    pub(crate) is_whole: bool,
}

#[derive(Debug, Clone)]
struct Sight {
    change: u64,
    study: String,
    /// Of the document; nothing once the analysis is gone.
    fingerprint: Option<u64>,
}

/// A change that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) change: u64,
    pub(crate) analysis_id: String,
    pub(crate) study: String,
    pub(crate) is_gone: bool,
}

impl Seen {
    /// Returns the number of the last change.
    pub(crate) fn last(&self) -> u64 {
        self.last
    }

    /// Notes an analysis as it was before anybody asked for changes.
    pub(crate) fn begin_with(&mut self, analysis_id: &str, study: &str, document: &str) {
        self.note(analysis_id, study, Some(fingerprint(document)), 0);
    }

    /// Notes an analysis; it is a change if it was another one before.
    pub(crate) fn see(&mut self, analysis_id: &str, study: &str, document: &str) {
        let fingerprint = Some(fingerprint(document));
        if self.analyses.get(analysis_id).is_none_or(|sight| sight.fingerprint != fingerprint) {
            self.last += 1;
            self.note(analysis_id, study, fingerprint, self.last);
        }
    }

    /// Notes that an analysis is not there any more.
    pub(crate) fn miss(&mut self, analysis_id: &str) {
        let Some(sight) = self.analyses.get(analysis_id).filter(|sight| sight.fingerprint.is_some()) else { return };
        let study = sight.study.clone();
        self.last += 1;
        self.note(analysis_id, &study, None, self.last);
    }

    fn note(&mut self, analysis_id: &str, study: &str, fingerprint: Option<u64>, change: u64) {
        let sight = Sight { change, study: study.to_owned(), fingerprint };
        if let Some(before) = self.analyses.insert(analysis_id.to_owned(), sight) {
            self.order.remove(&(before.change, analysis_id.to_owned()));
        }
        self.order.insert((change, analysis_id.to_owned()));
    }

    /// Returns the analyses that were there and are not among these, with their studies.
    pub(crate) fn not_among(&self, present: &HashSet<String>) -> Vec<(String, String)> {
        let is_missed = |(id, sight): &(&String, &Sight)| sight.fingerprint.is_some() && !present.contains(*id);
        self.analyses.iter().filter(is_missed).map(|(id, sight)| (id.clone(), sight.study.clone())).collect()
    }

    /// Returns how many changes come after one, or after the beginning.
    pub(crate) fn count_after(&self, change: Option<u64>) -> usize {
        self.order.range((first_after(change), String::new())..).count()
    }

    /// Returns the first changes after one, or after the beginning. Those that begin with are all given at once, since
    /// they have one number.
    pub(crate) fn after(&self, change: Option<u64>, limit: usize) -> Vec<Found> {
        let mut found: Vec<Found> = Vec::new();
        for (change, analysis_id) in self.order.range((first_after(change), String::new())..) {
            if found.len() >= limit && found.last().is_some_and(|last| last.change != *change) {
                break;
            }
            let Some(sight) = self.analyses.get(analysis_id) else { continue };
            found.push(Found {
                change: *change,
                analysis_id: analysis_id.clone(),
                study: sight.study.clone(),
                is_gone: sight.fingerprint.is_none(),
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

    fn ids(seen: &Seen, after: Option<u64>) -> Vec<String> {
        seen.after(after, 10).into_iter().map(|found| found.analysis_id).collect()
    }

    #[test]
    fn only_what_differs_is_a_change_and_the_last_one_counts() {
        let mut seen = Seen::default();
        seen.begin_with("a", "S", "1");
        seen.begin_with("b", "S", "1");
        assert_eq!((seen.last(), ids(&seen, Some(0)).len()), (0, 0));
        assert_eq!(ids(&seen, None), ["a", "b"]);
        seen.see("a", "S", "1");
        seen.see("b", "S", "2");
        seen.see("c", "S", "1");
        assert_eq!(ids(&seen, Some(0)), ["b", "c"]);
        seen.see("b", "S", "3");
        assert_eq!(ids(&seen, Some(0)), ["c", "b"]);
        assert_eq!(ids(&seen, Some(2)), ["b"]);
        assert_eq!((seen.count_after(Some(2)), seen.count_after(None)), (1, 3));
    }

    #[test]
    fn what_is_gone_is_a_change_once_and_may_come_back() {
        let mut seen = Seen::default();
        seen.see("a", "S", "1");
        let present = HashSet::new();
        assert_eq!(seen.not_among(&present), [("a".to_owned(), "S".to_owned())]);
        seen.miss("a");
        seen.miss("a");
        assert_eq!(seen.last(), 2);
        assert!(seen.after(Some(1), 1)[0].is_gone);
        assert_eq!(seen.not_among(&present), []);
        seen.see("a", "S", "1");
        assert!(!seen.after(Some(2), 1)[0].is_gone);
    }
}
