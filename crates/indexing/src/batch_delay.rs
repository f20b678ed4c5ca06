//! The batch delay: how long changes collect before the next batch is applied.
//!
//! After a single change there is no delay, so that one published analysis is found at once; nor after a batch of many
//! documents, which costs no more per document than a larger one. Otherwise the delay is as long as the last batch took, so
//! that the index is not written without a pause. While the source is **overloaded**, so that
//! writes wait for one another there, the delay is longer: larger batches cost less per change, and leave more of the
//! machine to the source (backpressure).
//!
//! Overload is recognised by the number of changes per commit. A source that was blocked for a moment commits many changes
//! at once, too, when it continues. So the number counts only after a while, the delay grows step by step with each batch
//! that shows it, and it ends with the first batch that has fewer changes per commit. A false alarm then delays little.

use std::time::{Duration, Instant};

/// The longest delay of a source that is not overloaded.
const MAX_DELAY: Duration = Duration::from_millis(10);

/// A batch with this many documents is large.
const LARGE_BATCH_DOCUMENTS: usize = 256;

/// How much the delay grows with each batch while the source is overloaded, and its maximum.
const DELAY_STEP: Duration = Duration::from_millis(2);
const MAX_OVERLOADED_DELAY: Duration = Duration::from_millis(30);

/// A source is overloaded when it had at least this many changes per commit, on average, for this long.
const OVERLOADED_CHANGES_PER_COMMIT: f64 = 3.0;
const OBSERVATION_PERIOD: Duration = Duration::from_secs(1);

/// It has recovered when a batch has fewer changes per commit than this.
const RECOVERED_CHANGES_PER_COMMIT: f64 = 2.25;

/// After such a pause between changes the observation begins again.
const IDLE_RESET: Duration = Duration::from_millis(200);

/// The size and duration of a batch that was applied.
pub(crate) struct BatchTiming {
    /// The number of changes, and of documents that were written or deleted for them.
    pub(crate) changes: usize,
    pub(crate) documents: usize,
    /// The number of commits of the source so far, if it is known.
    pub(crate) commits: Option<u64>,
    pub(crate) begun: Instant,
    pub(crate) ended: Instant,
}

/// The batch delay of one source.
pub(crate) struct BatchDelay {
    total_commits: Option<u64>,
    /// The delay while the source is overloaded; nothing while it is not.
    overloaded: Option<Duration>,
    /// When the last batch was applied.
    ended: Instant,
    /// Since when changes and commits are counted, and their numbers.
    since: Instant,
    changes: usize,
    commits: u64,
}

impl BatchDelay {
    /// Begins with a source that has made this many commits.
    pub(crate) fn new(commits: Option<u64>, now: Instant) -> Self {
        Self { total_commits: commits, overloaded: None, ended: now, since: now, changes: 0, commits: 0 }
    }

    /// Returns the delay before the next batch.
    pub(crate) fn delay_after(&mut self, taken: &BatchTiming) -> Duration {
        self.observe(taken);
        match (taken.changes, self.overloaded) {
            (0 | 1, _) => Duration::ZERO,
            (_, Some(delay)) => delay,
            (_, None) if taken.documents >= LARGE_BATCH_DOCUMENTS => Duration::ZERO,
            (_, None) => taken.ended.duration_since(taken.begun).min(MAX_DELAY),
        }
    }

    fn observe(&mut self, taken: &BatchTiming) {
        if taken.begun.duration_since(self.ended) > IDLE_RESET {
            *self = Self::new(self.total_commits, taken.begun);
        }
        self.ended = taken.ended;
        let commits = taken.commits.zip(self.total_commits).map(|(now, before)| now.saturating_sub(before));
        self.total_commits = taken.commits;
        self.changes += taken.changes;
        self.commits += commits.unwrap_or(taken.changes as u64).max(1);
        if self.overloaded.is_none() && taken.ended.duration_since(self.since) < OBSERVATION_PERIOD {
            return;
        }
        let changes_per_commit = self.changes as f64 / self.commits as f64;
        let is_overloaded = changes_per_commit
            >= if self.overloaded.is_some() { RECOVERED_CHANGES_PER_COMMIT } else { OVERLOADED_CHANGES_PER_COMMIT };
        let overloaded =
            is_overloaded.then(|| (self.overloaded.unwrap_or(MAX_DELAY) + DELAY_STEP).min(MAX_OVERLOADED_DELAY));
        *self = Self { overloaded, ..Self::new(self.total_commits, taken.ended) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A source whose changes are applied every ten milliseconds, within two.
    struct Source {
        delay: BatchDelay,
        documents: usize,
        commits: u64,
        now: Instant,
    }

    impl Source {
        fn new() -> Self {
            let now = Instant::now();
            Self { delay: BatchDelay::new(Some(7), now), documents: 100, commits: 7, now }
        }

        fn delay_after(&mut self, changes: usize, commits: u64) -> Duration {
            self.commits += commits;
            let begun = self.now;
            self.now += Duration::from_millis(10);
            let (commits, ended) = (Some(self.commits), begun + BATCH_DURATION);
            self.delay.delay_after(&BatchTiming { changes, documents: self.documents, commits, begun, ended })
        }

        fn pause_after_a_while(&mut self, changes: usize, commits: u64) -> Duration {
            (0..150).map(|_| self.delay_after(changes, commits)).last().unwrap()
        }
    }

    const BATCH_DURATION: Duration = Duration::from_millis(2);

    #[test]
    fn nothing_waits_after_a_single_change() {
        assert_eq!(Source::new().delay_after(1, 1), Duration::ZERO);
    }

    #[test]
    fn changes_gather_for_as_long_as_the_last_ones_took_but_not_long() {
        let mut source = Source::new();
        assert_eq!(source.delay_after(2, 2), BATCH_DURATION);
        let begun = source.now;
        let ended = begun + Duration::from_millis(500);
        let slow = BatchTiming { changes: 2, documents: 2, commits: Some(11), begun, ended };
        assert_eq!(source.delay.delay_after(&slow), MAX_DELAY);
    }

    #[test]
    fn nothing_waits_after_many_documents_unless_the_source_is_overloaded() {
        let mut source = Source::new();
        source.documents = LARGE_BATCH_DOCUMENTS;
        assert_eq!(source.delay_after(30, 20), Duration::ZERO);
        assert_eq!(source.pause_after_a_while(30, 6), MAX_OVERLOADED_DELAY);
        assert_eq!(source.delay_after(30, 20), Duration::ZERO);
        source.documents = LARGE_BATCH_DOCUMENTS - 1;
        assert_eq!(source.delay_after(30, 20), BATCH_DURATION);
    }

    #[test]
    fn they_gather_long_while_many_are_made_at_once() {
        let mut source = Source::new();
        assert_eq!(source.pause_after_a_while(30, 6), MAX_OVERLOADED_DELAY);
        assert_eq!(source.delay_after(200, 80), MAX_OVERLOADED_DELAY);
        assert_eq!(source.delay_after(1, 1), Duration::ZERO);
        assert_eq!(source.delay_after(30, 6), BATCH_DURATION);
        assert_eq!(source.pause_after_a_while(30, 6), MAX_OVERLOADED_DELAY);
    }

    #[test]
    fn they_gather_longer_and_longer() {
        let mut source = Source::new();
        let pauses: Vec<Duration> = (0..150).map(|_| source.delay_after(30, 6)).collect();
        let begin = pauses.iter().position(|&delay| delay != BATCH_DURATION).unwrap();
        assert_eq!(
            pauses[begin..begin + 3],
            [MAX_DELAY + DELAY_STEP, MAX_DELAY + 2 * DELAY_STEP, MAX_DELAY + 3 * DELAY_STEP]
        );
    }

    #[test]
    fn many_changes_one_by_one_do_not_make_them_wait() {
        assert_eq!(Source::new().pause_after_a_while(500, 400), BATCH_DURATION);
    }

    #[test]
    fn a_source_that_was_held_up_for_a_moment_is_not_crowded() {
        let mut source = Source::new();
        for _ in 0..20 {
            assert_eq!(source.delay_after(64, 1), BATCH_DURATION);
            assert_eq!(source.pause_after_a_while(10, 9), BATCH_DURATION);
        }
    }

    #[test]
    fn what_comes_after_a_rest_does_not_make_it_crowded_at_once() {
        let mut source = Source::new();
        for _ in 0..20 {
            source.now += 2 * OBSERVATION_PERIOD;
            assert_eq!(source.delay_after(64, 1), BATCH_DURATION);
        }
    }

    #[test]
    fn a_source_that_does_not_know_is_never_crowded() {
        let mut begun = Instant::now();
        let mut delay = BatchDelay::new(None, begun);
        for _ in 0..20 {
            let ended = begun + BATCH_DURATION;
            let taken = BatchTiming { changes: 9_000, documents: 9, commits: None, begun, ended };
            assert_eq!(delay.delay_after(&taken), BATCH_DURATION);
            begun += IDLE_RESET;
        }
    }
}
