//! One index: a folder with segments, a log and a manifest, one writer at a time and any number of readers.
//!
//! A small batch goes into the log and becomes a segment in memory; when enough of them have come together they are
//! written as one segment file, beside the writes. A large batch becomes a segment file at once. Either way, when a write
//! returns, every reader that comes after it sees it, and it is on disk, unless it notes a position from which it can be
//! had again. Readers hold a snapshot and never wait.

mod capture;
mod import;
mod log;
mod manifest;
mod merge;
mod state;
mod tidy;
mod verify;
mod writer;

pub use capture::IndexFile;
pub use import::ImportProgress;
pub(crate) use import::ImportRules;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwap;
use cantata_durable_file as durable_file;
use cantata_engine::{BatchReport, EngineError, Operation};
use serde_json::Value;

use self::log::{Entries, Log};
use self::manifest::Manifest;
use self::state::Held;
use self::writer::Writer;
use crate::snapshot::Snapshot;

/// Batches of at least so many bytes of JSON become a segment file at once.
const LARGE_BATCH: usize = 16 << 20;

/// An index.
pub(crate) struct Index {
    name: String,
    folder: PathBuf,
    writer: Mutex<Writer>,
    snapshot: ArcSwap<Snapshot>,
    /// Held while segment files are put together, so that two of these do not take the same ones.
    merging: Mutex<()>,
    /// Held while segments in memory are put together or become files.
    tidying: Mutex<()>,
    /// Whether somebody is about to tidy.
    tidied_soon: AtomicBool,
}

impl Index {
    /// Makes a new index in a folder that is not there yet, by way of an unfinished one beside it.
    pub(crate) fn create(
        name: &str,
        folder: PathBuf,
        unfinished: &Path,
        mapping: Option<&Value>,
    ) -> Result<Self, EngineError> {
        let manifest = Manifest::new(mapping)
            .map_err(|error| EngineError::Refused(format!("the mapping of index `{name}` cannot be used: {error}")))?;
        let failed = |error: std::io::Error| EngineError::Failed(error.to_string());
        fs_err::create_dir_all(unfinished).map_err(failed)?;
        Log::create(unfinished, manifest.log).map_err(failed)?;
        manifest.write(unfinished).map_err(failed)?;
        // Only a whole index gets its name, so a crash in between leaves no half of one.
        durable_file::rename(unfinished, &folder).map_err(failed)?;
        Self::open(name, folder)
    }

    /// Opens the index in a folder. What the log has is taken into a segment file.
    pub(crate) fn open(name: &str, folder: PathBuf) -> Result<Self, EngineError> {
        let failed = |error: String| EngineError::Failed(format!("index `{name}` cannot be opened: {error}"));
        let mut manifest = Manifest::read(&folder).map_err(failed)?;
        let mapping = Arc::new(manifest.mapping().map_err(failed)?);
        let text = |error: std::io::Error| error.to_string();
        manifest.remove_leftovers(&folder, &BTreeSet::new()).map_err(text).map_err(failed)?;
        let held = manifest.segments.iter().map(|record| Held::open(&folder, record));
        let held = held.collect::<Result<Vec<_>, _>>().map_err(failed)?;
        let mut unwritten = Entries::default();
        for number in log::numbers(&folder, manifest.log).map_err(text).map_err(failed)? {
            unwritten.read_log(&folder, number).map_err(text).map_err(failed)?;
            manifest.next_file = manifest.next_file.max(number + 1);
        }
        // The old logs are needed until their entries are in a segment file, so the new one gets another number.
        let log = Log::create(&folder, manifest.new_file()).map_err(text).map_err(failed)?;
        let mut writer = Writer::new(manifest, mapping, log, held);
        if !unwritten.operations.is_empty() {
            let (batch, _) = writer.take(&unwritten.operations);
            writer.apply(batch);
        }
        if unwritten.position.is_some() {
            writer.manifest.position = unwritten.position;
        }
        writer.checkpoint(&folder).map_err(failed)?;
        let snapshot = ArcSwap::from_pointee(writer.snapshot());
        Ok(Self {
            name: name.to_owned(),
            folder,
            writer: Mutex::new(writer),
            snapshot,
            merging: Mutex::default(),
            tidying: Mutex::default(),
            tidied_soon: AtomicBool::new(false),
        })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns what the index is now.
    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.load_full()
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failed(&self, error: impl std::fmt::Display) -> EngineError {
        EngineError::Failed(format!("index `{}` cannot be written: {error}", self.name))
    }

    /// Returns the position that was noted last.
    pub(crate) fn position(&self) -> Option<String> {
        self.writer().manifest.position.clone()
    }

    /// Adds fields to the mapping.
    pub(crate) fn extend_mapping(&self, mapping: &Value) -> Result<(), EngineError> {
        let _tidying = self.tidying();
        let mut writer = self.writer();
        // What is in the log was read by the mapping before this one.
        if writer.log.bytes() > 0 {
            writer.checkpoint(&self.folder).map_err(|error| self.failed(error))?;
        }
        let extended = writer.manifest.extend(mapping).map_err(EngineError::Refused)?;
        writer.mapping = Arc::new(extended);
        writer.commit(&self.folder).map_err(|error| self.failed(error))?;
        self.snapshot.store(Arc::new(writer.snapshot()));
        Ok(())
    }

    fn tidying(&self) -> MutexGuard<'_, ()> {
        self.tidying.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a batch, and notes a position with it if there is one: both or none of them survive a crash.
    pub(crate) fn write(&self, operations: &[Operation], position: Option<&str>) -> Result<BatchReport, EngineError> {
        let is_large = operations.iter().map(size_of).sum::<usize>() >= LARGE_BATCH;
        let tidying = is_large.then(|| self.tidying());
        let mut writer = self.writer();
        let (batch, mut report) = writer.take(operations);
        if is_large {
            report.deleted = writer.apply(batch);
            writer.note(position);
            writer.checkpoint(&self.folder).map_err(|error| self.failed(error))?;
        } else {
            let refused: Vec<usize> = report.refused.iter().map(|refusal| refusal.place).collect();
            let accepted = operations.iter().enumerate().filter(|(place, _)| refused.binary_search(place).is_err());
            let accepted = accepted.map(|(_, operation)| operation);
            writer.log.append(accepted, position).map_err(|error| self.failed(error))?;
            report.deleted = writer.apply(batch);
            writer.note(position);
        }
        self.snapshot.store(Arc::new(writer.snapshot()));
        let is_too_much = tidy::is_too_much(&writer);
        drop((writer, tidying));
        if is_too_much {
            self.tidy_memory()?;
        }
        Ok(report)
    }
}

/// Returns the size of the document of an operation.
pub(crate) fn size_of(operation: &Operation) -> usize {
    match operation {
        Operation::Put { source, .. } => source.len(),
        Operation::Delete { .. } => 0,
    }
}
