//! One index: a folder with segments, a write-ahead log (WAL) and a manifest, with one writer at a time and any number of
//! readers.
//!
//! A small batch is appended to the WAL and becomes a segment in memory; segments in memory are flushed to a segment file
//! in the background. A large batch becomes a segment file at once. Either way, when a write returns, every later snapshot
//! has it, and it is on disk, unless it comes with a position from which its source can be read again. Readers hold a
//! snapshot and never wait.
//!
//! The folder belongs to the index for as long as it exists, and to no other one after it: work that still runs on a
//! deleted index finds no file of another. Files get a new number each and are never written over.

mod backup;
mod change;
mod file_number;
mod flush;
mod import;
mod index_segment;
#[cfg(test)]
mod interleaving_tests;
mod maintenance;
mod manifest;
mod merge;
mod merge_policy;
mod open_context;
mod verify;
mod wal;
mod wal_entry;
mod writer;

pub use backup::IndexFile;
pub(crate) use import::ImportOptions;
pub use import::ImportProgress;
pub(crate) use open_context::OpenContext;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::{ArcSwap, ArcSwapOption};
use cantata_durable_file as durable_file;
use cantata_engine::{BatchReport, EngineError, WriteOperation};
use cantata_mapping::IndexMapping;
use serde_json::Value;

use self::change::catch_panic;
use self::maintenance::Maintenance;
use self::manifest::Manifest;
use self::wal::{RecoveredWrites, WriteAheadLog};
use self::writer::IndexWriter;
use crate::build_memory::max_segment_bytes;
use crate::error::{IndexError, write_error};
use crate::retry_pace::RetryPace;
use crate::snapshot::Snapshot;

/// Batches of at least this many bytes of JSON become a segment file at once.
const MIN_DIRECT_FLUSH_BYTES: usize = 16 << 20;

/// An index.
pub(crate) struct Index {
    name: String,
    folder: PathBuf,
    writer: Mutex<IndexWriter>,
    snapshot: ArcSwap<Snapshot>,
    /// A merge makes no larger segment file.
    max_segment_bytes: usize,
    /// Held while segment files are merged, so that no two merges choose the same ones.
    merge_lock: Mutex<()>,
    /// Held while segments in memory are merged or flushed. Locked before the writer.
    flush_lock: Mutex<()>,
    /// Whether a flush or merge is scheduled.
    maintenance_scheduled: AtomicBool,
    maintenance: Maintenance,
    /// Why the state of the writer cannot be used; nothing if it can. Set while the writer is locked.
    failure: ArcSwapOption<EngineError>,
    /// When an index that has failed is opened again.
    retry_pace: Arc<RetryPace>,
    /// Whether the index was deleted.
    is_retired: AtomicBool,
    /// Which segment is damaged; nothing if none was found to be.
    damage: ArcSwapOption<EngineError>,
}

impl Index {
    /// Creates an index, in a temporary folder that is then renamed. Once it has its name, it exists, even if the disk
    /// cannot be written from then on; see [`Self::failure`].
    pub(crate) fn create(
        name: &str,
        folder: &Path,
        temporary: &Path,
        mapping: Option<&Value>,
        context: &OpenContext,
    ) -> Result<Self, EngineError> {
        let manifest = Manifest::new(mapping)
            .map_err(|error| EngineError::Rejected(format!("the mapping of index `{name}` cannot be used: {error}")))?;
        let create = || {
            fs_err::create_dir_all(temporary)?;
            WriteAheadLog::create(temporary, manifest.first_wal)?;
            manifest.write(temporary)?;
            // Only a whole index gets its name, so a crash in between leaves no part of one.
            durable_file::rename(temporary, folder)
        };
        let created = create().map_err(|error: std::io::Error| write_error(&error));
        let opened = created.and_then(|()| Self::open(name, folder.to_owned(), context));
        if opened.is_err() {
            // If it has its name already, it loses it as a whole, and durably: a power loss must not bring a refused index
            // back, nor a part of one. Nobody else has these folders; what cannot be removed is no obstacle.
            let _ = durable_file::rename(folder, temporary);
            for folder in [temporary, folder] {
                let _ = fs_err::remove_dir_all(folder);
            }
        }
        opened
    }

    /// Opens the index in a folder. The writes in its WAL are flushed to a segment file. An index that can only be read
    /// is searched; see [`Self::failure`].
    pub(crate) fn open(name: &str, folder: PathBuf, context: &OpenContext) -> Result<Self, EngineError> {
        let loaded = catch_panic(|| {
            IndexWriter::load(&folder, None, context).map_err(|error| match error.is_damage() {
                true => EngineError::IndexDamaged { index: name.to_owned(), reason: error.chain() },
                false => EngineError::Failed(error.chain()),
            })
        });
        let mut writer = loaded.map_err(|error| match error {
            EngineError::Failed(reason) => EngineError::IndexUnavailable { index: name.to_owned(), reason },
            other => other,
        })?;
        let loaded = writer.snapshot();
        let begun = catch_panic(|| writer.begin(&folder).map_err(|error| error.write_error(name)));
        let snapshot = if begun.is_ok() { writer.snapshot() } else { loaded };
        Ok(Self {
            name: name.to_owned(),
            folder,
            snapshot: ArcSwap::from_pointee(snapshot),
            writer: Mutex::new(writer),
            max_segment_bytes: max_segment_bytes(),
            merge_lock: Mutex::default(),
            flush_lock: Mutex::default(),
            maintenance_scheduled: AtomicBool::new(false),
            maintenance: Maintenance::new(context.retry_interval),
            failure: ArcSwapOption::from(begun.err().map(Arc::new)),
            retry_pace: RetryPace::new(context.retry_interval),
            is_retired: AtomicBool::new(false),
            damage: ArcSwapOption::empty(),
        })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the current snapshot.
    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.load_full()
    }

    /// Makes the state of the writer the current snapshot.
    fn publish(&self, writer: &IndexWriter) {
        self.snapshot.store(Arc::new(writer.snapshot()));
    }

    fn lock_flush(&self) -> MutexGuard<'_, ()> {
        self.flush_lock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_error(&self, error: impl Into<IndexError>) -> EngineError {
        let error: IndexError = error.into();
        error.write_error(&self.name)
    }

    /// Returns the position of the last batch that had one.
    pub(crate) fn position(&self) -> Result<Option<String>, EngineError> {
        Ok(self.usable_writer()?.manifest.position.clone())
    }

    /// Adds fields to the mapping.
    pub(crate) fn extend_mapping(&self, mapping: &Value) -> Result<(), EngineError> {
        let _flush = self.lock_flush();
        self.change(|writer| {
            // Operations in the WAL were read by the mapping before this one.
            writer.flush_wal(&self.folder).map_err(|error| self.write_error(error))?;
            let extended = writer.manifest.extend(mapping).map_err(|error| EngineError::Rejected(error.chain()))?;
            writer.mapping = Arc::new(extended);
            writer.commit(&self.folder).map_err(|error| self.write_error(error))?;
            self.publish(writer);
            Ok(())
        })
    }

    /// Writes a batch, with its position if it has one: both or neither survive a crash.
    pub(crate) fn write(
        &self,
        operations: &[WriteOperation],
        position: Option<&str>,
    ) -> Result<BatchReport, EngineError> {
        let is_large = operations.iter().map(source_bytes).sum::<usize>() >= MIN_DIRECT_FLUSH_BYTES;
        let flush_guard = is_large.then(|| self.lock_flush());
        let (report, is_stalled) = self.change(|writer| {
            let prepared = writer.prepare(operations).map_err(|error| EngineError::Rejected(error.chain()));
            let (batch, mut report) = prepared?;
            if !is_large {
                let rejected = report.rejected_indexes();
                let accepted =
                    operations.iter().enumerate().filter(|(index, _)| rejected.binary_search(index).is_err());
                let accepted = accepted.map(|(_, operation)| operation);
                writer.wal.append(accepted, position).map_err(|error| self.write_error(error))?;
            }
            report.deleted = writer.apply(batch);
            writer.set_position(position);
            if is_large {
                writer.flush(&self.folder).map_err(|error| self.write_error(error))?;
            }
            self.publish(writer);
            Ok((report, flush::must_stall_writes(writer)))
        })?;
        drop(flush_guard);
        // The batch is written, whatever becomes of the flush.
        if is_stalled && let Err(error) = self.flush_memory() {
            tracing::error!(index = self.name, %error, "cannot flush segments in memory");
        }
        Ok(report)
    }
}

/// Returns the mapping and the position of the index in a folder, whatever is wrong with its segments.
pub(crate) fn read_description(folder: &Path) -> Result<(IndexMapping, Option<String>), IndexError> {
    let (manifest, _) = Manifest::read(folder)?;
    let mut recovered = RecoveredWrites::new(manifest.is_upgraded);
    for number in wal::file_numbers(folder, manifest.first_wal)? {
        recovered.read_file(folder, number)?;
    }
    Ok((manifest.mapping()?, recovered.position.or(manifest.position)))
}

/// Returns the size of the document of an operation.
pub(crate) fn source_bytes(operation: &WriteOperation) -> usize {
    match operation {
        WriteOperation::Put { source, .. } => source.len(),
        WriteOperation::Delete { .. } => 0,
    }
}
