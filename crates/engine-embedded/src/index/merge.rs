//! Merging segment files in the background, so that there are never many.
//!
//! A merge reads immutable segments and does not block writes; documents that are deleted meanwhile are deleted in the
//! merged segment before it replaces the others.

use std::sync::{Arc, MutexGuard, PoisonError};

use cantata_engine::EngineError;
use cantata_mapping::IndexMapping;

use super::Index;
use super::change::catch_panic;
use super::index_segment::IndexSegment;
use super::merge_policy::{MAX_MERGED_DOCUMENTS, choose_files};
use super::writer::{IndexWriter, ReservedFile, merge_segments};
use crate::error::IndexError;
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
        self.maintenance.noted(&self.maintenance.merge_failure, merge())
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
            let merged = merge_segments(chosen, mapping);
            let write = |merged: BuiltSegment| IndexSegment::write(&self.folder, reserved.number, &merged.into_file()?);
            merged.map(write).transpose().map_err(|error| self.write_error(error))
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

    use cantata_engine::WriteOperation;

    use super::super::index_segment::segment_file_name;
    use super::super::open_context::OpenContext;
    use super::*;

    #[test]
    fn a_merged_file_is_removed_if_the_index_fails_before_it_becomes_part_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("things");
        let context = OpenContext::new(Duration::ZERO);
        let index = Index::create("things", &path, &folder.path().join("temporary"), None, &context).unwrap();
        let put = WriteOperation::Put { id: "a".to_owned(), source: b"{\"n\": 1}".to_vec() };
        index.write(&[put], None).unwrap();
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
