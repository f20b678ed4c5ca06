//! How often something may happen, for each of any number of clients, in a fixed amount of memory.
//!
//! Each client has a bucket in a table, found by its hash, with the moment at which its allowance will be full again.
//! What it does moves that moment on by the time that the allowance for it takes to come back; when the moment would lie
//! further ahead than a full allowance, it has to wait. Two clients that fall into one bucket share an allowance, which is
//! rare and does no harm beyond that. Nothing is locked, nothing grows, nothing has to be cleaned up.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::client_address::ClientKey;

/// The number of buckets.
const BUCKET_COUNT: usize = 1 << 16;

/// An allowance for each client.
pub(super) struct RateLimiter {
    /// The moments at which allowances will be full again, in nanoseconds after `start`.
    full_at: Box<[AtomicU64]>,
    start: Instant,
    /// How long the allowance for one takes to come back.
    interval: u64,
    /// How long the allowance for all but one takes to come back.
    tolerance: u64,
}

impl RateLimiter {
    /// Allows `number` of something in a time, in the long run, and `burst` at once; nothing if `number` is 0.
    pub(super) fn new(number: u32, time: Duration, burst: u32) -> Option<Self> {
        let interval = time.checked_div(number)?;
        let interval = u64::try_from(interval.as_nanos()).unwrap_or(u64::MAX).max(1);
        let tolerance = interval.saturating_mul(u64::from(burst.max(1) - 1));
        let full_at = (0..BUCKET_COUNT).map(|_| AtomicU64::new(0)).collect();
        Some(Self { full_at, start: Instant::now(), interval, tolerance })
    }

    /// Takes one from the allowance of a client, or says how long it has to wait.
    pub(super) fn take(&self, client: ClientKey) -> Result<(), Duration> {
        let now = self.now();
        let taken = self.bucket(client).fetch_update(Ordering::Relaxed, Ordering::Relaxed, |full_at| {
            (full_at.saturating_sub(now) <= self.tolerance).then(|| full_at.max(now).saturating_add(self.interval))
        });
        taken.map(|_| ()).map_err(|full_at| self.wait(full_at, now))
    }

    /// Says how long a client has to wait, without taking anything.
    pub(super) fn peek(&self, client: ClientKey) -> Result<(), Duration> {
        let now = self.now();
        let full_at = self.bucket(client).load(Ordering::Relaxed);
        if full_at.saturating_sub(now) <= self.tolerance { Ok(()) } else { Err(self.wait(full_at, now)) }
    }

    fn wait(&self, full_at: u64, now: u64) -> Duration {
        Duration::from_nanos(full_at.saturating_sub(now).saturating_sub(self.tolerance))
    }

    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn bucket(&self, ClientKey(hash): ClientKey) -> &AtomicU64 {
        &self.full_at[hash as usize % BUCKET_COUNT]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Duration = Duration::from_secs(86_400);

    #[test]
    fn a_burst_is_allowed_and_not_one_more() {
        let limiter = RateLimiter::new(1, DAY, 3).unwrap();
        for _ in 0..3 {
            assert_eq!(limiter.peek(ClientKey(7)), Ok(()));
            assert_eq!(limiter.take(ClientKey(7)), Ok(()));
        }
        let wait = limiter.take(ClientKey(7)).unwrap_err();
        assert!(wait > Duration::ZERO && wait <= DAY, "{wait:?}");
        assert!(limiter.peek(ClientKey(7)).is_err());
        assert_eq!(limiter.take(ClientKey(8)), Ok(()), "others are not concerned");
    }

    #[test]
    fn refused_ones_are_not_counted() {
        let limiter = RateLimiter::new(1, DAY, 1).unwrap();
        limiter.take(ClientKey(1)).unwrap();
        for _ in 0..100 {
            assert!(limiter.take(ClientKey(1)).unwrap_err() <= DAY);
        }
    }

    #[test]
    fn the_allowance_comes_back() {
        let limiter = RateLimiter::new(u32::MAX, Duration::from_secs(1), 1).unwrap();
        for _ in 0..1000 {
            while limiter.take(ClientKey(1)).is_err() {}
        }
    }

    #[test]
    fn many_threads_get_no_more_than_one() {
        let limiter = RateLimiter::new(1, DAY, 1000).unwrap();
        let taken: usize = std::thread::scope(|scope| {
            let count = || (0..1000).filter(|_| limiter.take(ClientKey(1)).is_ok()).count();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(count)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(taken, 1000);
    }

    #[test]
    fn nothing_is_limited_without_a_number() {
        assert!(RateLimiter::new(0, DAY, 5).is_none());
    }
}
