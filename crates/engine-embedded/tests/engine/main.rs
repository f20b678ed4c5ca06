//! The embedded engine against the contract of all engines, and what it promises beyond that.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it stands")]

mod capture;
mod contract;
mod paging;
mod reopening;
