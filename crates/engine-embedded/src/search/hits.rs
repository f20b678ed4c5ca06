//! Finding a page of records: the first ones of each segment, merged in order.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::vec;

use cantata_engine::{Cursor, Document, EngineError, Hit, HitsRequest, HitsResult, SortKey};

use super::match_sets::{MatchSet, PlanMatchSets};
use super::relevance::Relevance;
use super::sort::{SearchAfter, SegmentSortKey, compare_cursors, cursor_of, segment_sort_keys};
use super::sorted_scan;
use super::thread_pool::map_parallel;
use crate::segment::Segment;
use crate::snapshot::{DocAddress, HitsPage, Snapshot};

/// From this many records on, the processors share scoring those of a segment.
const MIN_PARALLEL_SCORES: usize = 20_000;

/// The number of parts of a segment that are scored separately.
const SCORED_PARTS: usize = 16;

/// A document among the first ones of a segment. The order of the members is the order of candidates.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    first_rank: u64,
    other_ranks: Box<[u64]>,
    row: usize,
}

/// Finds a page, given the match sets of its filter, and the scores if they are wanted.
pub(super) fn find_page(
    snapshot: &Snapshot,
    request: &HitsRequest,
    match_sets: &[MatchSet],
    relevance: Option<&Relevance<'_>>,
) -> HitsPage {
    let total = request.total.then(|| match_sets.iter().map(|matches| matches.count as u64).sum());
    let limit = if request.size == 0 { 0 } else { request.offset.saturating_add(request.size) };
    let mut segments = Vec::with_capacity(snapshot.segments.len());
    for (number, (reader, matches)) in snapshot.segments.iter().zip(match_sets).enumerate() {
        let scores = relevance.map(|relevance| relevance.of_segment(number));
        let keys = segment_sort_keys(&reader.segment, &request.sort, scores);
        let after = request.after.as_ref().map(|cursor| SearchAfter::new(&reader.segment, &keys, cursor));
        let rows = first_rows(&reader.segment, &keys, matches, after.as_ref(), limit).into_iter();
        segments.push(SegmentRecords { number, segment: &reader.segment, keys, rows, sort: &request.sort });
    }
    let records: Vec<_> = merge(segments).skip(request.offset).take(request.size).collect();
    let scores = relevance
        .map(|relevance| records.iter().map(|(_, address)| relevance.score(address.segment, address.row)).collect());
    HitsPage { total, records, scores }
}

/// Returns the answer for a page, with documents if the request asks for them.
///
/// # Errors
///
/// If they take too much memory, or cannot be read.
pub(super) fn with_documents(
    page: HitsPage,
    match_sets: &PlanMatchSets<'_>,
    request: &HitsRequest,
) -> Result<HitsResult, EngineError> {
    let (cursors, addresses): (Vec<Cursor>, Vec<DocAddress>) = page.records.into_iter().unzip();
    let documents: Vec<Option<Document>> = match request.documents {
        true => match_sets.budget.load(match_sets.snapshot, &addresses)?.into_iter().map(Some).collect(),
        false => vec![None; addresses.len()],
    };
    let mut scores = page.scores.map(Vec::into_iter);
    let hits = cursors.into_iter().zip(documents).map(|(cursor, document)| Hit {
        cursor,
        document,
        score: scores.as_mut().and_then(Iterator::next),
    });
    Ok(HitsResult { total: page.total, hits: hits.collect() })
}

/// The first records of a segment, in order.
struct SegmentRecords<'s> {
    number: usize,
    segment: &'s Segment,
    keys: Vec<SegmentSortKey<'s>>,
    rows: vec::IntoIter<usize>,
    sort: &'s [SortKey],
}

impl<'s> Iterator for SegmentRecords<'s> {
    type Item = NextRecord<'s>;

    fn next(&mut self) -> Option<NextRecord<'s>> {
        let row = self.rows.next()?;
        let cursor = cursor_of(self.segment, &self.keys, row);
        Some(NextRecord { cursor, address: DocAddress { segment: self.number, row }, sort: self.sort })
    }
}

/// The next record of a segment. Of several, the greatest is the one that comes first.
struct NextRecord<'s> {
    cursor: Cursor,
    address: DocAddress,
    sort: &'s [SortKey],
}

impl Ord for NextRecord<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        compare_cursors(self.sort, &other.cursor, &self.cursor)
    }
}

impl PartialOrd for NextRecord<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for NextRecord<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for NextRecord<'_> {}

/// Merges the records of all segments. Each segment has one cursor at a time: a cursor is made of allocations, and a
/// page needs few of the records that each segment offers.
fn merge(mut segments: Vec<SegmentRecords<'_>>) -> impl Iterator<Item = (Cursor, DocAddress)> {
    let mut next: BinaryHeap<NextRecord<'_>> = segments.iter_mut().filter_map(Iterator::next).collect();
    std::iter::from_fn(move || {
        let mut first = next.peek_mut()?;
        let record = match segments[first.address.segment].next() {
            Some(following) => std::mem::replace(&mut *first, following),
            None => PeekMut::pop(first),
        };
        Some((record.cursor, record.address))
    })
}

/// Returns the first matching rows of a segment, in order.
fn first_rows(
    segment: &Segment,
    keys: &[SegmentSortKey<'_>],
    matches: &MatchSet,
    after: Option<&SearchAfter>,
    limit: usize,
) -> Vec<usize> {
    if keys.is_empty() {
        // Rows are in the order of ids.
        let comes_after = |row: &usize| after.is_none_or(|after| after.is_before(keys, *row));
        return matches.documents.iter().filter(comes_after).take(limit).collect();
    }
    if limit == 0 {
        return Vec::new();
    }
    if let Some(rows) = sorted_scan::first_rows(segment, keys, matches, after, limit) {
        return rows;
    }
    let found = || FirstRows::new(keys, after, limit, matches.count);
    if !keys[0].is_score() || matches.count < MIN_PARALLEL_SCORES {
        let mut first = found();
        matches.documents.for_each(|row| first.offer(row));
        return first.heap.into_sorted_vec().into_iter().map(|candidate| candidate.row).collect();
    }
    let part_rows = segment.document_count().div_ceil(SCORED_PARTS);
    let parts = map_parallel(SCORED_PARTS, |part| {
        let mut first = found();
        let (start, end) = (part * part_rows, (part + 1) * part_rows);
        let mut next = matches.documents.next_from(start);
        while let Some(row) = next.filter(|row| *row < end) {
            first.offer(row);
            next = matches.documents.next_from(row + 1);
        }
        first.heap
    });
    let mut candidates: Vec<Candidate> = parts.into_iter().flatten().collect();
    candidates.sort_unstable();
    candidates.into_iter().take(limit).map(|candidate| candidate.row).collect()
}

/// The first of the rows that were offered.
struct FirstRows<'k> {
    keys: &'k [SegmentSortKey<'k>],
    after: Option<&'k SearchAfter>,
    limit: usize,
    /// The last of them on top.
    heap: BinaryHeap<Candidate>,
    /// No row with a greater rank in the first key is one of the first.
    worst_rank: u64,
}

impl<'k> FirstRows<'k> {
    fn new(keys: &'k [SegmentSortKey<'k>], after: Option<&'k SearchAfter>, limit: usize, matches: usize) -> Self {
        let heap = BinaryHeap::with_capacity(limit.min(matches) + 1);
        Self { keys, after, limit, heap, worst_rank: u64::MAX }
    }

    #[inline]
    fn offer(&mut self, row: usize) {
        let Some((first_key, other_keys)) = self.keys.split_first() else { return };
        let first_rank = first_key.rank(row);
        if first_rank > self.worst_rank || self.after.is_some_and(|after| !after.is_before(self.keys, row)) {
            return;
        }
        let other_ranks = other_keys.iter().map(|key| key.rank(row)).collect();
        let candidate = Candidate { first_rank, other_ranks, row };
        if self.heap.len() < self.limit {
            self.heap.push(candidate);
        } else if let Some(mut last) = self.heap.peek_mut()
            && candidate < *last
        {
            *last = candidate;
        }
        if self.heap.len() == self.limit
            && let Some(last) = self.heap.peek()
        {
            self.worst_rank = last.first_rank;
        }
    }
}

#[cfg(test)]
mod tests {
    use cantata_engine::{Filter, IndexWriter, MissingOrder, SearchPlan, SortMode, SortOrder};
    use serde_json::json;

    use super::*;
    use crate::cancellation::CancelOnDrop;
    use crate::test_index::{TestIndex, put_document};

    #[tokio::test]
    async fn records_of_several_segments_are_merged_in_order() {
        let index = TestIndex::new(&json!({ "n": { "type": "long" } }));
        let mut expected = Vec::new();
        for batch in 0..3 {
            let mut operations = Vec::new();
            for number in 0..20 {
                let (id, n) = (format!("{number}-{batch}"), number * 7 % 5);
                operations.push(put_document(&id, &json!({ "n": n })));
                expected.push((n, id));
            }
            index.engine.write("things", operations).await.unwrap();
        }
        expected.sort_unstable();
        let snapshot = index.snapshot();
        assert!(snapshot.segments.len() > 1);
        let (field, order, missing) = (Some("n".to_owned()), SortOrder::Ascending, MissingOrder::Last);
        let sort = vec![SortKey { field, order, mode: SortMode::Min, missing }];
        let request = CancelOnDrop::default();
        let token = request.token();
        for (offset, size) in [(0, 7), (7, 20), (55, 20), (60, 5), (0, 100), (3, 0)] {
            let page = HitsRequest { offset, size, sort: sort.clone(), ..HitsRequest::default() };
            let plan = SearchPlan { filters: vec![Filter::All], hits: vec![page], facets: Vec::new() };
            let match_sets = PlanMatchSets::new(&snapshot, &plan, &token);
            let page = find_page(&snapshot, &plan.hits[0], match_sets.of_filter(0), None);
            let found: Vec<&str> = page.records.iter().map(|(cursor, _)| cursor.id.as_str()).collect();
            let expected: Vec<&str> = expected.iter().skip(offset).take(size).map(|(_, id)| id.as_str()).collect();
            assert_eq!(found, expected, "{size} after {offset}");
        }
    }
}
