//! Finding a page of records: the first ones of each segment, put together in order.

use std::collections::BinaryHeap;
use std::sync::Arc;

use cantata_engine::{Cursor, Document, Hit, HitsAnswer, HitsRequest, PackedDocuments};

use super::order::{SegmentKey, Threshold, compare};
use super::{Matches, walking};
use crate::segment::Segment;
use crate::snapshot::{Snapshot, View};

/// A document among the first ones of a segment: what it is ordered by, then its row. The order of the fields is the
/// order of candidates.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    first: u64,
    rest: Box<[u64]>,
    document: usize,
}

/// Finds a page of records.
pub(super) fn page(snapshot: &Snapshot, request: &HitsRequest, matches: &[Matches]) -> HitsAnswer {
    let total = request.total.then(|| matches.iter().map(|matches| matches.count as u64).sum());
    let wanted = if request.size == 0 { 0 } else { request.offset.saturating_add(request.size) };
    let mut found: Vec<(Cursor, &View, usize)> = Vec::new();
    for (view, matches) in snapshot.views.iter().zip(matches) {
        let keys: Vec<SegmentKey<'_>> = request.sort.iter().map(|key| SegmentKey::new(&view.segment, key)).collect();
        let after = request.after.as_ref().map(|cursor| Threshold::new(&view.segment, &keys, cursor));
        for document in first_documents(&view.segment, &keys, matches, after.as_ref(), wanted) {
            found.push((cursor(view, &keys, document), view, document));
        }
    }
    if snapshot.views.len() > 1 {
        found.sort_by(|one, two| compare(&request.sort, &one.0, &two.0));
    }
    let page = found.into_iter().skip(request.offset).take(request.size);
    let hits = page.map(|(cursor, view, document)| Hit {
        cursor,
        document: request.documents.then(|| document_of(view, document)),
    });
    HitsAnswer { total, hits: hits.collect() }
}

/// Returns the place of a document in the order.
pub(super) fn cursor(view: &View, keys: &[SegmentKey<'_>], document: usize) -> Cursor {
    Cursor { values: keys.iter().map(|key| key.value(document)).collect(), id: view.segment.id(document).to_owned() }
}

/// Returns the document of a row.
pub(crate) fn document_of(view: &View, row: usize) -> Document {
    let segment: Arc<dyn PackedDocuments> = view.segment.clone();
    Document::packed(segment, view.segment.document_place(row))
}

/// Returns the first documents of a segment, in order.
fn first_documents(
    segment: &Segment,
    keys: &[SegmentKey<'_>],
    matches: &Matches,
    after: Option<&Threshold>,
    wanted: usize,
) -> Vec<usize> {
    let comes_after = |document: &usize| after.is_none_or(|after| after.is_before(keys, *document));
    let Some((first_key, other_keys)) = keys.split_first() else {
        // Rows are in the order of ids.
        return matches.documents.iter().filter(comes_after).take(wanted).collect();
    };
    if wanted == 0 {
        return Vec::new();
    }
    if let Some(found) = walking::first_documents(segment, keys, matches, after, wanted) {
        return found;
    }
    let mut heap: BinaryHeap<Candidate> = BinaryHeap::with_capacity(wanted.min(matches.count) + 1);
    let mut worst = u64::MAX;
    matches.documents.for_each(|document| {
        let first = first_key.rank(document);
        if first > worst || !comes_after(&document) {
            return;
        }
        let rest = other_keys.iter().map(|key| key.rank(document)).collect();
        let candidate = Candidate { first, rest, document };
        if heap.len() < wanted {
            heap.push(candidate);
        } else if let Some(mut last) = heap.peek_mut()
            && candidate < *last
        {
            *last = candidate;
        }
        if heap.len() == wanted
            && let Some(last) = heap.peek()
        {
            worst = last.first;
        }
    });
    heap.into_sorted_vec().into_iter().map(|candidate| candidate.document).collect()
}
