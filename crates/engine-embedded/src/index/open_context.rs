//! What indexes are opened with: how often a failed one is tried again, and how much of the segments is verified at once.
//!
//! Everybody waits until the indexes are open, so the bytes that are compared with checksums until then have a bound for all
//! of them together. What is left is compared in the background, and before it is merged.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::index_segment::IndexSegment;
use crate::error::IndexError;
use crate::retry_pace::DEFAULT_RETRY_INTERVAL;
use crate::search::map_parallel;

/// How many bytes of segment files are verified when indexes are opened. A disk that reads 500 MB a second takes an eighth
/// of a second for them.
const MAX_VERIFIED_ON_OPEN_BYTES: usize = 64 << 20;

/// What the indexes that are opened together have in common.
#[derive(Debug)]
pub(crate) struct OpenContext {
    /// How long an index that has failed is left alone.
    pub(crate) retry_interval: Duration,
    /// How many bytes may still be verified.
    verified_bytes_left: AtomicUsize,
}

impl Default for OpenContext {
    fn default() -> Self {
        Self::new(DEFAULT_RETRY_INTERVAL)
    }
}

impl OpenContext {
    pub(crate) fn new(retry_interval: Duration) -> Self {
        Self::with_verified_bytes(retry_interval, MAX_VERIFIED_ON_OPEN_BYTES)
    }

    fn with_verified_bytes(retry_interval: Duration, bytes: usize) -> Self {
        Self { retry_interval, verified_bytes_left: AtomicUsize::new(bytes) }
    }

    /// Compares segment files with their checksums, unless that was done before, as far as the bound allows.
    pub(super) fn verify(&self, segments: &[IndexSegment]) -> Result<(), IndexError> {
        let is_chosen = |segment: &&IndexSegment| {
            let segment = &segment.reader.segment;
            !segment.is_verified() && self.take(segment.bytes().len())
        };
        let chosen: Vec<&IndexSegment> = segments.iter().filter(is_chosen).collect();
        map_parallel(chosen.len(), |index| chosen[index].verify_once()).into_iter().collect()
    }

    /// Takes bytes from what may be verified; returns whether there were as many.
    fn take(&self, bytes: usize) -> bool {
        let taken =
            self.verified_bytes_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes));
        taken.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Index;
    use crate::test_index::{create_index, put};

    /// Creates indexes with one segment each; returns the size of a segment.
    fn create(folder: &std::path::Path, names: &[&str]) -> usize {
        let mut bytes = 0;
        for name in names {
            let temporary = folder.join("temporary");
            let index = Index::create(name, &folder.join(name), &temporary, None, &OpenContext::default()).unwrap();
            index.write(&[put("a")], None).unwrap();
            index.compact().unwrap();
            bytes = index.lock_writer().segments[0].reader.segment.bytes().len();
        }
        bytes
    }

    #[test]
    fn indexes_that_are_opened_together_share_the_bytes_that_are_verified() {
        let folder = tempfile::tempdir().unwrap();
        let names = ["one", "two", "three"];
        let bytes = create(folder.path(), &names);
        let verified = |context: &OpenContext| -> Vec<bool> {
            let opened = names.map(|name| Index::open(name, folder.path().join(name), context).unwrap());
            opened.iter().map(Index::is_verified).collect()
        };
        assert_eq!(verified(&OpenContext::default()), [true, true, true]);
        let two = OpenContext::with_verified_bytes(Duration::ZERO, bytes * 2 + bytes / 2);
        assert_eq!(verified(&two), [true, true, false]);
        assert_eq!(verified(&OpenContext::with_verified_bytes(Duration::ZERO, 0)), [false, false, false]);
    }

    #[test]
    fn damage_of_any_of_several_segments_is_found() {
        let (_folder, index) = create_index(None, &OpenContext::default());
        let path = index.folder().to_owned();
        for id in ["a", "b", "c"] {
            index.fill(&[put(id)]).unwrap();
        }
        let files: Vec<String> =
            index.lock_writer().segments.iter().filter_map(|segment| segment.file.clone()).collect();
        assert_eq!(files.len(), 3);
        drop(index);
        for file in &files {
            let sound = fs_err::read(path.join(file)).unwrap();
            let mut damaged = sound.clone();
            damaged[8] ^= 1;
            // A file is mapped while it is open, so another takes its place.
            for (bytes, is_sound) in [(damaged, false), (sound, true)] {
                fs_err::remove_file(path.join(file)).unwrap();
                fs_err::write(path.join(file), bytes).unwrap();
                let problem = Index::open("things", path.clone(), &OpenContext::default()).err();
                assert_eq!(problem.is_none(), is_sound, "{file}: {problem:?}");
                assert!(problem.is_none_or(|error| error.to_string().contains(file.as_str())), "{file}");
            }
        }
    }
}
