//! The store of the metadata service.
//!
//! The service knows the trait [`Store`], each backend implements it, and one contract suite (feature `contract`) tests
//! every implementation. The data model:
//!
//! * an analysis is a chain of **revisions**. Each revision is the complete document after one change, is never
//!   altered, and is an **event** at the same time: its number is the event's number. The current state of an
//!   analysis is a pointer to its latest revision. So an event and its change are one row, and a reader with revision
//!   numbers has a consistent snapshot for as long as it needs;
//! * a change names the revision it was computed from and is a conflict if that is not the latest any more
//!   (optimistic concurrency), so the service holds no lock;
//! * a successful write is durable when it returns;
//! * the events are an outbox. A consumer of it is a named **reader** with a **cursor**, the position up to which it has
//!   processed events, which only the holder of its **lease** may advance;
//! * what else the servers of a database must agree on, such as keys, is in **shared records**, by kind and id.

mod analyses;
pub mod codes;
#[cfg(feature = "contract")]
pub mod contract;
mod error;
mod files;
mod records;
mod types;

use std::time::Duration;

use async_trait::async_trait;
use cantata_core::{AnalysisId, AnalysisType, Event, ObjectId, Study};
use tokio::sync::watch;

pub use analyses::{
    AnalysisChange, AnalysisQuery, DuplicateRule, InsertOutcome, NewAnalysis, ReplaceOutcome, Revision, StateSet,
    StoredAnalysis,
};
pub use error::{StoreError, StoreErrorSource};
pub use files::{FileFilter, FileLocation, FileRow, ObjectIdPattern, PageRange, VisibleFiles};
pub use records::{RecordBase, RecordKind, RecordPurge, RecordWrite, SharedRecord};
pub use types::{NewAnalysisType, TypeKey, TypeQuery, TypeSortField, decode_type};

/// The duration of a lease: how long other processes wait before they take over from one that was killed.
pub const LEASE_DURATION: Duration = Duration::from_secs(15);

/// How often a lease is renewed, and requested by processes that stand by.
pub const LEASE_RENEWAL_INTERVAL: Duration = Duration::from_secs(5);

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
    async fn insert_analysis(&self, new: NewAnalysis, duplicates: DuplicateRule) -> Result<InsertOutcome>;

    /// Returns the [`InsertOutcome::Duplicate`] that inserting an analysis with these files would have, and stores nothing.
    async fn find_duplicate(&self, files: &[FileRow], duplicates: DuplicateRule) -> Result<Option<InsertOutcome>>;

    /// Stores a new revision of an analysis with its event, unless there is a newer one.
    async fn replace_analysis(&self, change: AnalysisChange) -> Result<ReplaceOutcome>;

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
    async fn file(&self, id: ObjectId) -> Result<Option<FileLocation>>;

    /// Returns one page of the files that match, ordered by object id, and how many match in all.
    async fn list_files(&self, filter: &FileFilter, page: PageRange) -> Result<(u64, Vec<FileLocation>)>;

    /// Returns up to `limit` of the files that match whose object ids come after one, ordered by object id.
    async fn files_after(&self, filter: &FileFilter, after: Option<ObjectId>, limit: u64) -> Result<Vec<FileLocation>>;

    /// Returns up to `limit` events numbered above `after`, in order and without a gap.
    async fn events_after(&self, after: u64, limit: usize) -> Result<Vec<Event>>;

    /// Returns a channel that always holds the number of the latest stored event.
    fn latest_event(&self) -> watch::Receiver<u64>;

    /// Returns how many group commits of analyses this process has made. Changes that arrive during a commit share the
    /// next one, so the number of changes per commit is a measure of load.
    fn commit_count(&self) -> u64;

    /// Returns the cursor of a reader: the number of the last event it has processed; 0 for a new one.
    async fn cursor(&self, reader: &str) -> Result<u64>;

    /// Advances the cursor of a reader to a number; a cursor never moves back.
    ///
    /// Returns false, and changes nothing, if `holder` does not hold the lease of the reader (any more).
    async fn advance_cursor(&self, reader: &str, holder: &str, to: u64) -> Result<bool>;

    /// Acquires the lease of a reader for `holder`, or renews it; returns false while another holds it.
    ///
    /// Among all processes that share the database one holder at a time has a lease. It expires after `duration`, by the
    /// clock of the database.
    async fn acquire_lease(&self, reader: &str, holder: &str, duration: Duration) -> Result<bool>;

    /// Releases the lease of a reader before it expires; does nothing if `holder` does not hold it.
    async fn release_lease(&self, reader: &str, holder: &str) -> Result<()>;

    /// Renews the lease of a reader at intervals of [`LEASE_RENEWAL_INTERVAL`] until another holder has it.
    async fn keep_lease(&self, reader: &str, holder: &str) -> Result<()> {
        loop {
            tokio::time::sleep(LEASE_RENEWAL_INTERVAL).await;
            if !self.acquire_lease(reader, holder, LEASE_DURATION).await? {
                return Ok(());
            }
        }
    }

    /// Returns a shared record; nothing if it was removed.
    async fn record(&self, kind: RecordKind, id: &str) -> Result<Option<SharedRecord>>;

    /// Returns up to `limit` shared records of a kind that were written after a change, in the order of their changes;
    /// removed ones are empty.
    async fn records_after(&self, kind: RecordKind, after: u64, limit: usize) -> Result<Vec<SharedRecord>>;

    /// Returns the number of the latest change of a kind of shared records; 0 if there was none.
    async fn latest_record_change(&self, kind: RecordKind) -> Result<u64>;

    /// Writes a shared record, or removes it, and returns the number of the change; nothing is changed, and none
    /// returned, unless the base holds.
    async fn write_record(
        &self,
        kind: RecordKind,
        id: &str,
        base: RecordBase,
        document: Option<String>,
    ) -> Result<Option<u64>> {
        self.apply_record_write(RecordWrite { kind, id: id.to_owned(), base, document }).await
    }

    /// Does what [`Store::write_record`] says.
    async fn apply_record_write(&self, write: RecordWrite) -> Result<Option<u64>>;

    /// Purges the records of a kind that were removed by this change or an earlier one. A follower of the kind from before
    /// the last of them starts over, see [`Store::purged_records`].
    async fn purge_removed_records(&self, kind: RecordKind, up_to: u64) -> Result<()>;

    /// Returns the change that removed the last record of a kind that was purged; 0 if none was. A follower asks after it has
    /// read what came after a change: if this is greater than that change, it may have missed removals, and starts over.
    async fn purged_records(&self, kind: RecordKind) -> Result<u64> {
        let mark = self.record(RecordKind::PurgeMark, kind.as_str()).await?;
        Ok(mark.and_then(|mark| mark.document?.parse().ok()).unwrap_or_default())
    }

    /// Returns whether other servers may use the database at the same time.
    fn is_shared(&self) -> bool {
        false
    }

    /// Fails if the database cannot be read.
    async fn check_health(&self) -> Result<()>;
}
