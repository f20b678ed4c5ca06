//! Merging segment files in the background, so that there are never many.
//!
//! A merge reads immutable segments and does not block writes; documents that are deleted meanwhile are deleted in the
//! merged segment before it replaces the others.

use std::sync::{Arc, MutexGuard, PoisonError, TryLockError};

use cantata_engine::EngineError;
use cantata_mapping::IndexMapping;

use super::Index;
use super::change::catch_panic;
use super::index_segment::IndexSegment;
use super::merge_policy::choose_files;
use super::writer::{IndexWriter, ReservedFile, merge_to_file};
use crate::build_memory::reserve_for_merge;
use crate::error::IndexError;

impl Index {
    fn lock_merge(&self) -> MutexGuard<'_, ()> {
        self.merge_lock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Merges segment files until the merge policy chooses none.
    pub(crate) fn merge_files(&self) -> Result<(), EngineError> {
        let merge = || -> Result<(), EngineError> {
            loop {
                let _merge = self.lock_merge();
                if !self.merge_next()? {
                    return Ok(());
                }
            }
        };
        self.maintenance.noted(&self.maintenance.merge_failure, merge())
    }

    /// Merges segment files once if the merge policy chooses some, unless another thread merges, or a merge has just failed.
    pub(super) fn merge_once_if_free(&self) -> Result<(), EngineError> {
        if !self.is_maintenance_due() {
            return Ok(());
        }
        let _merge = match self.merge_lock.try_lock() {
            Ok(merge) => merge,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Ok(()),
        };
        self.merge_next().map(drop)
    }

    /// Merges what the merge policy chooses; returns whether it chose something.
    fn merge_next(&self) -> Result<bool, EngineError> {
        let chosen = choose_files(&self.usable_writer()?.segments, self.max_segment_bytes);
        if chosen.is_empty() {
            return Ok(false);
        }
        self.merge(&chosen).map(|()| true)
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
        segments.sort_by_key(IndexSegment::live_bytes);
        while !segments.is_empty() {
            let mut chosen = Vec::new();
            let mut bytes = 0;
            while let Some(next) = segments.first()
                && (chosen.is_empty() || bytes + next.live_bytes() <= self.max_segment_bytes)
            {
                bytes += next.live_bytes();
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
        let permit = reserve_for_merge(chosen.iter().map(IndexSegment::live_bytes).sum());
        let merged = self.merge_to_file(chosen, &mapping, &reserved)?;
        drop(permit);
        self.replace_by_file(chosen, merged, &reserved, |writer| writer.commit(&self.folder))
    }

    /// Replaces segments by what [`Self::merge_to_file`] made of them, unless the index was opened again meanwhile. After an
    /// error the file is not reserved any more.
    pub(super) fn replace_by_file(
        &self,
        chosen: &[IndexSegment],
        merged: Option<IndexSegment>,
        reserved: &ReservedFile,
        commit: impl FnOnce(&mut IndexWriter) -> Result<(), IndexError>,
    ) -> Result<(), EngineError> {
        let replaced = self.change(|writer| {
            if writer.release_segment_file(reserved) {
                writer.replace_segments(chosen, merged);
                commit(writer).map_err(|error| self.write_error(error))?;
                self.publish(writer);
            }
            writer.remove_orphans(&self.folder);
            Ok(())
        });
        // An index that another change has left failed is not changed at all.
        replaced.inspect_err(|_| self.lock_writer().discard_segment_file(reserved, &self.folder))
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
            merge_to_file(chosen, mapping, &self.folder, reserved.number).map_err(|error| self.write_error(error))
        });
        let synced = written.and_then(|written| self.sync_wal().map(|()| written));
        synced.map_err(|error| {
            self.lock_writer().discard_segment_file(reserved, &self.folder);
            if self.is_retired() { self.not_found() } else { error }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;
    use tempfile::TempDir;

    use super::super::index_segment::segment_file_name;
    use super::super::open_context::OpenContext;
    use super::*;
    use crate::test_index::{create_index, put, put_document};

    const PARTS: usize = 40;
    const PART_DOCUMENTS: usize = 50;
    const MAX_BYTES: usize = 100_000;

    /// Returns an index of several segment files, each of some kilobytes of different texts.
    fn filled() -> (TempDir, Index) {
        let (folder, index) = create_index(None, &OpenContext::default());
        for part in 0..PARTS {
            let put = |number: usize| {
                let document = json!({ "name": format!("{number:0>50}{part:0>50}") });
                put_document(&format!("{number:02}-{part:02}"), &document)
            };
            index.fill(&(0..PART_DOCUMENTS).map(put).collect::<Vec<_>>()).unwrap();
        }
        (folder, index)
    }

    fn segment_sizes(index: &Index) -> Vec<usize> {
        let snapshot = index.snapshot();
        assert_eq!(snapshot.live_document_count(), PARTS * PART_DOCUMENTS);
        assert!((0..PARTS).all(|part| snapshot.locate(&format!("07-{part:02}")).is_some()));
        snapshot.segments.iter().map(|reader| reader.segment.bytes().len()).collect()
    }

    #[test]
    fn merged_segments_are_bounded_in_bytes() {
        let (_folder, mut index) = filled();
        let total: usize = segment_sizes(&index).iter().sum();
        assert!(total > 3 * MAX_BYTES, "{total} bytes");
        index.max_segment_bytes = MAX_BYTES;
        index.merge_files().unwrap();
        let sizes = segment_sizes(&index);
        assert!(sizes.len() < PARTS / 2 && sizes.len() > 3, "{sizes:?}");
        assert!(sizes.iter().all(|&bytes| bytes < MAX_BYTES * 5 / 4), "{sizes:?}");
        index.compact().unwrap();
        let sizes = segment_sizes(&index);
        assert!(sizes.len() > 2 && sizes.iter().all(|&bytes| bytes < MAX_BYTES * 5 / 4), "{sizes:?}");
        index.max_segment_bytes = total;
        index.compact().unwrap();
        assert_eq!(segment_sizes(&index).len(), 1);
    }

    #[test]
    fn a_merged_file_is_removed_if_the_index_fails_before_it_becomes_part_of_it() {
        let (_folder, index) = create_index(None, &OpenContext::new(Duration::ZERO));
        let path = index.folder().to_owned();
        index.write(&[put("a")], None).unwrap();
        index.compact().unwrap();
        let (chosen, mapping, reserved) = index
            .change(|writer| {
                let reserved = writer.reserve_segment_file();
                Ok((writer.segments.clone(), Arc::clone(&writer.mapping), reserved))
            })
            .unwrap();
        let merged = index.merge_to_file(&chosen, &mapping, &reserved).unwrap();
        // Another change fails, and a folder stands where the manifest would be written when the index is opened again.
        fs_err::create_dir(path.join("manifest.json.new")).unwrap();
        let failed: Result<(), EngineError> = index.change(|_| Err(EngineError::Failed("no space".to_owned())));
        assert!(failed.is_err() && index.failure().is_some());
        let merged_file = path.join(segment_file_name(reserved.number));
        assert!(merged_file.is_file());
        let replaced = index.replace_by_file(&chosen, merged, &reserved, |writer| writer.commit(&path));
        assert!(replaced.is_err());
        assert!(!merged_file.try_exists().unwrap(), "it fills the disk until the next start");
        fs_err::remove_dir(path.join("manifest.json.new")).unwrap();
        index.compact().unwrap();
        assert_eq!(index.verify(), Vec::<String>::new());
        assert!(index.snapshot().locate("a").is_some());
    }
}
