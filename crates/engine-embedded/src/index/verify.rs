//! Verifying the integrity of an index.

use std::collections::HashSet;
use std::sync::Arc;

use cantata_engine::{Document, EngineError, ValueRef};

use super::Index;
use super::index_segment::IndexSegment;
use crate::snapshot::DocAddress;

impl Index {
    /// Compares all segment files with their checksums, unless that was done before. If one is damaged, the index is not
    /// read any more: its answers might be wrong.
    pub(crate) fn verify_segments(&self) -> Result<(), EngineError> {
        let segments = self.lock_writer().segments.clone();
        self.verify_checksums(&segments)
    }

    /// Returns whether all segment files have been compared with their checksums.
    pub(crate) fn is_verified(&self) -> bool {
        self.lock_writer().segments.iter().all(|segment| segment.reader.segment.is_verified())
    }

    /// Compares segment files with their checksums. A damaged one must not be merged: the merged file would have a right
    /// checksum.
    pub(super) fn verify_checksums(&self, segments: &[IndexSegment]) -> Result<(), EngineError> {
        for segment in segments {
            segment.verify_once().map_err(|error| {
                // A file that cannot be read now may be readable later.
                if !error.is_damage() {
                    return self.write_error(error);
                }
                self.set_damaged(error.chain())
            })?;
        }
        Ok(())
    }

    /// Marks the index as damaged: it is not read any more. Returns the error that its readers get.
    pub(crate) fn set_damaged(&self, reason: String) -> EngineError {
        let damage = EngineError::IndexDamaged { index: self.name.clone(), reason };
        self.damage.store(Some(Arc::new(damage.clone())));
        damage
    }

    /// Returns which segment is damaged; nothing if none was found to be.
    pub(crate) fn damage(&self) -> Option<EngineError> {
        self.damage.load().as_deref().cloned()
    }

    /// Reads everything and returns what is wrong: checksums, unreadable documents, duplicate ids.
    pub(crate) fn verify(&self) -> Vec<String> {
        let snapshot = self.snapshot();
        let mut problems = Vec::new();
        let mut ids = HashSet::new();
        for (segment, reader) in snapshot.segments.iter().enumerate() {
            if let Err(error) = reader.segment.verify() {
                problems.push(format!("segment {segment}: {}", error.chain()));
                continue;
            }
            for row in reader.live_rows() {
                let id = reader.segment.id(row);
                if !ids.insert(id.to_owned()) {
                    problems.push(format!("segment {segment}: the id `{id}` is there twice"));
                }
                if row > 0 && reader.segment.id(row - 1) >= id {
                    problems.push(format!("segment {segment}: the id `{id}` is not in order"));
                }
                let documents = snapshot.load_documents(&[DocAddress { segment, row }]).unwrap_or_default();
                let is_whole = |document: &Document| {
                    matches!(document.root(), ValueRef::Object(_)) && is_readable(document.root())
                };
                if !documents.first().is_some_and(is_whole) {
                    problems.push(format!("segment {segment}: the document `{id}` cannot be read"));
                }
            }
        }
        problems
    }
}

/// Reads everything in a node; returns whether its arrays have the elements that they announce.
fn is_readable(node: ValueRef<'_>) -> bool {
    let mut is_whole = true;
    match node {
        ValueRef::Object(object) => object.for_each(|_, value| is_whole &= is_readable(value)),
        ValueRef::Array(array) => {
            let mut elements = 0;
            array.for_each(|element| {
                elements += 1;
                is_whole &= is_readable(element);
            });
            is_whole &= elements == array.len();
        }
        _ => {}
    }
    is_whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::OpenContext;
    use crate::segment::Segment;
    use crate::test_index::{create_index, put};

    #[test]
    fn a_segment_that_was_not_verified_when_it_was_opened_is_found_to_be_damaged_later() {
        let (folder, index) = create_index(None, &OpenContext::default());
        index.write(&[put("a")], None).unwrap();
        index.compact().unwrap();
        assert!(index.is_verified());
        let damaged = folder.path().join("damaged.segment");
        let replaced = index.change(|writer| {
            let segment = &mut writer.segments[0];
            let mut bytes = fs_err::read(index.folder().join(segment.file.as_ref().unwrap())).unwrap();
            bytes[8] ^= 1;
            fs_err::write(&damaged, bytes).unwrap();
            segment.reader.segment = Arc::new(Segment::open(&damaged).unwrap());
            Ok(())
        });
        replaced.unwrap();
        assert!(!index.is_verified() && index.damage().is_none());
        let found = index.verify_segments().unwrap_err();
        assert!(found.to_string().contains(".segment") && found.to_string().contains("checksum"), "{found}");
        assert_eq!(index.damage(), Some(found));
    }
}
