//! The remote engine against real clusters.
#![expect(clippy::unwrap_used, reason = "a test helper that fails should fail its test")]

mod bed;
mod contract;
mod exceptions;
mod facets;
mod failover;
mod faults;
mod limits;
mod secure;
mod support;
mod wire;
