//! Bringing all records that pass a filter, in order, page by page, from one snapshot.

use std::sync::Arc;

use cantata_engine::{Cursor, EngineError, ExportRequest, Hit};

use super::Matches;
use super::documents::documents_of;
use super::hits::cursor;
use super::order::{SegmentKey, compare};
use crate::snapshot::Snapshot;

/// A running export.
pub(crate) struct Export {
    snapshot: Arc<Snapshot>,
    request: ExportRequest,
    /// For each segment its documents in order, and how many of them were brought.
    queues: Vec<(Vec<u32>, usize)>,
    left: u64,
}

impl Export {
    pub(crate) fn new(snapshot: Arc<Snapshot>, request: ExportRequest) -> Self {
        let mut queues = Vec::new();
        let mut total = 0;
        for view in &snapshot.views {
            let matches = Matches::new(view, &request.filter);
            total += matches.count as u64;
            let keys: Vec<SegmentKey<'_>> =
                request.sort.iter().map(|key| SegmentKey::new(&view.segment, key)).collect();
            let mut documents: Vec<u32> = matches.documents.iter().map(|document| document as u32).collect();
            if !keys.is_empty() {
                documents.sort_by_cached_key(|&document| {
                    keys.iter().map(|key| key.rank(document as usize)).collect::<Vec<u64>>()
                });
            }
            queues.push((documents, 0));
        }
        let left = request.limit.map_or(total, |limit| limit.min(total));
        Self { snapshot, request, queues, left }
    }

    /// Returns how many records are still to come.
    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    /// Returns the next records; none at the end.
    ///
    /// # Errors
    ///
    /// If their documents cannot be read.
    pub(crate) fn next(&mut self) -> Result<Vec<Hit>, EngineError> {
        let size = self.left.min(self.request.page_size as u64) as usize;
        let keys: Vec<Vec<SegmentKey<'_>>> = self
            .snapshot
            .views
            .iter()
            .map(|view| self.request.sort.iter().map(|key| SegmentKey::new(&view.segment, key)).collect())
            .collect();
        let head = |segment: usize, (documents, brought): &(Vec<u32>, usize)| -> Option<Cursor> {
            let document = *documents.get(*brought)? as usize;
            Some(cursor(&self.snapshot.views[segment], &keys[segment], document))
        };
        let mut heads: Vec<Option<Cursor>> =
            self.queues.iter().enumerate().map(|(segment, queue)| head(segment, queue)).collect();
        let mut cursors = Vec::with_capacity(size);
        let mut places = Vec::with_capacity(size);
        while cursors.len() < size {
            let next = heads
                .iter()
                .enumerate()
                .filter_map(|(segment, head)| head.as_ref().map(|head| (segment, head)))
                .min_by(|one, two| compare(&self.request.sort, one.1, two.1))
                .map(|(segment, _)| segment);
            let Some(segment) = next else { break };
            let (documents, brought) = &mut self.queues[segment];
            let document = documents[*brought] as usize;
            *brought += 1;
            let Some(cursor) = heads[segment].take() else { break };
            heads[segment] = head(segment, &self.queues[segment]);
            cursors.push(cursor);
            places.push((segment, document));
        }
        self.left -= cursors.len() as u64;
        let documents = documents_of(&self.snapshot, &places)?;
        let hits =
            cursors.into_iter().zip(documents).map(|(cursor, document)| Hit { cursor, document: Some(document) });
        Ok(hits.collect())
    }
}
