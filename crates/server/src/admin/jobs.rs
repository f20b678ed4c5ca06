//! `/admin/jobs`: work that takes a while, its progress, and what became of it.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::Event;
use cantata_indexing::{IndexingError, JobError};
use futures_util::Stream;

use super::ORIGIN;
use super::indexing::indexing_error;
use crate::error_body::ApiResult;
use crate::extract::{Params, Segments, malformed, parse_integer};
use crate::openapi::schemas::{Job, JobPath};
use crate::response::{event_stream, json as json_response};
use crate::state::IndexingState;

/// The least time between two events about the progress of jobs.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);

/// Lists the latest jobs, the newest first.
#[utoipa::path(
    get, path = "/admin/jobs", tag = "Indexing",
    responses((status = 200, description = "The jobs", body = Vec<Job>))
)]
pub(crate) async fn list(State(state): State<IndexingState>) -> ApiResult {
    state.indexing.jobs().refresh().await;
    Ok(json_response(&state.indexing.jobs().list()))
}

/// Returns a job.
#[utoipa::path(
    get, path = "/admin/jobs/{job}", tag = "Indexing",
    params(JobPath),
    responses((status = 200, description = "The job", body = Job))
)]
pub(crate) async fn job(State(state): State<IndexingState>, Segments(id): Segments<String>) -> ApiResult {
    let id = parse_job_id(&id)?;
    let unknown = || indexing_error(IndexingError::Job(JobError::Unknown(id)));
    state.indexing.jobs().refresh().await;
    Ok(json_response(&state.indexing.jobs().job(id).ok_or_else(unknown)?))
}

/// Cancels a job: it ends as soon as it can, and leaves nothing behind.
#[utoipa::path(
    delete, path = "/admin/jobs/{job}", tag = "Indexing",
    params(JobPath),
    responses((status = 200, description = "The job, which may still be under way", body = Job))
)]
pub(crate) async fn cancel(State(state): State<IndexingState>, Segments(id): Segments<String>) -> ApiResult {
    let id = parse_job_id(&id)?;
    state.indexing.jobs().refresh().await;
    let cancelled = state.indexing.jobs().cancel(id).await;
    Ok(json_response(&cancelled.map_err(|error| indexing_error(IndexingError::Job(error)))?))
}

/// Streams jobs as server-sent events: first those that are known, then each one whenever it changes.
#[utoipa::path(
    get, path = "/admin/jobs/events", tag = "Indexing",
    params(("follow" = Option<bool>, Query, description = "false: end after the jobs that are known")),
    responses(
        (status = 200, description = "The jobs; each event carries one as it is then",
         body = String, content_type = "text/event-stream"),
    )
)]
pub(crate) async fn follow(State(state): State<IndexingState>, params: Params) -> ApiResult {
    let follow = params.boolean(ORIGIN, "follow", true)?;
    Ok(event_stream(server_sent(state, follow)))
}

fn parse_job_id(id: &str) -> ApiResult<u64> {
    Ok(parse_integer(id, 0).ok_or_else(|| malformed(ORIGIN, "job", id, "the number of a job"))?)
}

fn server_sent(state: IndexingState, follow: bool) -> impl Stream<Item = Result<Event, Infallible>> + Send {
    async_stream::stream! {
        let jobs = state.indexing.jobs();
        let mut changes = jobs.changes();
        let (mut changed, mut seen) = (jobs.list(), *changes.borrow_and_update());
        changed.reverse();
        loop {
            for job in changed {
                // A job has nothing that cannot be written as JSON.
                yield Ok(Event::default().json_data(&job).unwrap_or_default());
            }
            if !follow {
                return;
            }
            let next = async {
                tokio::time::sleep(PROGRESS_INTERVAL).await;
                changes.wait_for(|change| *change > seen).await.is_ok()
            };
            let goes_on = tokio::select! {
                goes_on = next => goes_on,
                () = state.app.stopped() => false,
            };
            if !goes_on {
                return;
            }
            (changed, seen) = jobs.changed_after(seen);
        }
    }
}
