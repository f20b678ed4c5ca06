//! Merge policy: which segments are merged next.
//!
//! Segments are merged within tiers of about one size, so a document is rewritten a few times in all, however many
//! segments come. Segment files and segments in memory have tiers of their own.
//!
//! A segment is built in memory, so there is a limit to the size of a merged file, in bytes. What has more than half of it is
//! not merged again; of a tier that exceeds it, as much is merged as fits, which is at least half.

use super::index_segment::IndexSegment;

/// So many segment files of one tier are merged.
const FILES_PER_MERGE: usize = 12;

/// Smaller segment files are in the first tier.
const FLOOR_FILE_BYTES: usize = 2 << 20;

/// So many segments in memory of one tier are merged.
pub(super) const MEMORY_SEGMENTS_PER_MERGE: usize = 16;

/// Segments in memory with at most this many documents are in the first tier; each next one has
/// [`MEMORY_SEGMENTS_PER_MERGE`] times as many.
const FLOOR_MEMORY_DOCUMENTS: usize = 512;

/// Returns the segment files to be merged next, to one of at most this many bytes; none if there is nothing to do.
pub(super) fn choose_files(segments: &[IndexSegment], max_bytes: usize) -> Vec<IndexSegment> {
    let files = segments.iter().filter(|segment| segment.file.is_some());
    let mut files: Vec<(usize, &IndexSegment)> = files.map(|segment| (segment.live_bytes(), segment)).collect();
    // A segment most of whose documents are deleted is worth rewriting alone.
    let is_mostly_deleted = |(bytes, segment): &&(usize, &IndexSegment)| {
        *bytes <= max_bytes && segment.reader.live_document_count() * 2 < segment.reader.segment.document_count()
    };
    if let Some((_, mostly_deleted)) = files.iter().find(is_mostly_deleted) {
        return vec![IndexSegment::clone(mostly_deleted)];
    }
    files.retain(|(bytes, _)| bytes.saturating_mul(2) <= max_bytes);
    files.sort_by_key(|(bytes, _)| *bytes);
    let tier_of = |bytes: usize| (bytes.max(FLOOR_FILE_BYTES) / FLOOR_FILE_BYTES).ilog(FILES_PER_MERGE);
    for tier in files.chunk_by(|one, two| tier_of(one.0) == tier_of(two.0)) {
        if tier.len() < FILES_PER_MERGE {
            continue;
        }
        let mut left = max_bytes;
        let fits = |(bytes, _): &&(usize, &IndexSegment)| {
            let rest = left.checked_sub(*bytes);
            left = rest.unwrap_or_default();
            rest.is_some()
        };
        let chosen = tier.iter().take(FILES_PER_MERGE).take_while(fits);
        return chosen.map(|(_, segment)| IndexSegment::clone(segment)).collect();
    }
    Vec::new()
}

/// Returns the segments in memory to be merged next: those up to the first tier in which there are enough.
pub(super) fn choose_memory_segments(segments: &[IndexSegment], min_segments: usize) -> Vec<IndexSegment> {
    let in_memory = || segments.iter().filter(|segment| segment.file.is_none());
    let size = |segment: &IndexSegment| segment.reader.segment.document_count();
    let largest = in_memory().map(size).max().unwrap_or_default();
    let mut max_documents = FLOOR_MEMORY_DOCUMENTS;
    loop {
        let chosen = || in_memory().filter(|segment| size(segment) <= max_documents);
        if chosen().count() >= min_segments {
            return chosen().cloned().collect();
        }
        if largest <= max_documents {
            return Vec::new();
        }
        max_documents = max_documents.saturating_mul(MEMORY_SEGMENTS_PER_MERGE);
    }
}
