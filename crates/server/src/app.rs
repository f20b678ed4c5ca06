//! The application as the server sees it: a request in, a response out, whatever happens.

use std::panic::AssertUnwindSafe;

use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request, Response};
use axum::response::IntoResponse;
use cantata_core::{Error, ErrorId, Origin};
use futures_util::FutureExt;
use http::uri::PathAndQuery;
use http::{HeaderValue, Uri, header};
use tower::ServiceExt;
use utoipa::openapi::OpenApi;

use crate::error_body::{ApiError, render};
use crate::openapi::documentation_routes;
use crate::state::AppState;

/// Routes, services and settings; clones share them.
#[derive(Clone)]
pub struct App {
    router: Router,
    state: AppState,
}

impl App {
    pub(crate) fn new(routes: Router<AppState>, document: OpenApi, state: AppState) -> Self {
        let router = routes
            .merge(documentation_routes(document))
            .fallback(unknown_path)
            .method_not_allowed_fallback(refused_method)
            .with_state(state.clone());
        Self { router, state }
    }

    /// Answers a request. A handler that panics is answered for like any other failure.
    pub async fn respond(&self, mut request: Request<Body>) -> Response<Body> {
        let uri = request.uri().clone();
        let host = request.headers().get(header::HOST).cloned();
        if let Some(trimmed) = without_trailing_slash(&uri) {
            *request.uri_mut() = trimmed;
        }
        let is_search = crate::search::has_path(uri.path(), &self.state.settings);
        let origin = match self.state.settings.allowed_origins.judge(&request, is_search) {
            Ok(origin) => origin,
            Err(answer) => return *answer,
        };
        let answered = AssertUnwindSafe(self.router.clone().oneshot(request)).catch_unwind().await;
        let response = match answered {
            Ok(Ok(response)) => response,
            Ok(Err(never)) => match never {},
            Err(_) => {
                tracing::error!(path = uri.path(), "a request handler panicked");
                let text = "The server failed to answer this request; its log has the cause";
                ApiError(Error::new(Origin::HttpServer, ErrorId::UnknownError, text)).into_response()
            }
        };
        let mut response = render(response, &uri, host.as_ref());
        origin.mark(&mut response);
        response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        response
    }

    /// Ends answers that would go on for ever; others are finished.
    pub fn stop(&self) {
        self.state.stop();
    }
}

/// Returns the address without the slash at its end, which the original server does not mind.
fn without_trailing_slash(uri: &Uri) -> Option<Uri> {
    let trimmed = uri.path().strip_suffix('/').filter(|path| !path.is_empty())?;
    let path_and_query = match uri.query() {
        Some(query) => format!("{trimmed}?{query}"),
        None => trimmed.to_owned(),
    };
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::try_from(path_and_query).ok()?);
    Uri::from_parts(parts).ok()
}

/// Answers for a path that no route has.
pub(crate) async fn unknown_path(uri: Uri) -> ApiError {
    ApiError(Error::new(
        Origin::HttpServer,
        ErrorId::PathNotFound,
        format!("There is nothing at '{}'; GET /docs shows every path", uri.path()),
    ))
}

async fn refused_method(method: Method, uri: Uri) -> ApiError {
    ApiError(Error::new(
        Origin::HttpServer,
        ErrorId::MethodNotAllowed,
        format!("'{}' does not take {method}; the Allow header lists the methods that it takes", uri.path()),
    ))
}
