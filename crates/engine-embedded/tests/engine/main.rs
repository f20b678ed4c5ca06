//! The embedded engine against the contract of all engines, and what it promises beyond that.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it stands")]

mod aliases;
mod backup;
mod contract;
mod deleting;
mod extending;
mod failing;
mod flushing;
mod lists;
mod paging;
mod positions;
mod relevance;
mod reopening;
mod texts;
mod upgrading;
