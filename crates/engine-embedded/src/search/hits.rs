//! Finding a page of records: the first ones of each segment, merged in order.

use std::collections::BinaryHeap;

use cantata_engine::{Cursor, Document, EngineError, Hit, HitsRequest, HitsResult};

use super::match_sets::{MatchSet, PlanMatchSets};
use super::relevance::Relevance;
use super::sort::{SearchAfter, SegmentSortKey, compare_cursors, cursor_of, segment_sort_keys};
use super::sorted_scan;
use crate::segment::Segment;
use crate::snapshot::{DocAddress, HitsPage, Snapshot};

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
    let mut records: Vec<(Cursor, DocAddress)> = Vec::new();
    for (segment, (reader, matches)) in snapshot.segments.iter().zip(match_sets).enumerate() {
        let scores = relevance.map(|relevance| relevance.of_segment(segment));
        let keys = segment_sort_keys(&reader.segment, &request.sort, scores);
        let after = request.after.as_ref().map(|cursor| SearchAfter::new(&reader.segment, &keys, cursor));
        for row in first_rows(&reader.segment, &keys, matches, after.as_ref(), limit) {
            records.push((cursor_of(&reader.segment, &keys, row), DocAddress { segment, row }));
        }
    }
    if snapshot.segments.len() > 1 {
        records.sort_by(|one, two| compare_cursors(&request.sort, &one.0, &two.0));
    }
    let records: Vec<_> = records.into_iter().skip(request.offset).take(request.size).collect();
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

/// Returns the first matching rows of a segment, in order.
fn first_rows(
    segment: &Segment,
    keys: &[SegmentSortKey<'_>],
    matches: &MatchSet,
    after: Option<&SearchAfter>,
    limit: usize,
) -> Vec<usize> {
    let comes_after = |row: &usize| after.is_none_or(|after| after.is_before(keys, *row));
    let Some((first_key, other_keys)) = keys.split_first() else {
        // Rows are in the order of ids.
        return matches.documents.iter().filter(comes_after).take(limit).collect();
    };
    if limit == 0 {
        return Vec::new();
    }
    if let Some(rows) = sorted_scan::first_rows(segment, keys, matches, after, limit) {
        return rows;
    }
    let mut heap: BinaryHeap<Candidate> = BinaryHeap::with_capacity(limit.min(matches.count) + 1);
    let mut worst_rank = u64::MAX;
    matches.documents.for_each(|row| {
        let first_rank = first_key.rank(row);
        if first_rank > worst_rank || !comes_after(&row) {
            return;
        }
        let other_ranks = other_keys.iter().map(|key| key.rank(row)).collect();
        let candidate = Candidate { first_rank, other_ranks, row };
        if heap.len() < limit {
            heap.push(candidate);
        } else if let Some(mut last) = heap.peek_mut()
            && candidate < *last
        {
            *last = candidate;
        }
        if heap.len() == limit
            && let Some(last) = heap.peek()
        {
            worst_rank = last.first_rank;
        }
    });
    heap.into_sorted_vec().into_iter().map(|candidate| candidate.row).collect()
}
