//! Many workloads, each with a seed of its own.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

/// How many workloads run at the same time; they wait for idle moments of what they test more than they compute.
const THREADS: usize = 16;

/// Runs the workloads of the seeds from 0 to `count`, several at the same time; only that of `CANTATA_SEED` where it is
/// set.
///
/// # Panics
///
/// If a workload does; its seed is printed.
pub fn run_seeds(count: u64, workload: impl Fn(u64) + Sync) {
    if let Some(seed) = std::env::var("CANTATA_SEED").ok().and_then(|seed| seed.parse().ok()) {
        return workload(seed);
    }
    let next = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= count {
                        return;
                    }
                    if let Err(cause) = catch_unwind(AssertUnwindSafe(|| workload(seed))) {
                        eprintln!("the workload of seed {seed} failed");
                        next.store(count, Ordering::Relaxed);
                        resume_unwind(cause);
                    }
                }
            });
        }
    });
}
