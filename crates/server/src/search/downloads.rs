//! Exports of what a filter finds.
//!
//! Portals send a hidden form with a field `params`; programs send JSON. An address alone asks for one file, so that
//! whatever reads a table from an address can read this one.

mod responses;

use axum::body::Body;
use axum::extract::{Path, RawQuery, Request, State};
use axum::response::Response;
use cantata_engine::EngineError;
use cantata_search::{DownloadError, DownloadRequest, ServedCatalogue};
use http::{HeaderName, HeaderValue, StatusCode, header};

use self::responses::{AnyFiles, OneFile};
use super::{SearchResult, SearchState, text};
use crate::extract::content_type;
use crate::limits::BUSY_RETRY_SECONDS;
use crate::openapi::schemas::{DownloadParameters, DownloadQuery};
use crate::response::with_content_type;

/// Which files of a download their limit of rows may have cut.
const ROW_LIMIT: HeaderName = HeaderName::from_static("x-row-limit");

/// Exports what a filter finds in the only catalogue.
#[utoipa::path(
    post, path = "/download", tag = "Search",
    request_body(content(
        (DownloadParameters = "application/json"), (DownloadParameters = "application/x-www-form-urlencoded"),
    )),
    responses(AnyFiles)
)]
pub(super) async fn only(State(state): State<SearchState>, request: Request) -> SearchResult {
    let served = super::only(&state, "download", request.extensions())?;
    respond(&state, &served, request).await
}

/// Exports what a filter finds in a catalogue.
#[utoipa::path(
    post, path = "/{catalogue}/download", tag = "Search",
    params(("catalogue" = String, Path, description = "Its id, or a document type that no other catalogue has")),
    request_body(content(
        (DownloadParameters = "application/json"), (DownloadParameters = "application/x-www-form-urlencoded"),
    )),
    responses(AnyFiles)
)]
pub(super) async fn named(
    State(state): State<SearchState>,
    Path(name): Path<String>,
    request: Request,
) -> SearchResult {
    let served = super::named(&state, &name, request.extensions())?;
    respond(&state, &served, request).await
}

/// Exports what a filter finds in the only catalogue, as one file.
#[utoipa::path(get, path = "/download", tag = "Search", params(DownloadQuery), responses(OneFile))]
pub(super) async fn only_by_get(
    State(state): State<SearchState>,
    RawQuery(query): RawQuery,
    request: Request,
) -> SearchResult {
    let served = super::only(&state, "download", request.extensions())?;
    by_get(&served, query.as_deref()).await
}

/// Exports what a filter finds in a catalogue, as one file.
#[utoipa::path(
    get, path = "/{catalogue}/download", tag = "Search",
    params(
        ("catalogue" = String, Path, description = "Its id, or a document type that no other catalogue has"),
        DownloadQuery,
    ),
    responses(OneFile)
)]
pub(super) async fn named_by_get(
    State(state): State<SearchState>,
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
    request: Request,
) -> SearchResult {
    let served = super::named(&state, &name, request.extensions())?;
    by_get(&served, query.as_deref()).await
}

async fn by_get(served: &ServedCatalogue, query: Option<&str>) -> SearchResult {
    let parameters = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    let request = DownloadRequest::from_query(parameters).map_err(|error| rejection(&error))?;
    let mut response = send(served, &request).await?;
    // The same address has other rows tomorrow.
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

async fn respond(state: &SearchState, served: &ServedCatalogue, request: Request) -> SearchResult {
    let is_form = content_type(request.headers()).as_deref() == Some("application/x-www-form-urlencoded");
    let body = super::read(request, state.body_limit).await?;
    let params = if is_form {
        let params = form_urlencoded::parse(&body).find(|(key, _)| key == "params");
        let missing = "params: found nothing; expected a form field with a JSON text";
        params.ok_or_else(|| text(StatusCode::BAD_REQUEST, missing))?.1
    } else {
        String::from_utf8_lossy(&body)
    };
    let request = DownloadRequest::parse(&params).map_err(|error| rejection(&error))?;
    send(served, &request).await
}

/// Starts the download that is asked for.
async fn send(served: &ServedCatalogue, request: &DownloadRequest) -> SearchResult {
    let download = served.download(request).await.map_err(|error| rejection(&error))?;
    let disposition = HeaderValue::from_str(&download.content_disposition());
    let disposition = disposition.unwrap_or_else(|_| HeaderValue::from_static("attachment"));
    let content_type = HeaderValue::from_static(download.content_type);
    let mut response = with_content_type(Body::from_stream(download.body), content_type);
    response.headers_mut().insert(header::CONTENT_DISPOSITION, disposition);
    if let Some(limits) = download.row_limits.and_then(|limits| HeaderValue::try_from(limits).ok()) {
        response.headers_mut().insert(ROW_LIMIT, limits);
        response.headers_mut().insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from(ROW_LIMIT));
    }
    Ok(response)
}

fn rejection(error: &DownloadError) -> Response {
    let status = match error {
        DownloadError::Disabled | DownloadError::CountsOnly => StatusCode::FORBIDDEN,
        DownloadError::Invalid(_) => StatusCode::BAD_REQUEST,
        DownloadError::Engine(EngineError::Busy | EngineError::IndexUnavailable { .. }) => {
            StatusCode::SERVICE_UNAVAILABLE
        }
        DownloadError::Engine(_) => StatusCode::BAD_GATEWAY,
    };
    let mut response = text(status, error.to_string());
    if status == StatusCode::SERVICE_UNAVAILABLE {
        response.headers_mut().insert(header::RETRY_AFTER, BUSY_RETRY_SECONDS.into());
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_that_cannot_be_opened_at_the_moment_is_asked_for_again_later() {
        let (index, reason) = ("files".to_owned(), "too many open files".to_owned());
        let error = EngineError::IndexUnavailable { index, reason };
        let response = rejection(&DownloadError::Engine(error));
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert!(response.headers().contains_key(header::RETRY_AFTER));
    }
}
