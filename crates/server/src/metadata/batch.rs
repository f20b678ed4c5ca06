//! `/submit/{studyId}/batch`

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use bytes::Bytes;
use cantata_core::{Error, ErrorId, ErrorOrigin, Result};
use cantata_json_stream::{BodyFormat, BodySplitter};
use cantata_metadata::batch::batch_error;
use futures_util::{Stream, StreamExt};
use http::HeaderValue;

use super::submit::submit_options;
use crate::RequestId;
use crate::access::AuditSlot;
use crate::error_body::{ApiError, ApiResult};
use crate::extract::{BodyShare, Params, Segments, content_type, declared_length, too_large, unsupported_media_type};
use crate::limits::BodyProgress;
use crate::openapi::schemas::{AnalysisPayload, BatchResult, NothingStored};
use crate::response::with_content_type;
use crate::response_buffer::{ResponseBufferWriter, response_buffer};
use crate::state::AppState;

/// Submits many payloads in one request.
///
/// The body is a JSON array of payloads (`application/json`) or one payload per line (`application/x-ndjson`); the
/// answer has the same form, with one result for each payload in the same order. A payload that is refused does not
/// stop the others. Both ways are streamed.
#[utoipa::path(
    post, path = "/submit/{studyId}/batch", tag = "Submission",
    params(
        ("studyId" = String, Path, description = "The study; every payload must name the same"),
        ("allowDuplicates" = Option<bool>, Query, description = "Store files whose checksum is stored already"),
        ("publish" = Option<bool>, Query, description = "Store each payload as published, or not at all; not possible \
          where a storage server is configured"),
        ("validateOnly" = Option<bool>, Query, description = "Check everything and store nothing; payloads are also \
          compared with those before them"),
    ),
    request_body(content(
        (Vec<AnalysisPayload> = "application/json"),
        (String = "application/x-ndjson"),
    )),
    responses(
        (status = 200, description = "What became of each payload", content(
            (Vec<BatchResult> = "application/json"),
            (String = "application/x-ndjson"),
        )),
        NothingStored,
    )
)]
pub(crate) async fn submit_batch(
    State(state): State<AppState>,
    Segments(study_id): Segments<String>,
    params: Params,
    request: Request,
) -> ApiResult {
    let options = submit_options(&params)?;
    let validate_only = params.boolean(ErrorOrigin::SubmitService, "validateOnly", false)?;
    if validate_only && let Some(audit) = request.extensions().get::<AuditSlot>() {
        audit.mark_dry_run();
    }
    let format = batch_format(&request)?;
    let limit = state.settings.limits.batch_limit;
    if declared_length(request.headers()) > limit {
        return Err(too_large(limit));
    }
    state.metadata.study(&study_id).await?;
    if let Some(progress) = request.extensions().get::<Arc<BodyProgress>>() {
        // A client may wait for a result before it sends its next payload.
        progress.allow_pauses();
    }
    let (writer, results) = response_buffer();
    let splitter = BodySplitter::new(format, state.settings.body_limit);
    tokio::spawn(RequestId::current_or_new().scope(async move {
        let share = BodyShare::of(&request);
        let payloads = payloads(request.into_body(), share, splitter, limit);
        let outcomes = if validate_only {
            let outcomes = state.metadata.validate_batch(&study_id, options, payloads);
            outcomes.map(|outcome| outcome.map(|()| None)).left_stream()
        } else {
            let outcomes = state.metadata.submit_batch(&study_id, options, payloads);
            outcomes.map(|outcome| outcome.map(Some)).right_stream()
        };
        let results = outcomes.enumerate().map(|(index, outcome)| BatchResult::new(index, outcome));
        if let Err(error) = write_results(format, results, &writer).await {
            tracing::error!(%error, "the results of a batch could not be kept");
        }
    }));
    let media_type = match format {
        BodyFormat::Array => "application/json",
        BodyFormat::Lines => "application/x-ndjson",
    };
    Ok(with_content_type(Body::from_stream(results), HeaderValue::from_static(media_type)))
}

fn batch_format(request: &Request) -> ApiResult<BodyFormat> {
    match content_type(request.headers()).as_deref() {
        None | Some("application/json") => Ok(BodyFormat::Array),
        Some("application/x-ndjson" | "application/ndjson" | "application/jsonl" | "application/x-jsonlines") => {
            Ok(BodyFormat::Lines)
        }
        Some(other) => Err(unsupported_media_type(other, "application/json or application/x-ndjson")),
    }
}

/// Splits a body into payloads as it arrives; one that breaks off, or has more than `limit` bytes, ends with an error
/// instead of the next payload.
fn payloads(
    body: Body,
    mut share: BodyShare,
    mut splitter: BodySplitter,
    limit: u64,
) -> impl Stream<Item = Result<Bytes>> + Send {
    async_stream::try_stream! {
        let mut pieces = body.into_data_stream();
        let mut left = limit;
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(|error| {
                let text = format!("Unable to read the batch: the body ended early: {error}");
                Error::new(ErrorOrigin::SubmitService, ErrorId::PayloadParsing, text)
            })?;
            left = left.checked_sub(piece.len() as u64).ok_or_else(|| too_large(limit).0)?;
            splitter.feed(&piece);
            while let Some(payload) = splitter.next_document().map_err(|error| batch_error(&error))? {
                yield payload;
            }
            // A payload of which much is missing waits in memory.
            share.grow_to(splitter.buffered_bytes()).await.map_err(|ApiError(error)| error)?;
        }
        if let Some(payload) = splitter.finish().map_err(|error| batch_error(&error))? {
            yield payload;
        }
    }
}

async fn write_results(
    format: BodyFormat,
    results: impl Stream<Item = BatchResult>,
    writer: &ResponseBufferWriter,
) -> std::io::Result<()> {
    // Each line ends at once, so that a client may wait for it before it sends its next payload.
    let (head, between, after) = match format {
        BodyFormat::Array => ("[", ",\n", ""),
        BodyFormat::Lines => ("", "", "\n"),
    };
    let mut results = std::pin::pin!(results);
    let mut separator = head;
    let mut is_empty = true;
    while let Some(result) = results.next().await {
        let mut line = separator.as_bytes().to_vec();
        serde_json::to_writer(&mut line, &result)?;
        line.extend_from_slice(after.as_bytes());
        if !writer.write(line.into())? {
            return Ok(());
        }
        separator = between;
        is_empty = false;
    }
    let end = match (format, is_empty) {
        (BodyFormat::Array, true) => "[]",
        (BodyFormat::Array, false) => "]",
        (BodyFormat::Lines, _) => "",
    };
    writer.write(Bytes::from_static(end.as_bytes())).map(|_| ())
}
