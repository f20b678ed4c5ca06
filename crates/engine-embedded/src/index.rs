//! One index: a folder with segments, a write-ahead log (WAL) and a manifest, with one writer at a time and any number of
//! readers.
//!
//! A small batch is appended to the WAL and becomes a segment in memory; segments in memory are flushed to a segment file
//! in the background. A large batch becomes a segment file at once. Either way, when a write returns, every later snapshot
//! has it, and it is on disk, unless it comes with a position from which its source can be read again. Readers hold a
//! snapshot and never wait.

mod backup;
mod flush;
mod import;
mod index_segment;
#[cfg(test)]
mod interleaving_tests;
mod manifest;
mod merge;
mod merge_policy;
mod verify;
mod wal;
mod writer;

pub use backup::IndexFile;
pub(crate) use import::ImportOptions;
pub use import::ImportProgress;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwap;
use cantata_durable_file as durable_file;
use cantata_engine::{BatchReport, EngineError, WriteOperation};
use serde_json::Value;

use self::index_segment::IndexSegment;
use self::manifest::Manifest;
use self::wal::{RecoveredWrites, WriteAheadLog};
use self::writer::IndexWriter;
use crate::error::IndexError;
use crate::snapshot::Snapshot;

/// Batches of at least so many bytes of JSON become a segment file at once.
const MIN_DIRECT_FLUSH_BYTES: usize = 16 << 20;

/// An index.
pub(crate) struct Index {
    name: String,
    folder: PathBuf,
    writer: Mutex<IndexWriter>,
    snapshot: ArcSwap<Snapshot>,
    /// Held while segment files are merged, so that no two merges choose the same ones.
    merge_lock: Mutex<()>,
    /// Held while segments in memory are merged or flushed. Locked before the writer.
    flush_lock: Mutex<()>,
    /// Whether a flush or merge is scheduled.
    maintenance_scheduled: AtomicBool,
}

impl Index {
    /// Creates an index, in a temporary folder that is then renamed.
    pub(crate) fn create(
        name: &str,
        folder: PathBuf,
        temporary: &Path,
        mapping: Option<&Value>,
    ) -> Result<Self, EngineError> {
        let manifest = Manifest::new(mapping)
            .map_err(|error| EngineError::Rejected(format!("the mapping of index `{name}` cannot be used: {error}")))?;
        let create = || {
            fs_err::create_dir_all(temporary)?;
            WriteAheadLog::create(temporary, manifest.first_wal)?;
            manifest.write(temporary)?;
            // Only a whole index gets its name, so a crash in between leaves no part of one.
            durable_file::rename(temporary, &folder)
        };
        create().map_err(|error: std::io::Error| EngineError::Failed(error.to_string()))?;
        Self::open(name, folder)
    }

    /// Opens the index in a folder. The writes in its WAL are flushed to a segment file.
    pub(crate) fn open(name: &str, folder: PathBuf) -> Result<Self, EngineError> {
        let writer = Self::recover(&folder)
            .map_err(|error| EngineError::Failed(format!("index `{name}` cannot be opened: {}", error.chain())))?;
        Ok(Self {
            name: name.to_owned(),
            folder,
            snapshot: ArcSwap::from_pointee(writer.snapshot()),
            writer: Mutex::new(writer),
            merge_lock: Mutex::default(),
            flush_lock: Mutex::default(),
            maintenance_scheduled: AtomicBool::new(false),
        })
    }

    fn recover(folder: &Path) -> Result<IndexWriter, IndexError> {
        let mut manifest = Manifest::read(folder)?;
        let mapping = Arc::new(manifest.mapping()?);
        manifest.remove_orphans(folder, &BTreeSet::new())?;
        let segments = manifest.segments.iter().map(|entry| IndexSegment::open(folder, entry));
        let segments = segments.collect::<Result<Vec<_>, _>>()?;
        let mut recovered = RecoveredWrites::default();
        for number in wal::file_numbers(folder, manifest.first_wal)? {
            recovered.read_file(folder, number)?;
            manifest.next_file = manifest.next_file.max(number + 1);
        }
        // The old WAL files are needed until their writes are in a segment file, so the new one gets another number.
        let wal = WriteAheadLog::create(folder, manifest.new_file_number())?;
        let mut writer = IndexWriter::new(manifest, mapping, wal, segments);
        if !recovered.operations.is_empty() {
            let (batch, _) = writer.prepare(&recovered.operations);
            writer.apply(batch);
        }
        writer.set_position(recovered.position.as_deref());
        writer.flush(folder)?;
        Ok(writer)
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

    fn writer(&self) -> MutexGuard<'_, IndexWriter> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_flush(&self) -> MutexGuard<'_, ()> {
        self.flush_lock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_error(&self, error: impl Into<IndexError>) -> EngineError {
        EngineError::Failed(format!("index `{}` cannot be written: {}", self.name, error.into().chain()))
    }

    /// Returns the position of the last batch that had one.
    pub(crate) fn position(&self) -> Option<String> {
        self.writer().manifest.position.clone()
    }

    /// Adds fields to the mapping.
    pub(crate) fn extend_mapping(&self, mapping: &Value) -> Result<(), EngineError> {
        let _flush = self.lock_flush();
        let mut writer = self.writer();
        // Operations in the WAL were read by the mapping before this one.
        writer.flush_wal(&self.folder).map_err(|error| self.write_error(error))?;
        let extended = writer.manifest.extend(mapping).map_err(|error| EngineError::Rejected(error.chain()))?;
        writer.mapping = Arc::new(extended);
        writer.commit(&self.folder).map_err(|error| self.write_error(error))?;
        self.publish(&writer);
        Ok(())
    }

    /// Writes a batch, with its position if it has one: both or neither survive a crash.
    pub(crate) fn write(
        &self,
        operations: &[WriteOperation],
        position: Option<&str>,
    ) -> Result<BatchReport, EngineError> {
        let is_large = operations.iter().map(source_bytes).sum::<usize>() >= MIN_DIRECT_FLUSH_BYTES;
        let flush_guard = is_large.then(|| self.lock_flush());
        let mut writer = self.writer();
        let (batch, mut report) = writer.prepare(operations);
        if !is_large {
            let rejected = report.rejected_indexes();
            let accepted = operations.iter().enumerate().filter(|(index, _)| rejected.binary_search(index).is_err());
            let accepted = accepted.map(|(_, operation)| operation);
            writer.wal.append(accepted, position).map_err(|error| self.write_error(error))?;
        }
        report.deleted = writer.apply(batch);
        writer.set_position(position);
        if is_large {
            writer.flush(&self.folder).map_err(|error| self.write_error(error))?;
        }
        self.publish(&writer);
        let is_stalled = flush::must_stall_writes(&writer);
        drop((writer, flush_guard));
        if is_stalled {
            self.flush_memory()?;
        }
        Ok(report)
    }
}

/// Returns the size of the document of an operation.
pub(crate) fn source_bytes(operation: &WriteOperation) -> usize {
    match operation {
        WriteOperation::Put { source, .. } => source.len(),
        WriteOperation::Delete { .. } => 0,
    }
}
