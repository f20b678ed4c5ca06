//! Batch submission: many payloads in one request, each with a result of its own.
//!
//! A batch is a JSON array of payloads or one payload per line. It is split as it arrives, so memory holds the payloads
//! in progress, never the batch.

mod duplicates;

use bytes::Bytes;
use cantata_core::{AnalysisId, Error, ErrorId, ErrorOrigin, Result};
use cantata_json_stream::{SplitError, SyntaxErrorKind};
use cantata_store::DuplicateRule;
use futures_util::{Stream, StreamExt};

use self::duplicates::BatchDuplicates;
use crate::{MetadataService, SubmitOptions};

/// How many payloads of a batch are processed concurrently; they share group commits.
const MAX_CONCURRENT_PAYLOADS: usize = 64;

impl MetadataService {
    /// Submits payloads as they arrive, and returns the result of each in the same order.
    ///
    /// A body that cannot be split any further ends with an error.
    pub fn submit_batch<'a>(
        &'a self,
        study_id: &'a str,
        options: SubmitOptions,
        payloads: impl Stream<Item = Result<Bytes, Error>> + 'a,
    ) -> impl Stream<Item = Result<AnalysisId>> + 'a {
        // Some checks take longer than others. Inserts are queued in the order of the payloads all the same, so that of
        // two payloads with a common file the first one is stored. Futures are first polled in the order of their stream;
        // without a coop budget, that is when they are queued.
        payloads
            .map(move |payload| async move { self.checked_analysis(study_id, payload?, options).await })
            .buffered(MAX_CONCURRENT_PAYLOADS)
            .map(move |analysis| async move { self.insert(&analysis?, options).await })
            .map(tokio::task::unconstrained)
            .buffered(MAX_CONCURRENT_PAYLOADS)
    }

    /// Checks payloads as [`MetadataService::submit_batch`] does, each other's files included, and stores nothing.
    pub fn validate_batch<'a>(
        &'a self,
        study_id: &'a str,
        options: SubmitOptions,
        payloads: impl Stream<Item = Result<Bytes, Error>> + 'a,
    ) -> impl Stream<Item = Result<()>> + 'a {
        // Whether the files of stored payloads would count as duplicates.
        let is_checked = match self.duplicate_rule(options) {
            DuplicateRule::Allow => false,
            DuplicateRule::AnyAnalysis => true,
            DuplicateRule::PublishedAnalysis => options.publish,
        };
        let mut duplicates = BatchDuplicates::default();
        payloads
            .map(move |payload| async move { self.validated_analysis(study_id, payload?, options).await })
            .buffered(MAX_CONCURRENT_PAYLOADS)
            .enumerate()
            .map(move |(index, analysis)| {
                let analysis = analysis?;
                if is_checked { duplicates.add(index, &analysis) } else { Ok(()) }
            })
    }
}

/// Makes the error for a batch that cannot be split any further.
pub fn batch_error(error: &SplitError) -> Error {
    let reason = match error {
        SplitError::TooLong(limit) => {
            let text = format!("A payload of the batch is larger than the limit of {limit} bytes; split it");
            return Error::new(ErrorOrigin::SubmitService, ErrorId::PayloadTooLarge, text);
        }
        SplitError::Syntax(error) => match &error.kind {
            SyntaxErrorKind::ExpectedArray(_) => {
                "the body is not a JSON array; begin it with '[', or send one payload per line with Content-Type \
                 application/x-ndjson"
            }
            SyntaxErrorKind::AfterArray(_) => "there is more after the ']' that closes the array",
            SyntaxErrorKind::EndInArray | SyntaxErrorKind::EndInDocument(_) => {
                "the body ended before the array was closed by a ']'"
            }
            _ => "a payload is missing between two commas or before the ']'",
        },
    };
    Error::new(ErrorOrigin::SubmitService, ErrorId::PayloadParsing, format!("Unable to read the batch: {reason}"))
}
