//! What the writer of an index knows: the segments with what is deleted in them, the log, the manifest.
//!
//! Whoever holds the writer may change the index. Segments never change: putting some of them together makes another
//! one, which takes their place by [`Writer::exchange`].

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use cantata_durable_file as durable_file;
use cantata_engine::{BatchReport, Operation, Refusal};
use cantata_mapping::IndexMapping;
use hashbrown::HashMap;

use super::log::Log;
use super::manifest::Manifest;
use super::state::{Held, segment_file};
use crate::build::{Draft, LiveSegment, SharedMapping, assemble};
use crate::segment::{Assembled, Segment, SoughtId};
use crate::snapshot::{Snapshot, View};

/// The state of an index that is written to.
pub(crate) struct Writer {
    pub(crate) manifest: Manifest,
    pub(crate) mapping: Arc<IndexMapping>,
    pub(crate) log: Log,
    pub(crate) held: Vec<Held>,
    /// The segment files that are being made beside the writes, and are not part of the index yet.
    unfinished: BTreeSet<String>,
}

/// A batch that is ready to be applied.
pub(crate) struct Batch {
    segment: Option<Segment>,
    /// The ids that are replaced or removed.
    ids: Vec<String>,
    /// How many of them are removed by an operation of their own, and not replaced.
    deletes: Vec<bool>,
    mapping: Arc<IndexMapping>,
}

impl Writer {
    pub(crate) fn new(manifest: Manifest, mapping: Arc<IndexMapping>, log: Log, held: Vec<Held>) -> Self {
        Self { manifest, mapping, log, held, unfinished: BTreeSet::new() }
    }

    /// Returns the number of a segment file that is made while others write; nobody removes it until [`Self::finished`].
    pub(crate) fn begin_segment(&mut self) -> u64 {
        let number = self.manifest.new_file();
        self.unfinished.insert(segment_file(number));
        number
    }

    /// Notes that a segment file is complete, or will never be.
    pub(crate) fn finished(&mut self, number: u64) {
        self.unfinished.remove(&segment_file(number));
    }

    /// Reads a batch: its documents become a segment, or are refused one by one.
    pub(crate) fn take(&self, operations: &[Operation]) -> (Batch, BatchReport) {
        let shared = Arc::new(SharedMapping::new(Arc::clone(&self.mapping)));
        let mut draft = Draft::new(Arc::clone(&shared));
        let mut report = BatchReport::default();
        let mut ids = Vec::new();
        let mut deletes = Vec::new();
        // Where the documents are that a later operation may remove again.
        let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
        let is_delete = |operation: &Operation| matches!(operation, Operation::Delete { .. });
        let last_delete = operations.iter().rposition(is_delete).unwrap_or_default();
        for (place, operation) in operations.iter().enumerate() {
            match operation {
                Operation::Put { id, source } => match draft.add(id, source) {
                    Ok(()) => {
                        report.written += 1;
                        if place < last_delete {
                            places.entry(id).or_default().push(draft.len() - 1);
                        }
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
        let mapping = shared.current();
        let segment = (draft.len() > 0).then(|| Segment::in_memory(assemble(&[draft.sorted()], &mapping)));
        (Batch { segment, ids, deletes, mapping }, report)
    }

    /// Notes how far the source of the documents has been read, if that is known.
    pub(crate) fn note(&mut self, position: Option<&str>) {
        if let Some(position) = position {
            self.manifest.position = Some(position.to_owned());
        }
    }

    /// Makes a batch part of the index, in memory, and returns how many documents it removed.
    pub(crate) fn apply(&mut self, batch: Batch) -> usize {
        self.mapping = batch.mapping;
        let mut deleted = 0;
        for (id, is_delete) in batch.ids.iter().zip(&batch.deletes) {
            let was_there = self.remove(id);
            deleted += usize::from(*is_delete && was_there);
        }
        if let Some(segment) = batch.segment.filter(|segment| segment.documents() > 0) {
            self.held.push(Held::in_memory(segment));
        }
        deleted
    }

    /// Takes a document away, wherever it is; says whether it was there.
    pub(crate) fn remove(&mut self, id: &str) -> bool {
        let id = SoughtId::new(id);
        self.held.iter_mut().any(|held| held.remove(&id))
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        let views: Vec<View> = self.held.iter().map(|held| held.view.clone()).collect();
        Snapshot::new(Arc::clone(&self.mapping), views)
    }

    /// Returns the segments that are in memory only.
    pub(crate) fn in_memory(&self) -> Vec<Held> {
        self.held.iter().filter(|held| held.file.is_none()).cloned().collect()
    }

    /// Begins a new log and returns its number. The old one is part of the index until the manifest says that the logs
    /// begin with the new one.
    pub(crate) fn begin_log(&mut self, folder: &Path) -> Result<u64, String> {
        let text = |error: std::io::Error| error.to_string();
        // Whatever is in the new log comes after everything in the old one, after a crash too.
        self.log.sync().map_err(text)?;
        let number = self.manifest.new_file();
        self.log = Log::create(folder, number).map_err(text)?;
        durable_file::sync_folder(folder).map_err(text)?;
        Ok(number)
    }

    /// Writes what is in memory into a segment file, and begins a new log.
    pub(crate) fn checkpoint(&mut self, folder: &Path) -> Result<(), String> {
        let log = self.begin_log(folder)?;
        let in_memory = self.in_memory();
        let united = united(&in_memory, &self.mapping);
        let number = self.manifest.new_file();
        let written = united.map(|united| Held::write(folder, number, &united.into_file()?)).transpose()?;
        self.exchange(&in_memory, written);
        self.leave_older_logs(log, folder)
    }

    /// Notes that everything in the logs before this one is in segment files.
    pub(crate) fn leave_older_logs(&mut self, log: u64, folder: &Path) -> Result<(), String> {
        self.manifest.log = log;
        self.commit(folder)?;
        self.remove_leftovers(folder)
    }

    /// Puts a segment in the place of those that it was made of. What was deleted in these since they were chosen is
    /// deleted in it too.
    pub(crate) fn exchange(&mut self, chosen: &[Held], mut made: Option<Held>) {
        for before in chosen {
            // One that is not held any more has lost its last document meanwhile.
            let now = self.held.iter().find(|held| held.is(before));
            let segment = &before.view.segment;
            if now.is_some_and(|now| now.view.documents() == before.view.documents()) {
                continue;
            }
            let is_live = |held: &Held, row| held.view.live.as_ref().is_none_or(|live| live.contains(row));
            for row in (0..segment.documents()).filter(|&row| is_live(before, row)) {
                if let Some(made) = &mut made
                    && !now.is_some_and(|now| is_live(now, row))
                {
                    made.remove(&SoughtId::new(segment.id(row)));
                }
            }
        }
        self.held.retain(|held| !chosen.iter().any(|other| held.is(other)));
        self.held.extend(made);
    }

    /// Writes the manifest: from here on the index is what the writer holds.
    pub(crate) fn commit(&mut self, folder: &Path) -> Result<(), String> {
        let mut segments = Vec::new();
        self.held.retain(|held| held.view.documents() > 0);
        for held in &mut self.held {
            segments.extend(held.record(folder, &mut self.manifest).map_err(|error| error.to_string())?);
        }
        self.manifest.segments = segments;
        self.manifest.set_mapping(&self.mapping);
        // What is deleted in the segments and how far the source was read must not be ahead of the log.
        self.log.sync().map_err(|error| error.to_string())?;
        durable_file::sync_folder(folder).map_err(|error| error.to_string())?;
        self.manifest.write(folder).map_err(|error| error.to_string())
    }

    /// Removes files that are not part of the index.
    pub(crate) fn remove_leftovers(&self, folder: &Path) -> Result<(), String> {
        self.manifest.remove_leftovers(folder, &self.unfinished).map_err(|error| error.to_string())
    }
}

/// Puts segments together into one; none if no document is left in them.
pub(crate) fn united(held: &[Held], mapping: &IndexMapping) -> Option<Assembled> {
    if held.iter().all(|held| held.view.documents() == 0) {
        return None;
    }
    let sources: Vec<LiveSegment<'_>> =
        held.iter().map(|held| LiveSegment { segment: &held.view.segment, live: held.view.live.as_deref() }).collect();
    Some(assemble(&sources, mapping))
}
