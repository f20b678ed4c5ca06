//! How long changes gather before they are taken in.
//!
//! After a single change there is no pause: whoever publishes one analysis finds it at once. Otherwise the next changes
//! gather for as long as the last ones took, so that the index is not worked on without a pause. And while the source is
//! **crowded**, so that changes wait for one another there, they gather longer: the more are taken in together, the less
//! work is each, and what is saved goes to those who wait.
//!
//! Whether it is crowded is seen from how many changes are made at once. A source that was held up for a moment makes many
//! at once too, when it goes on; so it has to be crowded for a while until that counts, changes gather a little longer with
//! each batch that shows it, and it ends with the first batch of which fewer were made at once. What looked crowded and was
//! not has then held nobody up for long.

use std::time::{Duration, Instant};

/// How long changes gather at most.
const LONGEST: Duration = Duration::from_millis(10);

/// How much longer with each batch while the source is crowded, and how long then at most.
const LONGER: Duration = Duration::from_millis(2);
const LONGEST_CROWDED: Duration = Duration::from_millis(50);

/// A source becomes crowded when at least so many changes were made at once, on average, for this long.
const MANY_AT_ONCE: f64 = 3.0;
const FOR_A_WHILE: Duration = Duration::from_secs(1);

/// It is not crowded any more when fewer than this were made at once in a batch.
const FEW_AT_ONCE: f64 = 2.25;

/// After such a pause between changes it has to become crowded anew.
const REST: Duration = Duration::from_millis(200);

/// Some changes that were taken in.
pub(crate) struct TakenIn {
    /// How many.
    pub(crate) changes: usize,
    /// In how many groups the source had made changes when these were read, if it knows.
    pub(crate) groups: Option<u64>,
    pub(crate) begun: Instant,
    pub(crate) ended: Instant,
}

/// What is known of the source so far.
pub(crate) struct Gathering {
    groups: Option<u64>,
    /// How long changes gather while the source is crowded; nothing while it is not.
    crowded: Option<Duration>,
    /// When the last changes were taken in.
    ended: Instant,
    /// Since when changes are counted, and what was counted.
    since: Instant,
    changes: usize,
    made_in: u64,
}

impl Gathering {
    /// Begins with a source that has made changes in so many groups.
    pub(crate) fn new(groups: Option<u64>, now: Instant) -> Self {
        Self { groups, crowded: None, ended: now, since: now, changes: 0, made_in: 0 }
    }

    /// Returns for how long the next changes gather.
    pub(crate) fn pause_after(&mut self, taken: &TakenIn) -> Duration {
        self.look_at(taken);
        match (taken.changes, self.crowded) {
            (0 | 1, _) => Duration::ZERO,
            (_, Some(pause)) => pause,
            (_, None) => taken.ended.duration_since(taken.begun).min(LONGEST),
        }
    }

    fn look_at(&mut self, taken: &TakenIn) {
        if taken.begun.duration_since(self.ended) > REST {
            *self = Self::new(self.groups, taken.begun);
        }
        self.ended = taken.ended;
        let groups = taken.groups.zip(self.groups).map(|(now, before)| now.saturating_sub(before));
        self.groups = taken.groups;
        self.changes += taken.changes;
        self.made_in += groups.unwrap_or(taken.changes as u64).max(1);
        if self.crowded.is_none() && taken.ended.duration_since(self.since) < FOR_A_WHILE {
            return;
        }
        let at_once = self.changes as f64 / self.made_in as f64;
        let is_crowded = at_once >= if self.crowded.is_some() { FEW_AT_ONCE } else { MANY_AT_ONCE };
        let crowded = is_crowded.then(|| (self.crowded.unwrap_or(LONGEST) + LONGER).min(LONGEST_CROWDED));
        *self = Self { crowded, ..Self::new(self.groups, taken.ended) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A source that makes changes, all of which are taken in every ten milliseconds, within two.
    struct Source {
        gathering: Gathering,
        groups: u64,
        now: Instant,
    }

    impl Source {
        fn new() -> Self {
            let now = Instant::now();
            Self { gathering: Gathering::new(Some(7), now), groups: 7, now }
        }

        fn pause_after(&mut self, changes: usize, groups: u64) -> Duration {
            self.groups += groups;
            let begun = self.now;
            self.now += Duration::from_millis(10);
            let (groups, ended) = (Some(self.groups), begun + TAKEN);
            self.gathering.pause_after(&TakenIn { changes, groups, begun, ended })
        }

        fn pause_after_a_while(&mut self, changes: usize, groups: u64) -> Duration {
            (0..150).map(|_| self.pause_after(changes, groups)).last().unwrap()
        }
    }

    const TAKEN: Duration = Duration::from_millis(2);

    #[test]
    fn nothing_waits_after_a_single_change() {
        assert_eq!(Source::new().pause_after(1, 1), Duration::ZERO);
    }

    #[test]
    fn changes_gather_for_as_long_as_the_last_ones_took_but_not_long() {
        let mut source = Source::new();
        assert_eq!(source.pause_after(2, 2), TAKEN);
        let begun = source.now;
        let slow = TakenIn { changes: 2, groups: Some(11), begun, ended: begun + Duration::from_millis(500) };
        assert_eq!(source.gathering.pause_after(&slow), LONGEST);
    }

    #[test]
    fn they_gather_long_while_many_are_made_at_once() {
        let mut source = Source::new();
        assert_eq!(source.pause_after_a_while(30, 6), LONGEST_CROWDED);
        assert_eq!(source.pause_after(200, 80), LONGEST_CROWDED);
        assert_eq!(source.pause_after(1, 1), Duration::ZERO);
        assert_eq!(source.pause_after(30, 6), TAKEN);
        assert_eq!(source.pause_after_a_while(30, 6), LONGEST_CROWDED);
    }

    #[test]
    fn they_gather_longer_and_longer() {
        let mut source = Source::new();
        let pauses: Vec<Duration> = (0..150).map(|_| source.pause_after(30, 6)).collect();
        let begin = pauses.iter().position(|&pause| pause != TAKEN).unwrap();
        assert_eq!(pauses[begin..begin + 3], [LONGEST + LONGER, LONGEST + 2 * LONGER, LONGEST + 3 * LONGER]);
    }

    #[test]
    fn many_changes_one_by_one_do_not_make_them_wait() {
        assert_eq!(Source::new().pause_after_a_while(500, 400), TAKEN);
    }

    #[test]
    fn a_source_that_was_held_up_for_a_moment_is_not_crowded() {
        let mut source = Source::new();
        for _ in 0..20 {
            assert_eq!(source.pause_after(64, 1), TAKEN);
            assert_eq!(source.pause_after_a_while(10, 9), TAKEN);
        }
    }

    #[test]
    fn what_comes_after_a_rest_does_not_make_it_crowded_at_once() {
        let mut source = Source::new();
        for _ in 0..20 {
            source.now += 2 * FOR_A_WHILE;
            assert_eq!(source.pause_after(64, 1), TAKEN);
        }
    }

    #[test]
    fn a_source_that_does_not_know_is_never_crowded() {
        let mut begun = Instant::now();
        let mut gathering = Gathering::new(None, begun);
        for _ in 0..20 {
            let taken = TakenIn { changes: 9_000, groups: None, begun, ended: begun + TAKEN };
            assert_eq!(gathering.pause_after(&taken), TAKEN);
            begun += REST;
        }
    }
}
