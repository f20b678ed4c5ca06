//! Indexing: how analyses become documents of a catalogue, and how its index follows them.
//!
//! [`document_builder`] and [`mapping_derivation`] say what the documents of a catalogue and the mapping of its index are;
//! they do no I/O. [`Indexing`] follows the source of each catalogue, and runs jobs that build a new index. It promises:
//!
//! * **nothing is lost and nothing is there twice**: the position of an index in its source is kept with the index, and
//!   written with the documents; applying changes again ends in the same state;
//! * **the last revision counts**: an analysis is in the index as its last change left it, or not at all;
//! * **one document stops nothing**: what cannot be indexed is rejected, with the reason;
//! * **readers see a complete index**, also during a reindex;
//! * **what is reported as indexed is visible**: the position in a status covers only what searches show.

mod batch;
mod batch_delay;
pub mod document_builder;
mod error;
mod index_generations;
mod indexing;
mod jobs;
pub mod mapping_derivation;
mod mapping_update;
mod reindex;
mod rejected_documents;
mod shared_rejections;
mod source;
mod source_follower;
mod state_file;
mod status;
mod store_source;
mod unrefreshed;
mod worker;

pub use error::IndexingError;
pub use index_generations::is_index_generation;
pub use indexing::{IndexedCatalogue, Indexing, IndexingContext, OpenSource};
pub use jobs::{Job, JobError, JobKind, JobStatus, Jobs};
pub use rejected_documents::DocumentRejection;
pub use source::{AnalysisSource, ChangeBatch, ChangedAnalysis, SnapshotPages, SourceError, SourceSnapshot};
pub use status::{CatalogueIndexing, IndexingActivity, IndexingProblem};
pub use store_source::StoreSource;
