//! One index: a folder with segments, a log and a manifest, one writer at a time and any number of readers.
//!
//! A small batch goes into the log and becomes a segment in memory; when enough of them have come together they are
//! written as one segment file. A large batch becomes a segment file at once. Either way, when a write returns it is on
//! disk and every reader that comes after it sees it. Readers hold a snapshot and never wait.

mod capture;
mod import;
mod log;
mod manifest;
mod merge;
mod state;
mod verify;

pub use capture::IndexFile;
pub use import::ImportProgress;
pub(crate) use import::ImportRules;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwap;
use cantata_engine::{BatchReport, EngineError, Operation, Refusal};
use cantata_mapping::IndexMapping;
use serde_json::Value;

use self::log::Log;
use self::manifest::Manifest;
use self::state::Held;
use crate::build::{Draft, LiveSegment, SharedMapping, assemble};
use crate::files;
use crate::segment::Segment;
use crate::snapshot::{Snapshot, View};

/// Batches of at least so many bytes of JSON become a segment file at once.
const LARGE_BATCH: usize = 16 << 20;

/// When the log has so many bytes, what is in it becomes a segment file.
const LARGE_LOG: u64 = 32 << 20;

/// When there are so many segments of about one size in memory, they are put together.
const MANY_IN_MEMORY: usize = 8;

/// How many documents a small segment in memory has at most. Those of the next size have so many times
/// [`MANY_IN_MEMORY`], and so on.
const SMALL_IN_MEMORY: usize = 64;

/// An index.
pub(crate) struct Index {
    name: String,
    folder: PathBuf,
    writer: Mutex<Writer>,
    snapshot: ArcSwap<Snapshot>,
    /// Held while segments are put together in the background, so that two of these do not take the same ones.
    merging: Mutex<()>,
}

struct Writer {
    manifest: Manifest,
    mapping: Arc<IndexMapping>,
    log: Log,
    held: Vec<Held>,
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
        fs_err::rename(unfinished, &folder).map_err(failed)?;
        folder.parent().map_or(Ok(()), files::sync_folder).map_err(failed)?;
        Self::open(name, folder)
    }

    /// Opens the index in a folder. What the log has is taken into a segment file.
    pub(crate) fn open(name: &str, folder: PathBuf) -> Result<Self, EngineError> {
        let failed = |error: String| EngineError::Failed(format!("index `{name}` cannot be opened: {error}"));
        let manifest = Manifest::read(&folder).map_err(failed)?;
        let mapping = Arc::new(manifest.mapping().map_err(failed)?);
        remove_leftovers(&folder, &manifest).map_err(|error| failed(error.to_string()))?;
        let held = manifest.segments.iter().map(|record| Held::open(&folder, record));
        let held = held.collect::<Result<Vec<_>, _>>().map_err(failed)?;
        let unwritten = log::read(&folder, manifest.log).map_err(|error| failed(error.to_string()))?;
        // The old log is needed until its entries are in a segment file, so the new one gets another number.
        let mut manifest = manifest;
        let log = Log::create(&folder, manifest.new_file()).map_err(|error| failed(error.to_string()))?;
        let mut writer = Writer { manifest, mapping, log, held };
        if !unwritten.operations.is_empty() {
            let (batch, _) = writer.take(&unwritten.operations).map_err(failed)?;
            writer.apply(batch);
        }
        if unwritten.position.is_some() {
            writer.manifest.position = unwritten.position;
        }
        writer.checkpoint(&folder).map_err(failed)?;
        let snapshot = ArcSwap::from_pointee(writer.snapshot());
        Ok(Self { name: name.to_owned(), folder, writer: Mutex::new(writer), snapshot, merging: Mutex::new(()) })
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

    /// Writes a batch, and notes a position with it if there is one: both or none of them survive a crash.
    pub(crate) fn write(&self, operations: &[Operation], position: Option<&str>) -> Result<BatchReport, EngineError> {
        let mut writer = self.writer();
        let (batch, mut report) = writer.take(operations).map_err(|error| self.failed(error))?;
        let refused: Vec<usize> = report.refused.iter().map(|refusal| refusal.place).collect();
        if batch.json_bytes >= LARGE_BATCH {
            report.deleted = writer.apply(batch);
            writer.note(position);
            writer.checkpoint(&self.folder).map_err(|error| self.failed(error))?;
        } else {
            let accepted = operations.iter().enumerate().filter(|(place, _)| refused.binary_search(place).is_err());
            let accepted = accepted.map(|(_, operation)| operation);
            writer.log.append(accepted, position).map_err(|error| self.failed(error))?;
            report.deleted = writer.apply(batch);
            writer.note(position);
            if writer.log.bytes() >= LARGE_LOG {
                writer.checkpoint(&self.folder).map_err(|error| self.failed(error))?;
            } else {
                writer.unite_memory().map_err(|error| self.failed(error))?;
            }
        }
        self.snapshot.store(Arc::new(writer.snapshot()));
        Ok(report)
    }
}

/// A batch that is ready to be applied.
struct Batch {
    segment: Option<Segment>,
    /// The ids that are replaced or removed.
    ids: Vec<String>,
    /// How many of them are removed by an operation of their own, and not replaced.
    deletes: Vec<bool>,
    json_bytes: usize,
    mapping: Arc<IndexMapping>,
}

impl Writer {
    /// Reads a batch: its documents become a segment, or are refused one by one.
    fn take(&self, operations: &[Operation]) -> Result<(Batch, BatchReport), String> {
        let shared = Arc::new(SharedMapping::new(Arc::clone(&self.mapping)));
        let mut draft = Draft::new(Arc::clone(&shared));
        let mut report = BatchReport::default();
        let mut ids = Vec::new();
        let mut deletes = Vec::new();
        let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
        for (place, operation) in operations.iter().enumerate() {
            match operation {
                Operation::Put { id, source } => match draft.add(id, source) {
                    Ok(()) => {
                        report.written += 1;
                        places.entry(id).or_default().push(draft.len() - 1);
                        ids.push(id.clone());
                        deletes.push(false);
                    }
                    Err(reason) => report.refused.push(Refusal { place, id: id.clone(), reason }),
                },
                Operation::Delete { id } => {
                    places.remove(id.as_str()).into_iter().flatten().for_each(|place| draft.remove(place));
                    ids.push(id.clone());
                    deletes.push(true);
                }
            }
        }
        let json_bytes = draft.bytes();
        let mapping = shared.current();
        let segment = (draft.len() > 0)
            .then(|| -> Result<Segment, String> { Segment::in_memory(&assemble(&[draft.sorted()], &mapping)?) });
        Ok((Batch { segment: segment.transpose()?, ids, deletes, json_bytes, mapping }, report))
    }

    /// Notes how far the source of the documents has been read, if that is known.
    fn note(&mut self, position: Option<&str>) {
        if let Some(position) = position {
            self.manifest.position = Some(position.to_owned());
        }
    }

    /// Makes a batch part of the index, in memory, and returns how many documents it removed.
    fn apply(&mut self, batch: Batch) -> usize {
        self.mapping = batch.mapping;
        let mut deleted = 0;
        for (id, is_delete) in batch.ids.iter().zip(&batch.deletes) {
            let was_there = self.held.iter_mut().any(|held| held.remove(id));
            deleted += usize::from(*is_delete && was_there);
        }
        if let Some(segment) = batch.segment.filter(|segment| segment.documents() > 0) {
            self.held.push(Held::in_memory(segment));
        }
        deleted
    }

    fn snapshot(&self) -> Snapshot {
        let views: Vec<View> = self.held.iter().map(|held| held.view.clone()).collect();
        Snapshot::new(Arc::clone(&self.mapping), views)
    }

    /// Puts segments in memory together when there are many of about one size, the smallest first: a document is put
    /// together with others once for each size, however many small batches come.
    fn unite_memory(&mut self) -> Result<(), String> {
        let mut most = SMALL_IN_MEMORY;
        loop {
            let is_small = |held: &Held| held.file.is_none() && held.view.segment.documents() <= most;
            if self.held.iter().filter(|held| is_small(held)).count() >= MANY_IN_MEMORY {
                let (small, mut others): (Vec<Held>, Vec<Held>) = self.held.iter().cloned().partition(is_small);
                others.push(Held::in_memory(Segment::in_memory(&united(&small, &self.mapping)?)?));
                self.held = others;
            }
            if self.held.iter().all(|held| held.file.is_some() || held.view.segment.documents() <= most) {
                return Ok(());
            }
            most = most.saturating_mul(MANY_IN_MEMORY);
        }
    }

    /// Writes what is in memory into a segment file, and begins a new log.
    fn checkpoint(&mut self, folder: &Path) -> Result<(), String> {
        let text = |error: std::io::Error| error.to_string();
        let (in_memory, mut held): (Vec<Held>, Vec<Held>) =
            self.held.iter().cloned().partition(|held| held.file.is_none());
        if in_memory.iter().any(|held| held.view.documents() > 0) {
            let bytes = united(&in_memory, &self.mapping)?;
            held.push(Held::write(folder, &mut self.manifest, &bytes)?);
        }
        let log_number = self.manifest.new_file();
        let log = Log::create(folder, log_number).map_err(text)?;
        self.manifest.log = log_number;
        self.held = held;
        self.commit(folder)?;
        self.log = log;
        remove_leftovers(folder, &self.manifest).map_err(text)
    }

    /// Writes the manifest: from here on the index is what the writer holds.
    fn commit(&mut self, folder: &Path) -> Result<(), String> {
        let mut segments = Vec::new();
        self.held.retain(|held| held.view.documents() > 0);
        for held in &mut self.held {
            segments.extend(held.record(folder, &mut self.manifest).map_err(|error| error.to_string())?);
        }
        self.manifest.segments = segments;
        self.manifest.set_mapping(&self.mapping);
        files::sync_folder(folder).map_err(|error| error.to_string())?;
        self.manifest.write(folder).map_err(|error| error.to_string())
    }
}

/// Puts segments together into the bytes of one.
fn united(held: &[Held], mapping: &IndexMapping) -> Result<Vec<u8>, String> {
    let sources: Vec<LiveSegment<'_>> =
        held.iter().map(|held| LiveSegment { segment: &held.view.segment, live: held.view.live.as_deref() }).collect();
    assemble(&sources, mapping)
}

/// Removes files that are not part of the index.
fn remove_leftovers(folder: &Path, manifest: &Manifest) -> std::io::Result<()> {
    for entry in fs_err::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_str().is_some_and(|name| !manifest.names(name)) && entry.file_type()?.is_file() {
            fs_err::remove_file(entry.path())?;
        }
    }
    Ok(())
}
