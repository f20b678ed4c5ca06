//! What the metadata service asks of a database.
//!
//! [`Store`] is the seam: the service knows this trait, each backend implements it, and one contract suite (feature
//! `contract`) says what an implementation must do. The model behind it is small:
//!
//! * an analysis is a chain of **revisions**. Each revision is the complete document after one change, is never
//!   altered, and is an **event** at the same time: its number is the event's number. What an analysis "is now" is a
//!   pointer to its latest revision. So the event and the change it tells of cannot come apart, and a reader that
//!   holds revision numbers has a consistent snapshot for as long as it likes;
//! * a change names the revision it was computed from and is refused as a conflict when that is not the latest any
//!   more, so the service computes changes without holding a lock;
//! * what has been answered with success is on disk;
//! * whoever passes events on is a **reader** with a name. The store keeps how far it came, its cursor, and sees to it
//!   that one holder of its lease at a time moves it.

mod analyses;
pub mod codes;
#[cfg(feature = "contract")]
pub mod contract;
mod error;
mod files;
mod types;

use std::time::Duration;

use async_trait::async_trait;
use cantata_core::{AnalysisId, AnalysisType, Event, ObjectId, Study};
use tokio::sync::watch;

pub use analyses::{
    AnalysisChange, AnalysisQuery, DuplicateRule, Insertion, NewAnalysis, Replacement, Revision, StateSet,
    StoredAnalysis,
};
pub use error::StoreError;
pub use files::{EntityFilter, FileEntry, FileRow, ObjectIdPattern, Page};
pub use types::{NewAnalysisType, TypeKey, TypeQuery, TypeSortField};

/// The result of every store operation.
pub type Result<T> = std::result::Result<T, StoreError>;

/// A database of studies, analysis types and analyses.
#[async_trait]
pub trait Store: Send + Sync + 'static {
    /// Registers a study; returns false, and changes nothing, when the id is taken.
    async fn create_study(&self, study: Study) -> Result<bool>;

    /// Returns a study.
    async fn study(&self, study_id: &str) -> Result<Option<Study>>;

    /// Returns the ids of all studies, in order.
    async fn study_ids(&self) -> Result<Vec<String>>;

    /// Registers the next version of an analysis type, inheriting the options it leaves out.
    async fn register_type(&self, new: NewAnalysisType) -> Result<AnalysisType>;

    /// Registers each of these types as version 1 unless its name has a version already.
    async fn seed_types(&self, types: Vec<NewAnalysisType>) -> Result<()>;

    /// Returns the given version of an analysis type, or its latest.
    async fn analysis_type(&self, name: &str, version: Option<u32>) -> Result<Option<AnalysisType>>;

    /// Returns the latest version number of an analysis type.
    async fn latest_type_version(&self, name: &str) -> Result<Option<u32>>;

    /// Returns one page of the versions that match, and how many match in all.
    async fn list_types(&self, query: &TypeQuery) -> Result<(u64, Vec<AnalysisType>)>;

    /// Stores a new analysis, in the state it says, with its CREATE event.
    async fn insert_analysis(&self, new: NewAnalysis, duplicates: DuplicateRule) -> Result<Insertion>;

    /// Returns the [`Insertion::Duplicate`] that a new analysis with these files would be refused with, and stores nothing.
    async fn find_duplicate(&self, files: &[FileRow], duplicates: DuplicateRule) -> Result<Option<Insertion>>;

    /// Stores a new revision of an analysis with its event, unless another came in between.
    async fn replace_analysis(&self, change: AnalysisChange) -> Result<Replacement>;

    /// Returns the latest revision of an analysis.
    async fn analysis(&self, id: AnalysisId) -> Result<Option<StoredAnalysis>>;

    /// Returns the latest revisions of a study's analyses, ordered by analysis id.
    async fn list_analyses(&self, query: &AnalysisQuery) -> Result<Vec<Revision>>;

    /// Counts a study's analyses in these states.
    async fn count_analyses(&self, study_id: &str, states: StateSet) -> Result<u64>;

    /// Returns the documents of these revisions, in the order asked for.
    async fn documents(&self, revisions: &[Revision]) -> Result<Vec<String>>;

    /// Returns the latest revisions of the study's analyses that have a matching file, ordered by analysis id.
    async fn search_by_file(&self, study_id: &str, pattern: &ObjectIdPattern) -> Result<Vec<Revision>>;

    /// Returns where a file is.
    async fn file(&self, id: ObjectId) -> Result<Option<FileEntry>>;

    /// Returns one page of the files that match, ordered by object id, and how many match in all.
    async fn list_files(&self, filter: &EntityFilter, page: Page) -> Result<(u64, Vec<FileEntry>)>;

    /// Returns up to `limit` events numbered above `after`, in order and without a gap.
    async fn events_after(&self, after: u64, limit: usize) -> Result<Vec<Event>>;

    /// Returns a channel that always holds the number of the latest stored event.
    fn latest_event(&self) -> watch::Receiver<u64>;

    /// Returns how many commits this process has made of changes of analyses. Changes that come while one is under way
    /// share the next: the more changes there are for each commit, the more of them wait for one another.
    fn commits(&self) -> u64;

    /// Returns the number of the last event that the reader of this name has dealt with; 0 for a name nobody used.
    async fn cursor(&self, reader: &str) -> Result<u64>;

    /// Notes that a reader has dealt with all events up to a number, unless it has dealt with more already.
    ///
    /// Returns false, and changes nothing, when `holder` does not hold the lease of the reader (any more).
    async fn move_cursor(&self, reader: &str, holder: &str, to: u64) -> Result<bool>;

    /// Takes the lease of a reader for `holder`, or renews it; returns false while another holds it.
    ///
    /// Over all processes that share the database one holder at a time has a lease. It runs out after `duration`, by
    /// the clock of the database, and can be taken by others from then on.
    async fn lease(&self, reader: &str, holder: &str, duration: Duration) -> Result<bool>;

    /// Gives the lease of a reader back before it runs out; does nothing when `holder` does not hold it.
    async fn release(&self, reader: &str, holder: &str) -> Result<()>;

    /// Fails when the database cannot be read.
    async fn health(&self) -> Result<()>;
}
