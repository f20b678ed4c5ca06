//! `/admin/indexing`, and what can be done with the index of a catalogue that has a source.

use axum::extract::State;
use cantata_core::{Error, ErrorId};
use cantata_indexing::{IndexingError, JobError};
use http::StatusCode;

use super::{ORIGIN, engine_error};
use crate::error_body::ApiResult;
use crate::extract::Segments;
use crate::openapi::schemas::{CatalogueIndexing, IndexedCataloguePath, Job};
use crate::response::{json as json_response, json_with_status};
use crate::state::IndexingState;

/// Returns how the index of each catalogue follows its source: how far it came, and which documents were rejected.
#[utoipa::path(
    get, path = "/admin/indexing", tag = "Indexing",
    responses((status = 200, description = "The catalogues that have a source, by id", body = Vec<CatalogueIndexing>))
)]
pub(crate) async fn status(State(state): State<IndexingState>) -> ApiResult {
    Ok(json_response(&state.indexing.status()))
}

/// Begins to rebuild the index of a catalogue, while it is searched and while changes come in.
#[utoipa::path(
    post, path = "/admin/catalogues/{catalogue}/reindex", tag = "Indexing",
    params(IndexedCataloguePath),
    responses((status = 202, description = "The job that does it", body = Job))
)]
pub(crate) async fn reindex(State(state): State<IndexingState>, Segments(catalogue): Segments<String>) -> ApiResult {
    let job = state.indexing.reindex(&catalogue).await.map_err(indexing_error)?;
    Ok(json_with_status(StatusCode::ACCEPTED, &job))
}

/// Goes back to the index that a catalogue had before the last reindex, which then catches up; done again, it leads
/// back.
#[utoipa::path(
    post, path = "/admin/catalogues/{catalogue}/rollback", tag = "Indexing",
    params(IndexedCataloguePath),
    responses((status = 200, description = "How it is now", body = CatalogueIndexing))
)]
pub(crate) async fn rollback(State(state): State<IndexingState>, Segments(catalogue): Segments<String>) -> ApiResult {
    Ok(json_response(&state.indexing.rollback(&catalogue).await.map_err(indexing_error)?))
}

/// Gives an error its row in the error table.
pub(super) fn indexing_error(error: IndexingError) -> Error {
    let text = error.to_string();
    let id = match error {
        IndexingError::UnknownCatalogue(_) => ErrorId::CatalogueNotFound,
        IndexingError::Job(JobError::Unknown(_)) => ErrorId::JobNotFound,
        IndexingError::Unusable(_)
        | IndexingError::NoPreviousIndex(_)
        | IndexingError::Job(JobError::Busy(_) | JobError::Over(_)) => ErrorId::JobConflict,
        IndexingError::Job(JobError::Unavailable(_)) => ErrorId::ServiceUnavailable,
        IndexingError::Engine(error) => return engine_error(error),
    };
    Error::new(ORIGIN, id, text)
}
