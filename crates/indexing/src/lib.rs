//! Indexing: how analyses become documents of a catalogue, and how the index follows them.
//!
//! [`shape`] and [`mod@derive`] say what the documents of a catalogue and the mapping of its index are; they do no I/O.
//! [`Indexing`] is what runs: for each catalogue with a source a feed that takes in changes as they come, and jobs
//! that make an index anew. What it promises:
//!
//! * **nothing is lost and nothing is there twice**: how far an index has followed its source is kept with the index,
//!   and written with the documents; whatever is taken in again ends in the same state;
//! * **the last revision counts**: an analysis is in the index as its last change left it, or not at all;
//! * **one document stops nothing**: what cannot be indexed is set aside, with the reason;
//! * **readers see a whole index**, also while it is made anew.

mod batch;
pub mod derive;
mod error;
mod feed;
mod fit;
mod gathering;
mod indexing;
mod jobs;
mod place;
mod recipe;
mod reindex;
mod set_aside;
pub mod shape;
mod source;
mod state_file;
mod status;
mod store_source;
mod worker;

pub use error::IndexingError;
pub use indexing::{FedCatalogue, Indexing, IndexingParts, Sources};
pub use jobs::{Job, JobError, JobKind, JobStatus, Jobs};
pub use set_aside::SetAsideDocument;
pub use source::{AnalysisSource, ChangedAnalysis, Changes, SourceError, SourceSnapshot};
pub use status::{CatalogueIndexing, IndexingActivity, IndexingProblem};
pub use store_source::StoreSource;
