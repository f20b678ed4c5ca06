//! Flushing: keeping segments in memory few and the WAL short, while writes go on.
//!
//! Segments are immutable, so they are merged and written without the writer, which is locked for a moment to replace them
//! by the result. A flush begins with a new WAL file: from then on batches go into it, and the old one is dropped when the
//! segment file is part of the index. A crash in between leaves two WAL files, which are replayed one after the other.
//!
//! While batches come in a stream, segments in memory are left to accumulate: merged later, each document is merged with
//! more others at once, or goes straight into the file. Every search reads each of them, so their number is bounded.

use std::sync::atomic::Ordering;
use std::sync::{Arc, TryLockError};
use std::time::Duration;

use cantata_engine::EngineError;

use super::Index;
use super::change::catch_panic;
use super::index_segment::IndexSegment;
use super::merge_policy::{MEMORY_SEGMENTS_PER_MERGE, choose_files, choose_memory_segments};
use super::writer::{IndexWriter, merge_segments};
use crate::build_memory::flush_wal_bytes;
use crate::segment::Segment;

/// The number of segments of one tier in memory at which a merge does not wait for a pause in the writes.
const OVERLOADED_MEMORY_SEGMENTS: usize = 64;

/// Writes stall at this many times that number, and the WAL size of a flush. Nothing in memory is merged during a flush,
/// and small batches come by the hundred: they must not have to wait for it.
const WRITE_STALL_FACTOR: usize = 8;

/// Returns whether so much is in memory that the writer of a batch has to flush it.
pub(super) fn must_stall_writes(writer: &IndexWriter) -> bool {
    writer.unflushed_bytes() >= flush_wal_bytes() * WRITE_STALL_FACTOR as u64
        || writer.memory_segments().count() >= OVERLOADED_MEMORY_SEGMENTS * WRITE_STALL_FACTOR
}

impl Index {
    /// Returns whether the caller has to schedule [`Self::flush_memory`] and [`Self::merge_files`]: something is to be
    /// done, and no other caller claimed it.
    pub(crate) fn claim_maintenance(&self) -> bool {
        if self.maintenance_scheduled.load(Ordering::Relaxed) || !self.is_maintenance_due() {
            return false;
        }
        let is_due = self.usable_writer().is_ok_and(|writer| {
            self.is_flush_due(&writer)
                || !choose_memory_segments(&writer.segments, MEMORY_SEGMENTS_PER_MERGE).is_empty()
                || !choose_files(&writer.segments, self.max_segment_bytes).is_empty()
        });
        is_due && !self.maintenance_scheduled.swap(true, Ordering::Relaxed)
    }

    /// Returns whether the WAL is large. What a running flush has begun with is not counted: it would schedule another one.
    fn is_flush_due(&self, writer: &IndexWriter) -> bool {
        let is_flushing = matches!(self.flush_lock.try_lock(), Err(TryLockError::WouldBlock));
        let bytes = if is_flushing { writer.wal.bytes() } else { writer.unflushed_bytes() };
        bytes >= flush_wal_bytes()
    }

    /// Waits for an interval; returns whether nothing was written during it, or so much that maintenance cannot wait.
    pub(crate) async fn is_idle_or_overloaded(&self, interval: Duration) -> bool {
        let before = Arc::downgrade(&self.snapshot());
        tokio::time::sleep(interval).await;
        let writer = self.lock_writer();
        Arc::downgrade(&self.snapshot()).ptr_eq(&before)
            || self.is_flush_due(&writer)
            || !choose_memory_segments(&writer.segments, OVERLOADED_MEMORY_SEGMENTS).is_empty()
    }

    /// Merges segments in memory, or flushes them, until there is nothing to do.
    pub(crate) fn flush_memory(&self) -> Result<(), EngineError> {
        // From here on it may be scheduled again.
        self.maintenance_scheduled.store(false, Ordering::Relaxed);
        let _flush = self.lock_flush();
        let flush = || -> Result<(), EngineError> {
            while self.flush_large_wal()? || self.merge_in_memory()? {}
            Ok(())
        };
        self.maintenance.noted(&self.maintenance.flush_failure, flush())
    }

    /// Merges segments in memory if there are many of one tier, the lowest first.
    fn merge_in_memory(&self) -> Result<bool, EngineError> {
        let (chosen, mapping, epoch) = {
            let writer = self.usable_writer()?;
            let chosen = choose_memory_segments(&writer.segments, MEMORY_SEGMENTS_PER_MERGE);
            (chosen, Arc::clone(&writer.mapping), writer.epoch)
        };
        if chosen.is_empty() {
            return Ok(false);
        }
        let merge = || merge_segments(&chosen, &mapping).map_err(|error| self.write_error(error));
        let merged = catch_panic(merge)?;
        let merged = merged.map(|built| IndexSegment::in_memory(Segment::in_memory(built)));
        self.change(|writer| {
            if writer.epoch == epoch {
                writer.replace_segments(&chosen, merged);
                self.publish(writer);
            }
            Ok(true)
        })
    }

    /// Syncs the WAL without the writer, so that little is left to sync for a caller that has to lock it.
    pub(super) fn sync_wal(&self) -> Result<(), EngineError> {
        let file = self.usable_writer()?.wal.file().map_err(|error| self.write_error(error))?;
        // After an error nobody knows what of the file is on disk, so it is given up as after any failed change.
        file.sync_data().or_else(|error| self.change(|_| Err(self.write_error(error))))
    }

    /// Flushes segments in memory to a segment file if the WAL is large.
    fn flush_large_wal(&self) -> Result<bool, EngineError> {
        if self.usable_writer()?.unflushed_bytes() < flush_wal_bytes() {
            return Ok(false);
        }
        self.sync_wal()?;
        let (chosen, mapping, wal, reserved) = self.change(|writer| {
            let wal = writer.rotate_wal(&self.folder).map_err(|error| self.write_error(error))?;
            let chosen: Vec<IndexSegment> = writer.memory_segments().cloned().collect();
            Ok((chosen, Arc::clone(&writer.mapping), wal, writer.reserve_segment_file()))
        })?;
        let flushed = self.merge_to_file(&chosen, &mapping, &reserved)?;
        self.replace_by_file(&chosen, flushed, &reserved, |writer| writer.checkpoint_wal(wal, &self.folder))?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use cantata_engine::WriteOperation;
    use serde_json::json;

    use super::super::index_segment::segment_file_name;
    use super::super::open_context::OpenContext;
    use super::*;
    use crate::test_index::{create_index, put_document};

    fn put(id: &str, n: u32, bytes: usize) -> WriteOperation {
        put_document(id, &json!({"n": n, "padding": "x".repeat(bytes)}))
    }

    /// The new log file, which a flush begins with, is short.
    #[test]
    fn a_flush_that_failed_is_not_forgotten() {
        let mapping = json!({"dynamic": false, "properties": {"n": {"type": "long"}}});
        let (_folder, index) = create_index(Some(&mapping), &OpenContext::new(Duration::ZERO));
        let path = index.folder().to_owned();
        for id in ["a", "b", "c"] {
            index.write(&[put(id, 1, flush_wal_bytes() as usize * 3 / 8)], None).unwrap();
        }
        // Folders stand where the next segment files would be written.
        let next = index.lock_writer().manifest.next_file;
        let obstacles: Vec<_> = (next..next + 20).map(|number| path.join(segment_file_name(number))).collect();
        obstacles.iter().for_each(|obstacle| fs_err::create_dir(obstacle).unwrap());
        for _ in 0..2 {
            assert!(index.flush_memory().is_err());
            assert!(index.maintenance_failure().is_some());
            assert!(index.lock_writer().unflushed_bytes() >= flush_wal_bytes());
        }
        assert!(index.claim_maintenance());
        obstacles.iter().for_each(|obstacle| fs_err::remove_dir(obstacle).unwrap());
        // What is in an older log must not come back over a document of a segment file.
        index.fill(&[put("a", 2, 0)]).unwrap();
        assert_eq!(index.lock_writer().unflushed_bytes(), 0);
        index.flush_memory().unwrap();
        assert_eq!(index.maintenance_failure(), None);
        drop(index);
        let index = Index::open("things", path, &OpenContext::default()).unwrap();
        let snapshot = index.snapshot();
        let found = snapshot.load_documents(&[snapshot.locate("a").unwrap()]).unwrap();
        assert_eq!(serde_json::to_value(found[0].root()).unwrap()["n"], 2);
        assert_eq!(snapshot.live_document_count(), 3);
    }
}
