//! Merge policy: which segments are merged next.
//!
//! Segments are merged within tiers of about one size, so a document is rewritten a few times in all, however many
//! segments come. Segment files and segments in memory have tiers of their own.

use super::index_segment::IndexSegment;

/// So many segment files of one tier are merged.
const FILES_PER_MERGE: usize = 12;

/// Segment files with fewer documents are in the first tier.
const FLOOR_FILE_DOCUMENTS: usize = 2_000;

/// The limit of a merged segment, because a segment is built in memory.
pub(super) const MAX_MERGED_DOCUMENTS: usize = 1_200_000;

/// So many segments in memory of one tier are merged.
pub(super) const MEMORY_SEGMENTS_PER_MERGE: usize = 16;

/// Segments in memory with at most so many documents are in the first tier; each next one has [`MEMORY_SEGMENTS_PER_MERGE`]
/// times as many.
const FLOOR_MEMORY_DOCUMENTS: usize = 512;

/// Returns the segment files to be merged next; none if there is nothing to do.
pub(super) fn choose_files(segments: &[IndexSegment]) -> Vec<IndexSegment> {
    let files = || segments.iter().filter(|segment| segment.file.is_some());
    // A segment most of whose documents are deleted is worth rewriting alone.
    let is_mostly_deleted =
        |segment: &&IndexSegment| segment.reader.live_document_count() * 2 < segment.reader.segment.document_count();
    if let Some(mostly_deleted) = files().find(is_mostly_deleted) {
        return vec![mostly_deleted.clone()];
    }
    let tier_of = |segment: &IndexSegment| {
        (segment.reader.live_document_count().max(FLOOR_FILE_DOCUMENTS) / FLOOR_FILE_DOCUMENTS).ilog(FILES_PER_MERGE)
    };
    for tier in 0..=MAX_MERGED_DOCUMENTS.ilog(FILES_PER_MERGE) {
        let chosen: Vec<IndexSegment> =
            files().filter(|segment| tier_of(segment) == tier).take(FILES_PER_MERGE).cloned().collect();
        let documents: usize = chosen.iter().map(|segment| segment.reader.live_document_count()).sum();
        if chosen.len() == FILES_PER_MERGE && documents <= MAX_MERGED_DOCUMENTS {
            return chosen;
        }
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
