//! Batch submission: splitting a body into payloads as it arrives.
//!
//! A batch is a JSON array of payloads or one payload per line. The splitter is fed the body piece by piece and
//! hands out each payload as soon as its last byte is there, so memory holds one payload, never the batch. It only
//! looks for where a payload ends; whether it is JSON is for the parser of payloads to say, so that one that is not
//! becomes that payload's own error.

mod earlier;
mod splitter;

use bytes::Bytes;
use cantata_core::{AnalysisId, Error, Result};
use cantata_store::DuplicateRule;
use futures_util::{Stream, StreamExt};

pub use splitter::{BatchForm, PayloadSplitter};

use self::earlier::EarlierFiles;
use crate::{MetadataService, SubmitOptions};

/// How many payloads of a batch are under way at once; each waits for a commit that they all share.
const CONCURRENT_PAYLOADS: usize = 64;

impl MetadataService {
    /// Submits payloads one after the other as they come, and returns what became of each in the same order.
    ///
    /// A payload that could not be separated from the body is an error in its place.
    pub fn submit_batch<'a>(
        &'a self,
        study_id: &'a str,
        options: SubmitOptions,
        payloads: impl Stream<Item = Result<Bytes, Error>> + 'a,
    ) -> impl Stream<Item = Result<AnalysisId>> + 'a {
        // Some checks take longer than others. Storing begins in the order of the payloads all the same, so that the
        // first of two that have a file in common is the one that is stored. A future is asked for the first time in
        // the order of its stream; without a budget, that is when it queues for the store.
        payloads
            .map(move |payload| async move { self.checked_analysis(study_id, payload?, options).await })
            .buffered(CONCURRENT_PAYLOADS)
            .map(move |analysis| async move { self.insert(&analysis?, options).await })
            .map(tokio::task::unconstrained)
            .buffered(CONCURRENT_PAYLOADS)
    }

    /// Checks payloads as [`MetadataService::submit_batch`] does, each other's files included, and stores nothing.
    pub fn validate_batch<'a>(
        &'a self,
        study_id: &'a str,
        options: SubmitOptions,
        payloads: impl Stream<Item = Result<Bytes, Error>> + 'a,
    ) -> impl Stream<Item = Result<()>> + 'a {
        // Had they been stored, would they count?
        let is_minded = match self.duplicate_rule(options) {
            DuplicateRule::Allow => false,
            DuplicateRule::AnyAnalysis => true,
            DuplicateRule::PublishedAnalysis => options.publish,
        };
        let mut earlier = EarlierFiles::default();
        payloads
            .map(move |payload| async move { self.validated_analysis(study_id, payload?, options).await })
            .buffered(CONCURRENT_PAYLOADS)
            .enumerate()
            .map(move |(place, analysis)| {
                let analysis = analysis?;
                if is_minded { earlier.add(place, &analysis) } else { Ok(()) }
            })
    }
}
