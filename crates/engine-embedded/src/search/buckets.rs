//! Which buckets a facet shows, and the first records of each.

use std::cmp::Reverse;

use cantata_engine::{Document, EngineError};

use super::facet::Part;
use super::{GlobalDictionary, documents_of};
use crate::snapshot::Snapshot;

/// Returns the numbers with the greatest counts, the greatest first, equal ones in order; those without count never.
pub(super) fn most_frequent(counts: &[u64], most: usize) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..counts.len()).filter(|&number| counts[number] > 0).collect();
    let rank = |&number: &usize| (Reverse(counts[number]), number);
    if most < numbers.len() {
        if most > 0 {
            numbers.select_nth_unstable_by_key(most - 1, rank);
        }
        numbers.truncate(most);
    }
    numbers.sort_unstable_by_key(rank);
    numbers
}

/// The records of the buckets of a facet.
pub(super) struct BucketRecords<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) parts: &'a [Part<'a>],
    pub(super) dictionary: &'a GlobalDictionary,
}

impl BucketRecords<'_> {
    /// Returns the documents of the first records of a bucket, in the order of their ids.
    ///
    /// # Errors
    ///
    /// If they cannot be read.
    pub(super) fn first(&self, number: usize, size: usize) -> Result<Vec<Document>, EngineError> {
        let mut found: Vec<(&str, (usize, usize))> = Vec::new();
        for (segment, part) in self.parts.iter().enumerate() {
            let (Some(field), Some(code)) = (&part.field, self.dictionary.code_in(segment, number)) else { continue };
            let starts = part.view.segment.level(field.level).document_starts;
            let mut left = size;
            let mut last = None;
            field.postings.rows(code).for_each(|row| {
                if left == 0 {
                    return false;
                }
                let document = starts.partition_point(|&start| start as usize <= row) - 1;
                let is_taken = part.elements.as_ref().is_none_or(|elements| elements.contains(row));
                if is_taken && last != Some(document) && part.matches.documents.contains(document) {
                    last = Some(document);
                    left -= 1;
                    found.push((part.view.segment.id(document), (segment, document)));
                }
                true
            });
        }
        found.sort_unstable_by_key(|&(id, ..)| id);
        found.truncate(size);
        let places: Vec<(usize, usize)> = found.into_iter().map(|(_, place)| place).collect();
        documents_of(self.snapshot, &places)
    }
}
