//! ExportLimiter of what a filter finds.
//!
//! Portals send a hidden form with a field `params`; programs send JSON.

use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse, Response};
use cantata_search::{DownloadError, DownloadRequest, ServedCatalogue};
use http::{HeaderValue, StatusCode, header};

use super::{SearchState, identity, text};
use crate::extract::content_type;
use crate::openapi::schemas::{DownloadParameters, SearchRefusal};
use crate::response::with_content_type;

/// ExportLimiter what a filter finds in the only catalogue.
#[utoipa::path(
    post, path = "/download", tag = "Search",
    request_body(content(
        (DownloadParameters = "application/json"), (DownloadParameters = "application/x-www-form-urlencoded"),
    )),
    responses(
        (status = 200, description = "The file, or an archive of several", content(
            (String = "text/plain"), (String = "text/csv"), (Vec<Object> = "application/json"),
            (String = "application/x-ndjson"), (String = "application/gzip"),
        )),
        (status = "default", description = "What is wrong with the request, or with the catalogue", content(
            (String = "text/plain"), (SearchRefusal = "application/json"),
        )),
    )
)]
pub(super) async fn only(State(state): State<SearchState>, request: Request) -> Response {
    match super::only(&state, &identity(request.extensions())) {
        Ok(served) => respond(&state, &served, request).await,
        Err(response) => response.into_response(),
    }
}

/// ExportLimiter what a filter finds in a catalogue.
#[utoipa::path(
    post, path = "/{catalogue}/download", tag = "Search",
    params(("catalogue" = String, Path, description = "Its id, or a document type that no other catalogue has")),
    request_body(content(
        (DownloadParameters = "application/json"), (DownloadParameters = "application/x-www-form-urlencoded"),
    )),
    responses(
        (status = 200, description = "The file, or an archive of several", content(
            (String = "text/plain"), (String = "text/csv"), (Vec<Object> = "application/json"),
            (String = "application/x-ndjson"), (String = "application/gzip"),
        )),
        (status = "default", description = "What is wrong with the request, or with the catalogue", content(
            (String = "text/plain"), (SearchRefusal = "application/json"),
        )),
    )
)]
pub(super) async fn named(State(state): State<SearchState>, Path(name): Path<String>, request: Request) -> Response {
    match super::named(&state, &name, &identity(request.extensions())) {
        Ok(served) => respond(&state, &served, request).await,
        Err(response) => response.into_response(),
    }
}

async fn respond(state: &SearchState, served: &ServedCatalogue, request: Request) -> Response {
    let is_form = content_type(request.headers()).as_deref() == Some("application/x-www-form-urlencoded");
    let body = match super::read(request, state.body_limit).await {
        Ok(body) => body,
        Err(refusal) => return refusal.into_response(),
    };
    let params = if is_form {
        let params = form_urlencoded::parse(&body).find(|(key, _)| key == "params");
        let Some((_, params)) = params else {
            return text(StatusCode::BAD_REQUEST, "params: found nothing; expected a form field with a JSON text");
        };
        params.into_owned()
    } else {
        String::from_utf8_lossy(&body).into_owned()
    };
    let download = match DownloadRequest::parse(&params) {
        Ok(request) => served.download(&request).await,
        Err(error) => Err(error),
    };
    match download {
        Ok(download) => {
            let disposition = HeaderValue::from_str(&download.content_disposition());
            let disposition = disposition.unwrap_or_else(|_| HeaderValue::from_static("attachment"));
            let content_type = HeaderValue::from_static(download.content_type);
            let mut response = with_content_type(Body::from_stream(download.body), content_type);
            response.headers_mut().insert(header::CONTENT_DISPOSITION, disposition);
            response
        }
        Err(error @ (DownloadError::Disabled | DownloadError::CountsOnly)) => {
            text(StatusCode::FORBIDDEN, error.to_string())
        }
        Err(error @ DownloadError::Invalid(_)) => text(StatusCode::BAD_REQUEST, error.to_string()),
        Err(error @ DownloadError::Engine(_)) => text(StatusCode::BAD_GATEWAY, error.to_string()),
    }
}
