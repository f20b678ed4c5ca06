//! Shared records: small documents that are neither studies nor analyses, and that all servers of a database must agree
//! on, such as API keys.
//!
//! Each write has a number, which counts up per kind. A reader that has seen a number asks for what came after it, so
//! following a kind costs one look-up while nothing changes. A removed record stays as an empty one until it is purged,
//! so that followers see the removal. A purge leaves a mark: a follower that has not seen a removal before it starts over.
//! What a document says is known to the crate that writes it.

use std::collections::BTreeMap;

use crate::{Result, Store};

/// What a record is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordKind {
    /// An API key of the servers.
    Key,
    /// The session of a person who has signed in.
    Session,
    /// What a person may do, as of their last sign-in.
    Person,
    /// A saved set of a catalogue.
    SavedSet,
    /// The rejected documents of a catalogue whose index is shared.
    RejectedDocuments,
    /// A job on the index of a catalogue.
    Job,
    /// Up to which change the removed records of a kind were purged, by the name of the kind.
    PurgeMark,
}

impl RecordKind {
    /// Every kind.
    pub const ALL: [RecordKind; 7] =
        [Self::Key, Self::Session, Self::Person, Self::SavedSet, Self::RejectedDocuments, Self::Job, Self::PurgeMark];

    /// Returns the name in databases; names are added, never changed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Session => "session",
            Self::Person => "person",
            Self::SavedSet => "saved-set",
            Self::RejectedDocuments => "rejected-documents",
            Self::Job => "job",
            Self::PurgeMark => "purge-mark",
        }
    }
}

/// A record as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedRecord {
    /// Its id, unique in its kind.
    pub id: String,
    /// The number of the write that made it what it is.
    pub change: u64,
    /// What it says; nothing if it was removed.
    pub document: Option<String>,
}

/// A write of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordWrite {
    /// What the record is about.
    pub kind: RecordKind,
    /// Its id, unique in its kind.
    pub id: String,
    /// What must still hold.
    pub base: RecordBase,
    /// What the record says; nothing removes it.
    pub document: Option<String>,
}

/// What must still hold for a record to be written; else another server was faster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordBase {
    /// Nothing.
    Any,
    /// There is no such record.
    Absent,
    /// The record is as this change has made it.
    Record(u64),
    /// No record of the kind was written after this change.
    Kind(u64),
}

impl RecordBase {
    /// Returns whether it holds: `current` is the change of the record if it is there, `latest` that of its kind.
    pub fn holds(self, current: Option<u64>, latest: u64) -> bool {
        match self {
            Self::Any => true,
            Self::Absent => current.is_none(),
            Self::Record(change) => current == Some(change),
            Self::Kind(change) => latest == change,
        }
    }
}

/// Purges removed records, but only those that followers had the time from one run to the next to see.
#[derive(Debug, Default)]
pub struct RecordPurge {
    /// The latest change of each kind at the last run.
    noted: BTreeMap<RecordKind, u64>,
}

impl RecordPurge {
    /// Purges the records of all kinds that were removed before the last run.
    pub async fn run(&mut self, store: &dyn Store) -> Result<()> {
        for kind in RecordKind::ALL {
            let latest = store.latest_record_change(kind).await?;
            if let Some(noted) = self.noted.insert(kind, latest) {
                store.purge_removed_records(kind, noted).await?;
            }
        }
        Ok(())
    }
}
