//! How long single pieces of work take.

use std::time::{Duration, Instant};

use crate::Outcome;
use crate::client::Connection;

/// However long a piece of work takes, it is done so often: percentiles of fewer say nothing.
const MIN_REPETITIONS: usize = 20;

/// The times that pieces of work took, in milliseconds, the shortest first.
pub(crate) struct Latencies(Vec<f64>);

impl Latencies {
    /// Does the work over and over for so long; it is given how often it was done before.
    pub(crate) fn measure(duration: Duration, mut work: impl FnMut(usize) -> Outcome<()>) -> Outcome<Self> {
        Self::measure_prepared(duration, Ok, &mut work)
    }

    /// Does the work over and over for so long, each time with a value that is prepared outside of the time.
    pub(crate) fn measure_prepared<T>(
        duration: Duration,
        mut prepare: impl FnMut(usize) -> Outcome<T>,
        mut work: impl FnMut(T) -> Outcome<()>,
    ) -> Outcome<Self> {
        let mut times = Vec::new();
        let end = Instant::now() + duration;
        while times.len() < MIN_REPETITIONS || Instant::now() < end {
            let prepared = prepare(times.len())?;
            let begun = Instant::now();
            work(prepared)?;
            times.push(begun.elapsed());
        }
        Ok(Self::of(times))
    }

    /// Sends one request after the other for so long; making them is not part of their time.
    pub(crate) fn of_requests(
        duration: Duration,
        connection: &mut Connection,
        request: impl FnMut(usize) -> Outcome<Vec<u8>>,
    ) -> Outcome<Self> {
        Self::measure_prepared(duration, request, |request| connection.send(&request))
    }

    pub(crate) fn of(times: impl IntoIterator<Item = Duration>) -> Self {
        let mut times: Vec<f64> = times.into_iter().map(|time| time.as_secs_f64() * 1e3).collect();
        times.sort_by(f64::total_cmp);
        Self(times)
    }

    /// Returns the time that half of them took at most.
    pub(crate) fn p50(&self) -> f64 {
        self.percentile(50)
    }

    /// Returns the time that all but one in a hundred took at most.
    pub(crate) fn p99(&self) -> f64 {
        self.percentile(99)
    }

    fn percentile(&self, percent: usize) -> f64 {
        let rank = (self.0.len() * percent).div_ceil(100);
        self.0.get(rank.saturating_sub(1)).copied().unwrap_or(f64::NAN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_the_sorted_times() {
        let latencies = Latencies::of((1..=200).rev().map(Duration::from_millis));
        assert_eq!((latencies.p50(), latencies.p99()), (100.0, 198.0));
        assert_eq!(Latencies::of([Duration::from_millis(7)]).p99(), 7.0);
        assert!(Latencies::of([]).p50().is_nan());
    }
}
