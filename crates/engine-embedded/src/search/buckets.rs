//! Which buckets a facet has, and the top hits of each.

use std::cmp::Reverse;

use cantata_engine::{Document, EngineError};

use super::facet::SegmentFacet;
use super::match_sets::PlanMatchSets;
use crate::snapshot::{DocAddress, GlobalOrdinals};

/// Returns the ordinals with the greatest counts, the greatest first, equal ones in order, and none without count.
pub(super) fn most_frequent(counts: &[u64], limit: usize) -> Vec<usize> {
    let ordinals = (0..counts.len()).filter(|&ordinal| counts[ordinal] > 0).collect();
    keep_first(ordinals, limit, |&ordinal: &usize| (Reverse(counts[ordinal]), ordinal))
}

/// Returns the first items by a rank, in the order of it.
pub(super) fn keep_first<T, R: Ord>(mut items: Vec<T>, limit: usize, rank: impl Fn(&T) -> R) -> Vec<T> {
    if limit < items.len() {
        if limit > 0 {
            items.select_nth_unstable_by_key(limit - 1, &rank);
        }
        items.truncate(limit);
    }
    items.sort_unstable_by_key(&rank);
    items
}

/// Returns the documents of the first records of a bucket, in the order of their ids.
///
/// # Errors
///
/// If they take too much memory, or cannot be read.
pub(super) fn top_hits(
    match_sets: &PlanMatchSets<'_>,
    segments: &[SegmentFacet<'_>],
    ordinals: &GlobalOrdinals,
    bucket: usize,
    size: usize,
) -> Result<Vec<Document>, EngineError> {
    let mut records: Vec<(&str, DocAddress)> = Vec::new();
    for (segment, facet) in segments.iter().enumerate() {
        let (Some(field), Some(ordinal)) = (&facet.field, ordinals.segment_ordinal(segment, bucket)) else { continue };
        let starts = facet.reader.segment.level(field.level).document_starts;
        let mut remaining = size;
        let mut last = None;
        field.postings.rows(ordinal).for_each(|row| {
            if remaining == 0 {
                return false;
            }
            let document = starts.partition_point(|&start| start as usize <= row) - 1;
            let is_counted = facet.elements.as_ref().is_none_or(|elements| elements.contains(row));
            if is_counted && last != Some(document) && facet.matches.documents.contains(document) {
                last = Some(document);
                remaining -= 1;
                records.push((facet.reader.segment.id(document), DocAddress { segment, row: document }));
            }
            true
        });
    }
    records.sort_unstable_by_key(|&(id, _)| id);
    records.truncate(size);
    let addresses: Vec<DocAddress> = records.into_iter().map(|(_, address)| address).collect();
    match_sets.budget.load(match_sets.snapshot, &addresses)
}
