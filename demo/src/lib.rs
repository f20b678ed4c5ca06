//! Sample data for trying the catalogue out: studies, analysis types and any number of submissions for the metadata
//! service, and in [`catalogue`] search documents with the catalogues that show them.
//!
//! Everything is invented and computed from nothing but a position (and for search documents a seed), without a clock
//! and without I/O: the tenth submission is the same in every run, on every machine and however many are asked for.
//! Every submission follows the analysis type it names, its study is among [`studies()`], and no two files anywhere
//! share a checksum.

pub mod catalogue;
mod configs;
mod random;
mod studies;
mod submissions;
mod types;

pub use configs::configs;
pub use studies::studies;
pub use submissions::{FinalState, Submission, submissions};
pub use types::analysis_types;
