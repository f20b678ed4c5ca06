//! Merging segment files in the background, so that there are never many.
//!
//! A merge reads immutable segments and does not block writes; documents that are deleted meanwhile are deleted in the
//! merged segment before it replaces the others.

use std::sync::{Arc, MutexGuard, PoisonError};

use cantata_engine::EngineError;
use cantata_mapping::IndexMapping;

use super::Index;
use super::change::catch_panic;
use super::index_segment::{IndexSegment, segment_file_name};
use super::maintenance::noted;
use super::merge_policy::{MAX_MERGED_DOCUMENTS, choose_files};
use super::writer::{ReservedFile, merge_segments};
use crate::segment::BuiltSegment;

impl Index {
    fn lock_merge(&self) -> MutexGuard<'_, ()> {
        self.merge_lock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Merges segment files until the merge policy chooses none.
    pub(crate) fn merge_files(&self) -> Result<(), EngineError> {
        let merge = || -> Result<(), EngineError> {
            loop {
                let _merge = self.lock_merge();
                let chosen = choose_files(&self.usable_writer()?.segments);
                if chosen.is_empty() {
                    return Ok(());
                }
                self.merge(&chosen)?;
            }
        };
        noted(&self.maintenance.merge_failure, merge())
    }

    /// Merges as much as possible and drops all deleted documents.
    pub(crate) fn compact(&self) -> Result<(), EngineError> {
        let _merge = self.lock_merge();
        {
            let _flush = self.lock_flush();
            self.change(|writer| {
                writer.flush(&self.folder).map_err(|error| self.write_error(error))?;
                self.publish(writer);
                Ok(())
            })?;
        }
        let mut segments = self.usable_writer()?.segments.clone();
        segments.sort_by_key(|segment| segment.reader.live_document_count());
        while !segments.is_empty() {
            let mut chosen = Vec::new();
            let mut documents = 0;
            while let Some(next) = segments.first()
                && (chosen.is_empty() || documents + next.reader.live_document_count() <= MAX_MERGED_DOCUMENTS)
            {
                documents += next.reader.live_document_count();
                chosen.push(segments.remove(0));
            }
            if chosen.len() > 1 || chosen.iter().any(|segment| segment.reader.live_docs.is_some()) {
                self.merge(&chosen)?;
            }
        }
        Ok(())
    }

    fn merge(&self, chosen: &[IndexSegment]) -> Result<(), EngineError> {
        let (mapping, reserved) =
            self.change(|writer| Ok((Arc::clone(&writer.mapping), writer.reserve_segment_file())))?;
        let merged = self.merge_to_file(chosen, &mapping, &reserved)?;
        self.change(|writer| {
            if writer.release_segment_file(&reserved) {
                writer.replace_segments(chosen, merged);
                writer.commit(&self.folder).map_err(|error| self.write_error(error))?;
                self.publish(writer);
            }
            writer.remove_orphans(&self.folder);
            Ok(())
        })
    }

    /// Merges segments into a reserved file, and syncs the WAL. After an error the file is not reserved any more.
    pub(super) fn merge_to_file(
        &self,
        chosen: &[IndexSegment],
        mapping: &IndexMapping,
        reserved: &ReservedFile,
    ) -> Result<Option<IndexSegment>, EngineError> {
        let written = catch_panic(|| {
            self.verify_checksums(chosen)?;
            let write = |merged: BuiltSegment| IndexSegment::write(&self.folder, reserved.number, &merged.into_file()?);
            let written = merge_segments(chosen, mapping).and_then(|merged| merged.map(write).transpose());
            written.map_err(|error| self.write_error(error))
        });
        let synced = written.and_then(|written| self.sync_wal().map(|()| written));
        synced.map_err(|error| {
            self.lock_writer().release_segment_file(reserved);
            // It may be what fills the disk. If it cannot be removed now, it is removed as an orphan.
            let _ = fs_err::remove_file(self.folder.join(segment_file_name(reserved.number)));
            if self.is_retired() { self.not_found() } else { error }
        })
    }
}
