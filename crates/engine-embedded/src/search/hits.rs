//! Finding a page of records: the first ones of each segment, put together in order.

use std::collections::BinaryHeap;

use cantata_engine::{Cursor, Document, EngineError, Hit, HitsAnswer, HitsRequest};

use super::documents::documents_of;

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

/// A page of records, without their documents.
#[derive(Clone, Default)]
pub(super) struct Page {
    total: Option<u64>,
    /// Where each record is in the order; the segment it is in, and its row there.
    pub(super) records: Vec<(Cursor, (usize, usize))>,
}

impl Page {
    /// Finds a page.
    pub(super) fn find(snapshot: &Snapshot, request: &HitsRequest, matches: &[Matches]) -> Self {
        let total = request.total.then(|| matches.iter().map(|matches| matches.count as u64).sum());
        let wanted = if request.size == 0 { 0 } else { request.offset.saturating_add(request.size) };
        let mut found: Vec<(Cursor, (usize, usize))> = Vec::new();
        for (segment, (view, matches)) in snapshot.views.iter().zip(matches).enumerate() {
            let keys: Vec<SegmentKey<'_>> =
                request.sort.iter().map(|key| SegmentKey::new(&view.segment, key)).collect();
            let after = request.after.as_ref().map(|cursor| Threshold::new(&view.segment, &keys, cursor));
            for document in first_documents(&view.segment, &keys, matches, after.as_ref(), wanted) {
                found.push((cursor(view, &keys, document), (segment, document)));
            }
        }
        if snapshot.views.len() > 1 {
            found.sort_by(|one, two| compare(&request.sort, &one.0, &two.0));
        }
        Self { total, records: found.into_iter().skip(request.offset).take(request.size).collect() }
    }

    /// Returns the page with the documents that are wanted.
    ///
    /// # Errors
    ///
    /// If they cannot be read.
    pub(super) fn with_documents(self, snapshot: &Snapshot, request: &HitsRequest) -> Result<HitsAnswer, EngineError> {
        let (cursors, places): (Vec<Cursor>, Vec<(usize, usize)>) = self.records.into_iter().unzip();
        let documents: Vec<Option<Document>> = match request.documents {
            true => documents_of(snapshot, &places)?.into_iter().map(Some).collect(),
            false => vec![None; places.len()],
        };
        let hits = cursors.into_iter().zip(documents).map(|(cursor, document)| Hit { cursor, document });
        Ok(HitsAnswer { total: self.total, hits: hits.collect() })
    }
}

/// Returns the place of a document in the order.
pub(super) fn cursor(view: &View, keys: &[SegmentKey<'_>], document: usize) -> Cursor {
    Cursor { values: keys.iter().map(|key| key.value(document)).collect(), id: view.segment.id(document).to_owned() }
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
