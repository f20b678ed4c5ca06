//! `/events`

use axum::extract::State;
use axum::response::sse::Event;
use cantata_core::{Error, ErrorOrigin};
use cantata_metadata::EventStream;
use futures_util::Stream;
use http::HeaderMap;

use crate::access::{Follower, ReadableStudies};
use crate::error_body::ApiResult;
use crate::extract::{Params, malformed, parse_integer};
use crate::response::event_stream;
use crate::state::AppState;

const ORIGIN: ErrorOrigin = ErrorOrigin::AnalysisService;

/// Streams every change of an analysis as server-sent events, oldest first. Where reading needs a credential, those of
/// studies that it allows to read; a stream that is followed ends when the credential does.
///
/// The id of each event is its number. A consumer that reconnects with the number of the last event it has handled,
/// in `after` or in the header `Last-Event-ID`, misses none and gets none twice.
#[utoipa::path(
    get, path = "/events", tag = "Events",
    params(
        ("after" = Option<u64>, Query, description = "Begin after the event with this number; 0 if not given"),
        ("follow" = Option<bool>, Query, description = "false: end after the last event there is"),
        ("Last-Event-ID" = Option<u64>, Header, description = "The same as `after`, and stronger"),
    ),
    responses(
        (status = 200, description = "The events; each carries the message that consumers of SONG know",
         body = String, content_type = "text/event-stream"),
    )
)]
pub(crate) async fn follow(
    State(state): State<AppState>,
    headers: HeaderMap,
    params: Params,
    studies: ReadableStudies,
    follower: Follower,
) -> ApiResult {
    let asked = params.integer(ORIGIN, "after", 0)?.unwrap_or(0);
    let after = match headers.get("last-event-id").map(|id| String::from_utf8_lossy(id.as_bytes())) {
        Some(id) => parse_integer(&id, 0).ok_or_else(|| malformed(ORIGIN, "Last-Event-ID", &id, "an event number"))?,
        None => asked,
    };
    let follower = params.boolean(ORIGIN, "follow", true)?.then_some(follower);
    let events = state.metadata.events_after(after);
    Ok(event_stream(server_sent(state, events, studies, follower)))
}

fn server_sent(
    state: AppState,
    mut events: EventStream,
    studies: ReadableStudies,
    follower: Option<Follower>,
) -> impl Stream<Item = Result<Event, Error>> + Send {
    async_stream::try_stream! {
        loop {
            // A failure is logged where it happens; breaking off tells the consumer that there is more.
            let batch = events.next_batch().await;
            if batch.is_err() {
                // What was sent before is in a buffer that is written at the next pause, and lost with the connection.
                tokio::task::yield_now().await;
            }
            let ready = batch?;
            let is_idle = ready.is_empty();
            let has_ended = match &follower {
                Some(follower) if !is_idle => !follower.is_unchanged().await,
                _ => false,
            };
            if has_ended {
                // A consumer connects again, and its credential is looked at like any other.
                return;
            }
            for event in ready.into_iter().filter(|event| studies.contains(&event.study_id)) {
                yield Event::default().id(event.seq.to_string()).data(event.message);
            }
            if !is_idle {
                continue;
            }
            if follower.is_none() {
                return;
            }
            let goes_on = tokio::select! {
                goes_on = events.wait_for_event() => goes_on,
                () = state.stopped() => false,
            };
            if !goes_on {
                return;
            }
        }
    }
}
