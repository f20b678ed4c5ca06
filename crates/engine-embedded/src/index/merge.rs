//! Merging segment files in the background, so that there are never many.
//!
//! A merge reads immutable segments and does not block writes; documents that are deleted meanwhile are deleted in the
//! merged segment before it replaces the others.

use std::sync::{Arc, MutexGuard, PoisonError};

use cantata_engine::EngineError;
use cantata_mapping::IndexMapping;

use super::Index;
use super::index_segment::IndexSegment;
use super::merge_policy::{MAX_MERGED_DOCUMENTS, choose_files};
use super::writer::merge_segments;

impl Index {
    fn lock_merge(&self) -> MutexGuard<'_, ()> {
        self.merge_lock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Merges segment files until the merge policy chooses none.
    pub(crate) fn merge_files(&self) -> Result<(), EngineError> {
        loop {
            let _merge = self.lock_merge();
            let chosen = choose_files(&self.writer().segments);
            if chosen.is_empty() {
                return Ok(());
            }
            self.merge(&chosen)?;
        }
    }

    /// Merges as much as possible and drops all deleted documents.
    pub(crate) fn compact(&self) -> Result<(), EngineError> {
        let _merge = self.lock_merge();
        {
            let _flush = self.lock_flush();
            let mut writer = self.writer();
            writer.flush(&self.folder).map_err(|error| self.write_error(error))?;
            self.publish(&writer);
        }
        let mut segments = self.writer().segments.clone();
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
        let (mapping, number) = {
            let mut writer = self.writer();
            (Arc::clone(&writer.mapping), writer.reserve_segment_file())
        };
        let merged = self.merge_to_file(chosen, &mapping, number);
        let mut writer = self.writer();
        writer.release_segment_file(number);
        writer.replace_segments(chosen, merged?);
        writer.commit(&self.folder).map_err(|error| self.write_error(error))?;
        self.publish(&writer);
        writer.remove_orphans(&self.folder).map_err(|error| self.write_error(error))
    }

    /// Merges segments into a file, and syncs the WAL.
    pub(super) fn merge_to_file(
        &self,
        chosen: &[IndexSegment],
        mapping: &IndexMapping,
        number: u64,
    ) -> Result<Option<IndexSegment>, EngineError> {
        let merged = merge_segments(chosen, mapping);
        let written = merged.map(|merged| IndexSegment::write(&self.folder, number, &merged.into_file()?)).transpose();
        let written = written.map_err(|error| self.write_error(error))?;
        self.sync_wal()?;
        Ok(written)
    }
}
