//! The writer of an index: its segments with their deleted documents, the WAL, the manifest.
//!
//! Segments are immutable: a merge makes another one, which replaces the merged ones by
//! [`IndexWriter::replace_segments`].

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use cantata_durable_file as durable_file;
use cantata_engine::{BatchReport, WriteOperation};
use cantata_mapping::IndexMapping;
use hashbrown::HashMap;

use super::index_segment::{IndexSegment, segment_file_name};
use super::manifest::Manifest;
use super::open_context::OpenContext;
use super::wal::{self, RecoveredWrites, WriteAheadLog};
use crate::build::{DocumentBuffer, DynamicMapping, build_segment, build_segment_file};
use crate::error::IndexError;
use crate::segment::{BuiltSegment, HashedId, Segment};
use crate::segment_reader::SegmentReader;
use crate::snapshot::Snapshot;

/// The state of an index that is written to.
pub(crate) struct IndexWriter {
    pub(crate) manifest: Manifest,
    pub(crate) mapping: Arc<IndexMapping>,
    pub(crate) wal: WriteAheadLog,
    /// The bytes of the entries of older WAL files: of a flush that is running, or that failed.
    older_wal_bytes: u64,
    pub(crate) segments: Vec<IndexSegment>,
    /// The manifest as the last commit wrote it, or as it was found.
    pub(crate) committed_manifest: Vec<u8>,
    /// Whether another manifest than the committed one may be on disk, with its files: a change that failed has written it,
    /// and it is not restored yet.
    may_be_replaced: bool,
    /// Segment files that are being written and are not part of the index yet.
    pending_files: BTreeSet<String>,
    /// Whether the folder has a way back to an earlier format.
    has_way_back: bool,
    /// How often the index was opened again. What was computed from the segments of an earlier epoch is of no use.
    pub(crate) epoch: u64,
}

/// A segment file that is written without the writer.
pub(crate) struct ReservedFile {
    pub(crate) number: u64,
    epoch: u64,
}

/// A batch that is ready to be applied.
pub(crate) struct PreparedBatch {
    segment: Option<Segment>,
    /// The ids that are replaced or deleted, and whether by a delete operation.
    ids: Vec<(String, bool)>,
    mapping: Arc<IndexMapping>,
}

impl IndexWriter {
    /// Reads an index in a folder, again if there was a writer before. It can be searched, and written after
    /// [`Self::begin`].
    pub(crate) fn load(folder: &Path, before: Option<&Self>, context: &OpenContext) -> Result<Self, IndexError> {
        let (mut manifest, committed_manifest) = Manifest::read(folder)?;
        let mapping = Arc::new(manifest.mapping()?);
        let pending_files = before.map(|before| before.pending_files.clone()).unwrap_or_default();
        manifest.next_file = manifest.next_file.max(before.map_or(0, |before| before.manifest.next_file));
        let known = before.map(|before| before.segments.as_slice()).unwrap_or_default();
        let segments = manifest.segments.iter().map(|entry| IndexSegment::open(folder, entry, known));
        let segments = segments.collect::<Result<Vec<_>, _>>()?;
        context.verify(&segments)?;
        let mut recovered = RecoveredWrites::new(manifest.is_upgraded);
        for number in wal::file_numbers(folder, manifest.first_wal)? {
            recovered.read_file(folder, number)?;
            manifest.next_file = manifest.next_file.max(number + 1);
        }
        let wal = WriteAheadLog::without_file();
        let epoch = before.map_or(0, |before| before.epoch + 1);
        let mut writer = Self {
            manifest,
            mapping,
            wal,
            older_wal_bytes: 0,
            segments,
            committed_manifest,
            may_be_replaced: false,
            pending_files,
            has_way_back: false,
            epoch,
        };
        if !recovered.operations.is_empty() {
            let (batch, _) = writer.prepare(&recovered.operations)?;
            writer.apply(batch);
        }
        writer.set_position(recovered.position.as_deref());
        Ok(writer)
    }

    /// Begins to write. What was read from WAL files is flushed to a segment file; until then they are needed, so the new
    /// one gets another number.
    pub(crate) fn begin(&mut self, folder: &Path) -> Result<(), IndexError> {
        self.has_way_back = self.manifest.keep_copy(folder, &self.committed_manifest)?;
        self.manifest.remove_orphans(folder, &self.pending_files)?;
        self.flush(folder)
    }

    /// Gives up the way back to an earlier format, if there is one, because the index has been written to. If that fails, a
    /// later write does it.
    pub(crate) fn remove_way_back(&mut self, folder: &Path) {
        if !self.has_way_back {
            return;
        }
        match Manifest::remove_copy(folder) {
            Ok(()) => {
                self.has_way_back = false;
                self.remove_orphans(folder);
            }
            Err(error) => tracing::warn!(%error, "the copy of a manifest of an earlier format cannot be removed"),
        }
    }

    /// Sets the files back to what they were before a change that failed. Where there is no room for that, the files that the
    /// change has written may be what fills the disk, so they are removed first, unless a manifest on disk may need them.
    pub(crate) fn roll_back(&mut self, folder: &Path) -> Result<(), IndexError> {
        self.wal.remove_unconfirmed()?;
        let in_place = Manifest::read(folder).ok().filter(|(_, text)| *text == self.committed_manifest);
        self.may_be_replaced |= in_place.is_none();
        let restored = Manifest::restore(folder, &self.committed_manifest).or_else(|error| {
            let is_safe = !self.may_be_replaced && durable_file::is_not_writable(&error);
            let (committed, _) = in_place.filter(|_| is_safe).ok_or(error)?;
            committed.remove_orphans(folder, &self.pending_files)?;
            Manifest::restore(folder, &self.committed_manifest)
        });
        restored?;
        self.may_be_replaced = false;
        Ok(())
    }

    /// Returns the number of a segment file that is written without the writer. It is no orphan until
    /// [`Self::release_segment_file`].
    pub(crate) fn reserve_segment_file(&mut self) -> ReservedFile {
        let number = self.manifest.new_file_number();
        self.pending_files.insert(segment_file_name(number));
        ReservedFile { number, epoch: self.epoch }
    }

    /// Returns whether the file can become part of the index: it was not opened again meanwhile.
    pub(crate) fn release_segment_file(&mut self, reserved: &ReservedFile) -> bool {
        self.pending_files.remove(&segment_file_name(reserved.number));
        self.epoch == reserved.epoch
    }

    /// Gives up a reserved file that was not released, and removes it: it may be what fills the disk. If that fails, it is
    /// an orphan.
    pub(crate) fn discard_segment_file(&mut self, reserved: &ReservedFile, folder: &Path) {
        let file = segment_file_name(reserved.number);
        if self.pending_files.remove(&file) {
            let _ = fs_err::remove_file(folder.join(file));
        }
    }

    /// Reads a batch: its documents become a segment, or are rejected one by one.
    pub(crate) fn prepare(&self, operations: &[WriteOperation]) -> Result<(PreparedBatch, BatchReport), IndexError> {
        let dynamic_mapping = Arc::new(DynamicMapping::new(Arc::clone(&self.mapping)));
        let mut buffer = DocumentBuffer::new(Arc::clone(&dynamic_mapping));
        let mut report = BatchReport::default();
        let mut ids = Vec::new();
        // The documents in the buffer that a later operation of the batch may delete.
        let mut buffered: HashMap<&str, Vec<usize>> = HashMap::new();
        let is_delete = |operation: &WriteOperation| matches!(operation, WriteOperation::Delete { .. });
        let last_delete = operations.iter().rposition(is_delete).unwrap_or_default();
        for (batch_index, operation) in operations.iter().enumerate() {
            match operation {
                WriteOperation::Put { id, source } => match buffer.add(id, source) {
                    Ok(()) => {
                        report.written += 1;
                        if batch_index < last_delete {
                            buffered.entry(id).or_default().push(buffer.len() - 1);
                        }
                        ids.push((id.clone(), false));
                    }
                    Err(error) => report.reject(batch_index, id, &error),
                },
                WriteOperation::Delete { id } => {
                    buffered.remove(id.as_str()).into_iter().flatten().for_each(|index| buffer.delete(index));
                    ids.push((id.clone(), true));
                }
            }
        }
        let mapping = dynamic_mapping.current();
        let segment = match buffer.len() {
            0 => None,
            _ => Some(Segment::in_memory(build_segment(&[buffer.sorted()], &mapping)?)),
        };
        Ok((PreparedBatch { segment, ids, mapping }, report))
    }

    /// Sets how far the source of the documents has been read, if that is known.
    pub(crate) fn set_position(&mut self, position: Option<&str>) {
        if let Some(position) = position {
            self.manifest.position = Some(position.to_owned());
        }
    }

    /// Makes a batch part of the index, in memory; returns how many documents its delete operations deleted.
    pub(crate) fn apply(&mut self, batch: PreparedBatch) -> usize {
        self.mapping = batch.mapping;
        let mut deleted = 0;
        for (id, is_delete) in &batch.ids {
            let was_there = self.delete(id);
            deleted += usize::from(*is_delete && was_there);
        }
        if let Some(segment) = batch.segment.filter(|segment| segment.document_count() > 0) {
            self.segments.push(IndexSegment::in_memory(segment));
        }
        deleted
    }

    /// Deletes a document; returns whether it was there.
    pub(crate) fn delete(&mut self, id: &str) -> bool {
        let id = HashedId::new(id);
        self.segments.iter_mut().any(|segment| segment.delete(&id))
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        let readers = self.segments.iter().map(|segment| segment.reader.clone()).collect();
        Snapshot::new(Arc::clone(&self.mapping), readers)
    }

    pub(crate) fn memory_segments(&self) -> impl Iterator<Item = &IndexSegment> {
        self.segments.iter().filter(|segment| segment.file.is_none())
    }

    /// Begins a new WAL file and returns its number. The old one is part of the index until [`Self::checkpoint_wal`].
    pub(crate) fn rotate_wal(&mut self, folder: &Path) -> Result<u64, IndexError> {
        // Everything in the new file comes after everything in the old one, after a crash too.
        self.wal.sync()?;
        let number = self.manifest.new_file_number();
        let wal = WriteAheadLog::create(folder, number)?;
        self.older_wal_bytes += self.wal.bytes();
        self.wal = wal;
        Ok(number)
    }

    /// Returns the bytes of the WAL entries whose operations are not in segment files.
    pub(crate) fn unflushed_bytes(&self) -> u64 {
        self.older_wal_bytes + self.wal.bytes()
    }

    /// Flushes segments in memory to a segment file, and begins a new WAL file.
    pub(crate) fn flush(&mut self, folder: &Path) -> Result<(), IndexError> {
        let wal = self.rotate_wal(folder)?;
        let flushed = self.flush_before(wal, folder);
        if flushed.is_err() {
            // It is empty. Tried again and again, as on a full disk, flushes would leave many.
            let _ = fs_err::remove_file(folder.join(wal::file_name(wal)));
        }
        flushed
    }

    /// Flushes what is in the WAL files before this one.
    fn flush_before(&mut self, wal: u64, folder: &Path) -> Result<(), IndexError> {
        let in_memory: Vec<IndexSegment> = self.memory_segments().cloned().collect();
        let number = self.manifest.new_file_number();
        let written = merge_to_file(&in_memory, &self.mapping, folder, number)?;
        self.replace_segments(&in_memory, written);
        self.checkpoint_wal(wal, folder)
    }

    /// Flushes if the WAL has entries, in any of its files.
    pub(crate) fn flush_wal(&mut self, folder: &Path) -> Result<(), IndexError> {
        if self.unflushed_bytes() > 0 { self.flush(folder) } else { Ok(()) }
    }

    /// Drops the WAL files before the present one, whose operations are all in segment files.
    pub(crate) fn checkpoint_wal(&mut self, first_wal: u64, folder: &Path) -> Result<(), IndexError> {
        self.manifest.first_wal = first_wal;
        self.commit(folder)?;
        self.older_wal_bytes = 0;
        self.remove_orphans(folder);
        Ok(())
    }

    /// Replaces segments by the result of their merge. What was deleted in them since they were chosen is deleted in it too.
    pub(crate) fn replace_segments(&mut self, chosen: &[IndexSegment], mut merged: Option<IndexSegment>) {
        for before in chosen {
            // One that is not part of the index any more has lost its last document meanwhile.
            let now = self.segments.iter().find(|segment| segment.is_same(before));
            let live_document_count = before.reader.live_document_count();
            if now.is_some_and(|now| now.reader.live_document_count() == live_document_count) {
                continue;
            }
            for row in before.reader.live_rows().filter(|&row| !now.is_some_and(|now| now.reader.is_live(row))) {
                if let Some(merged) = &mut merged {
                    merged.delete(&HashedId::new(before.reader.segment.id(row)));
                }
            }
        }
        self.segments.retain(|segment| !chosen.iter().any(|other| segment.is_same(other)));
        self.segments.extend(merged);
    }

    /// Writes the manifest: from here on the index has the state of the writer.
    pub(crate) fn commit(&mut self, folder: &Path) -> Result<(), IndexError> {
        let mut entries = Vec::new();
        self.segments.retain(|segment| segment.reader.live_document_count() > 0);
        for segment in &mut self.segments {
            entries.extend(segment.manifest_entry(folder, &mut self.manifest)?);
        }
        self.manifest.segments = entries;
        self.manifest.set_mapping(&self.mapping);
        // Deletions and the position in the manifest must not be ahead of the WAL.
        self.wal.sync()?;
        durable_file::sync_folder(folder)?;
        self.committed_manifest = self.manifest.write(folder)?;
        Ok(())
    }

    /// Removes files that are not part of the index. What cannot be removed now is removed later, and fails nothing.
    pub(crate) fn remove_orphans(&self, folder: &Path) {
        if let Err(error) = self.manifest.remove_orphans(folder, &self.pending_files) {
            tracing::warn!(%error, "files that are not part of an index cannot be removed");
        }
    }
}

/// Merges segments into one in memory; none if they have no live document.
pub(crate) fn merge_segments(
    segments: &[IndexSegment],
    mapping: &IndexMapping,
) -> Result<Option<BuiltSegment>, IndexError> {
    readers_with_documents(segments).map(|readers| build_segment(&readers, mapping)).transpose()
}

/// Merges segments into a new segment file; none if they have no live document.
pub(crate) fn merge_to_file(
    segments: &[IndexSegment],
    mapping: &IndexMapping,
    folder: &Path,
    number: u64,
) -> Result<Option<IndexSegment>, IndexError> {
    let Some(readers) = readers_with_documents(segments) else { return Ok(None) };
    build_segment_file(&readers, mapping, &folder.join(segment_file_name(number)))?;
    IndexSegment::open_new(folder, number).map(Some)
}

/// Returns the readers of segments; nothing if they have no live document.
fn readers_with_documents(segments: &[IndexSegment]) -> Option<Vec<SegmentReader>> {
    let readers: Vec<SegmentReader> = segments.iter().map(|segment| segment.reader.clone()).collect();
    readers.iter().any(|reader| reader.live_document_count() > 0).then_some(readers)
}
