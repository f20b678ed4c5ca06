//! Export: all records that match a filter, in order, page by page, from one snapshot.

use std::sync::Arc;

use cantata_engine::{Cursor, EngineError, ExportRequest, Hit};

use super::match_sets::MatchSet;
use super::sort::{SegmentSortKey, compare_cursors, cursor_of, segment_sort_keys};
use crate::bitset::Bitset;
use crate::cancellation::CancellationToken;
use crate::snapshot::{DocAddress, Snapshot};

/// A page ends with the document that reaches this size, so that an export takes as much memory whatever is in the index.
const MAX_PAGE_BYTES: usize = 1 << 20;

/// A running export: a merge of the sorted rows of all segments.
pub(crate) struct ExportScan {
    snapshot: Arc<Snapshot>,
    request: ExportRequest,
    queues: Vec<SegmentQueue>,
    /// The number of records that are still to come.
    pub(crate) remaining: u64,
}

/// The matching rows of one segment in order, and which of them is next.
enum SegmentQueue {
    Sorted {
        rows: Vec<u32>,
        returned: usize,
    },
    /// The order of ids is that of rows, so a bit for each of them is enough.
    ById {
        documents: Bitset,
        next: usize,
    },
}

impl SegmentQueue {
    fn first(&self) -> Option<usize> {
        match self {
            Self::Sorted { rows, returned } => rows.get(*returned).map(|&row| row as usize),
            Self::ById { documents, next } => documents.next_from(*next),
        }
    }

    /// Removes the first row.
    fn advance_past(&mut self, first: usize) {
        match self {
            Self::Sorted { returned, .. } => *returned += 1,
            Self::ById { next, .. } => *next = first + 1,
        }
    }
}

impl ExportScan {
    /// Finds the records of an export.
    ///
    /// # Errors
    ///
    /// If it was cancelled.
    pub(crate) fn new(
        snapshot: Arc<Snapshot>,
        request: ExportRequest,
        cancellation: &CancellationToken,
    ) -> Result<Self, EngineError> {
        let mut queues = Vec::new();
        let mut total = 0;
        for reader in &snapshot.segments {
            let matches = MatchSet::new(reader, &request.filter, cancellation);
            cancellation.check()?;
            total += matches.count as u64;
            let keys = segment_sort_keys(&reader.segment, &request.sort, None);
            if keys.is_empty() {
                queues.push(SegmentQueue::ById { documents: matches.documents, next: 0 });
                continue;
            }
            let limit = request.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
            let rows = match keys.as_slice() {
                [key] => first_rows(&matches.documents, limit, |row| key.rank(row)),
                keys => first_rows(&matches.documents, limit, |row| {
                    keys.iter().map(|key| key.rank(row)).collect::<Vec<u64>>()
                }),
            };
            queues.push(SegmentQueue::Sorted { rows, returned: 0 });
        }
        let remaining = request.limit.map_or(total, |limit| limit.min(total));
        Ok(Self { snapshot, request, queues, remaining })
    }

    /// Returns the next records; none at the end.
    ///
    /// # Errors
    ///
    /// If their documents cannot be read.
    pub(crate) fn next_page(&mut self) -> Result<Vec<Hit>, EngineError> {
        let size = self.remaining.min(self.request.page_size as u64) as usize;
        let segments = &self.snapshot.segments;
        let keys: Vec<Vec<SegmentSortKey<'_>>> =
            segments.iter().map(|reader| segment_sort_keys(&reader.segment, &self.request.sort, None)).collect();
        let head = |segment: usize, queue: &SegmentQueue| -> Option<Cursor> {
            Some(cursor_of(&segments[segment].segment, &keys[segment], queue.first()?))
        };
        let mut heads: Vec<Option<Cursor>> =
            self.queues.iter().enumerate().map(|(segment, queue)| head(segment, queue)).collect();
        let mut cursors = Vec::with_capacity(size);
        let mut addresses = Vec::with_capacity(size);
        let mut bytes = 0;
        while cursors.len() < size && bytes < MAX_PAGE_BYTES {
            let next = heads
                .iter()
                .enumerate()
                .filter_map(|(segment, head)| head.as_ref().map(|head| (segment, head)))
                .min_by(|one, two| compare_cursors(&self.request.sort, one.1, two.1))
                .map(|(segment, _)| segment);
            let Some(segment) = next else { break };
            let Some(cursor) = heads[segment].take() else { break };
            let queue = &mut self.queues[segment];
            let Some(row) = queue.first() else { break };
            bytes += segments[segment].segment.document_extent(row).len();
            addresses.push(DocAddress { segment, row });
            queue.advance_past(row);
            heads[segment] = head(segment, queue);
            cursors.push(cursor);
        }
        self.remaining -= cursors.len() as u64;
        let documents = self.snapshot.load_documents(&addresses)?.into_iter().map(Some);
        let hits = cursors.into_iter().zip(documents).map(|(cursor, document)| Hit { cursor, document, score: None });
        Ok(hits.collect())
    }
}

/// Returns the first rows in the order of a key, and of rows where it is the same.
fn first_rows<K: Ord>(documents: &Bitset, limit: usize, key: impl Fn(usize) -> K) -> Vec<u32> {
    let mut rows: Vec<(K, u32)> = documents.iter().map(|row| (key(row), row as u32)).collect();
    if limit < rows.len() {
        rows.select_nth_unstable(limit);
        rows.truncate(limit);
    }
    rows.sort_unstable();
    rows.into_iter().map(|(_, row)| row).collect()
}
