//! Build memory: the bytes that imports and merges may take, those of all indexes of this process together.
//!
//! Building a segment takes memory in proportion to its size. So whatever builds large ones is bounded in bytes: a merge
//! chooses no more than fits ([`max_segment_bytes`]), an import reads chunks of a size that fits, and each waits until
//! there is room. They wait in the order of their arrival, so a large merge is not overtaken for ever; and one that is
//! larger than the bound, as a single document may be, goes alone.
//!
//! Flushes do not wait: others may have to wait for the locks that they hold before they can end. What they build is
//! bounded by the size of the WAL ([`flush_wal_bytes`]).

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The default limit of the memory of builds.
const DEFAULT_BYTES: usize = 4 << 30;

/// The memory of a merge for each byte of the segments: where their values are, and the columns. The tape and the new
/// file are not kept in memory.
const BYTES_PER_SEGMENT_BYTE: usize = 2;

/// The memory of reading documents and building a segment of them, for each byte of their JSON.
const BYTES_PER_JSON_BYTE: usize = 5;

/// The size of a merged segment. More would hardly make searches faster; the offsets of its values have 32 bits.
const SEGMENT_BYTES: RangeInclusive<usize> = 8 << 20..=1536 << 20;

/// A chunk of an import has at least this many bytes.
const MIN_CHUNK_BYTES: usize = 1 << 20;

/// The WAL is flushed at one part in this many of the build memory, within these bounds.
const FLUSH_DIVISOR: usize = 32;
const FLUSH_WAL_BYTES: RangeInclusive<usize> = 1 << 20..=32 << 20;

static BUILD_MEMORY: BuildMemory = BuildMemory::new(DEFAULT_BYTES);

/// Sets how many bytes imports and merges of this process may take. Indexes follow it that are opened from then on.
pub fn set_build_memory_bytes(bytes: usize) {
    BUILD_MEMORY.max.store(bytes, Ordering::Relaxed);
}

/// Returns how large the chunks of an import should be at most, if this many threads read them.
pub fn max_import_chunk_bytes(threads: usize) -> usize {
    (BUILD_MEMORY.max() / BYTES_PER_JSON_BYTE / threads.max(1)).max(MIN_CHUNK_BYTES)
}

/// Returns how many bytes a merge may make a segment of.
pub(crate) fn max_segment_bytes() -> usize {
    (BUILD_MEMORY.max() / BYTES_PER_SEGMENT_BYTE).clamp(*SEGMENT_BYTES.start(), *SEGMENT_BYTES.end())
}

/// Returns the WAL size at which segments in memory are flushed.
pub(crate) fn flush_wal_bytes() -> u64 {
    (BUILD_MEMORY.max() / FLUSH_DIVISOR).clamp(*FLUSH_WAL_BYTES.start(), *FLUSH_WAL_BYTES.end()) as u64
}

/// Waits until there is room to merge segments of this many bytes.
pub(crate) fn reserve_for_merge(segment_bytes: usize) -> BuildPermit {
    BUILD_MEMORY.reserve(segment_bytes.saturating_mul(BYTES_PER_SEGMENT_BYTE))
}

/// Waits until there is room to build a segment of documents with this many bytes of JSON.
pub(crate) fn reserve_for_documents(json_bytes: usize) -> BuildPermit {
    BUILD_MEMORY.reserve(json_bytes.saturating_mul(BYTES_PER_JSON_BYTE))
}

/// A number of bytes that builds share.
struct BuildMemory {
    max: AtomicUsize,
    queue: Mutex<BuildQueue>,
    changed: Condvar,
}

struct BuildQueue {
    used: usize,
    /// How many builds have arrived, and how many of them did not have to wait any longer.
    arrived: u64,
    admitted: u64,
}

impl BuildMemory {
    const fn new(max: usize) -> Self {
        let queue = Mutex::new(BuildQueue { used: 0, arrived: 0, admitted: 0 });
        Self { max: AtomicUsize::new(max), queue, changed: Condvar::new() }
    }

    fn max(&self) -> usize {
        self.max.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, BuildQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reserve(&'static self, bytes: usize) -> BuildPermit {
        let mut queue = self.lock();
        let number = queue.arrived;
        queue.arrived += 1;
        let must_wait = |queue: &mut BuildQueue| {
            let has_room = queue.used == 0 || queue.used.saturating_add(bytes) <= self.max();
            queue.admitted != number || !has_room
        };
        let mut queue = self.changed.wait_while(queue, must_wait).unwrap_or_else(PoisonError::into_inner);
        queue.admitted += 1;
        queue.used = queue.used.saturating_add(bytes);
        drop(queue);
        self.changed.notify_all();
        BuildPermit { memory: self, bytes }
    }
}

/// The right to take bytes for a build, until it is dropped.
#[must_use]
pub(crate) struct BuildPermit {
    memory: &'static BuildMemory,
    bytes: usize,
}

impl Drop for BuildPermit {
    fn drop(&mut self) {
        let mut queue = self.memory.lock();
        queue.used = queue.used.saturating_sub(self.bytes);
        drop(queue);
        self.memory.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_that_do_not_fit_together_go_one_after_the_other() {
        static SMALL: BuildMemory = BuildMemory::new(100);
        static USED: AtomicUsize = AtomicUsize::new(0);
        let build = |bytes: usize| {
            for _ in 0..200 {
                let permit = SMALL.reserve(bytes);
                let used = USED.fetch_add(bytes, Ordering::SeqCst) + bytes;
                // One that is larger than the bound goes alone.
                assert!(used <= 100 || used == bytes, "{used} bytes are used");
                std::thread::yield_now();
                USED.fetch_sub(bytes, Ordering::SeqCst);
                drop(permit);
            }
        };
        std::thread::scope(|scope| {
            for bytes in [1, 10, 20, 40, 60, 100, 500] {
                scope.spawn(move || build(bytes));
            }
        });
        assert_eq!(SMALL.lock().used, 0);
    }
}
