//! Indexes that follow a real store on a real engine: whatever happens on the way, they end as the store is.
#![expect(clippy::unwrap_used, reason = "a test helper that fails should fail its test")]

mod again;
mod jobs;
mod panicking;
mod place;
mod poisoned;
mod power_loss;
mod random;
mod shared_jobs;
mod support;
mod types;
