//! Many workloads, each with a seed of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// How many workloads run at the same time; they wait for idle moments of what they test more than they compute.
const THREADS: usize = 16;

/// Runs the workloads of the seeds from 0 to `count`, several at the same time; only that of `CANTATA_SEED` where it is
/// set.
///
/// # Panics
///
/// If a workload does; the message has its seed.
pub fn run_seeds(count: u64, workload: impl Fn(u64) + Sync) {
    if let Some(seed) = std::env::var("CANTATA_SEED").ok().and_then(|seed| seed.parse().ok()) {
        return workload(seed);
    }
    let failed = find_seed(count, |seed| catch_unwind(AssertUnwindSafe(|| workload(seed))).err().map(|_| seed));
    if let Some(seed) = failed {
        panic!("the workload of seed {seed} failed; CANTATA_SEED={seed} runs it alone");
    }
}

/// Runs the workloads of the seeds from 0 to `count`, several at the same time, until one of them returns something.
pub fn find_seed<T: Send>(count: u64, workload: impl Fn(u64) -> Option<T> + Sync) -> Option<T> {
    let (next, found) = (AtomicU64::new(0), Mutex::new(None));
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= count {
                        return;
                    }
                    if let Some(outcome) = workload(seed) {
                        next.store(count, Ordering::Relaxed);
                        *found.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
                    }
                }
            });
        }
    });
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}
