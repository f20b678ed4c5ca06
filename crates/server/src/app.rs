//! The application as the server sees it: a request in, a response out, whatever happens.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, HttpBody};
use axum::http::{Method, Request, Response};
use axum::response::IntoResponse;
use cantata_core::{Error, ErrorId, ErrorOrigin};
use futures_util::FutureExt;
use http::uri::PathAndQuery;
use http::{HeaderMap, HeaderValue, Uri, header};
use tower::ServiceExt;
use utoipa::openapi::OpenApi;

use crate::LimitSettings;
use crate::access::Audited;
use crate::error_body::{ApiError, render};
use crate::extract::discard;
use crate::limits::{ExportSlot, Refused, watched, within};
use crate::metrics::RouteMetrics;
use crate::openapi::documentation_routes;
use crate::portal;
use crate::request_id::RequestId;
use crate::serve::Connection;
use crate::state::AppState;

/// How much of the body of a refused request is read all the same.
const REFUSED_BODY: usize = 1024 * 1024;

/// Routes, services and settings; clones share them.
#[derive(Clone)]
pub struct App {
    router: Router,
    state: AppState,
}

impl App {
    pub(crate) fn new(
        routes: Router<AppState>,
        mut measured: Vec<Arc<RouteMetrics>>,
        document: OpenApi,
        state: AppState,
    ) -> Self {
        let pages = documentation_routes(&state.access, document).merge(portal::routes(&state.access));
        measured.extend(pages.measured());
        state.metrics.follow(measured);
        let router = routes
            .merge(pages.into_router())
            .fallback(unknown_path)
            .method_not_allowed_fallback(refused_method)
            .with_state(state.clone());
        Self { router, state }
    }

    /// Answers a request. A handler that panics is answered for like any other failure.
    pub async fn respond(&self, request: Request<Body>) -> Response<Body> {
        let id = RequestId::of(request.headers());
        let mut response = id.clone().scope(self.measured(request)).await;
        id.mark(&mut response);
        response
    }

    /// Answers a request, and counts it.
    async fn measured(&self, request: Request<Body>) -> Response<Body> {
        let measured = self.state.metrics.begin(&request);
        let response = self.answered(request).await;
        measured.answered(&response);
        response
    }

    async fn answered(&self, mut request: Request<Body>) -> Response<Body> {
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
        let audited = Audited::begin(&self.state.access, &mut request);
        let answered = self.within_limits(request, &uri).await;
        let mut response = answered.unwrap_or_else(|refused| {
            self.state.metrics.refuse(refused);
            refused.answer(is_search)
        });
        self.state.metrics.note_error(&response);
        if crate::es::has_path(uri.path()) {
            response = crate::es::rendered(response);
        }
        let mut response = render(response, &uri, host.as_ref());
        origin.mark(&mut response);
        if let Some(audited) = audited {
            audited.answered(&response);
        }
        response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        response
    }

    /// Lets a request through if its client may send it, and gives it up if it takes too long.
    async fn within_limits(&self, mut request: Request<Body>, uri: &Uri) -> Result<Response<Body>, Refused> {
        let settings = &self.state.settings.limits;
        let arrival = (!request.body().is_end_stream()).then(|| {
            let connection = request.extensions().get::<Arc<Connection>>().cloned();
            let (body, arrival) = watched(std::mem::take(request.body_mut()), connection, settings.client_timeout);
            *request.body_mut() = body;
            request.extensions_mut().insert(Arc::clone(&arrival));
            arrival
        });
        let slot = match self.admitted(&mut request).await {
            Ok(slot) => slot,
            Err(refused) => {
                // A client that still sends would not read the answer.
                discard(request.into_body(), REFUSED_BODY).await;
                return Err(refused);
            }
        };
        let response = if is_administration(request.uri().path()) {
            self.routed(request, uri).await
        } else {
            let answer = within(settings.request_timeout, arrival.as_deref(), self.routed(request, uri));
            answer.await.ok_or(Refused::TookTooLong)?
        };
        Ok(match slot {
            Some(slot) => response.map(|body| slot.until_sent(body)),
            None => response,
        })
    }

    /// Finds out who sends a request, and whether it may go on; an export gets its slot.
    async fn admitted(&self, request: &mut Request<Body>) -> Result<Option<ExportSlot>, Refused> {
        let limits = &self.state.limits;
        let path = request.uri().path();
        if is_compressed(request.headers()) && !crate::es::takes_coding(path, request.headers()) {
            return Err(Refused::Compressed);
        }
        if crate::es::has_path(path) {
            crate::es::translate(request.headers_mut());
        }
        if !self.state.access.recall(request) {
            limits.before_authentication(request)?;
            self.state.access.mark(request).await;
            limits.note_authentication(request);
        }
        limits.admit(request)?;
        if is_export(request.uri().path()) { limits.begin_export(request).map(Some) } else { Ok(None) }
    }

    /// Answers a request, also if its handler panics.
    async fn routed(&self, request: Request<Body>, uri: &Uri) -> Response<Body> {
        match AssertUnwindSafe(self.router.clone().oneshot(request)).catch_unwind().await {
            Ok(Ok(response)) => response,
            Ok(Err(never)) => match never {},
            Err(_) => {
                tracing::error!(path = uri.path(), "a request handler panicked");
                let text = "The server failed to answer this request; its log has the cause";
                ApiError(Error::new(ErrorOrigin::HttpServer, ErrorId::UnknownError, text)).into_response()
            }
        }
    }

    /// Returns what connections are held to.
    pub(crate) fn limit_settings(&self) -> &LimitSettings {
        &self.state.settings.limits
    }

    /// Ends answers that would go on for ever; others are finished.
    pub fn stop(&self) {
        self.state.stop();
    }
}

/// Says whether a body is anything but what it says; what is not decompressed cannot be a bomb.
fn is_compressed(headers: &HeaderMap) -> bool {
    headers.get_all(header::CONTENT_ENCODING).iter().any(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"identity"))
}

/// Says whether a path leads to answers of any length.
fn is_export(path: &str) -> bool {
    path.starts_with("/export/") || path.ends_with("/download")
}

/// Says whether a path is for operators, whose work may take as long as it takes.
fn is_administration(path: &str) -> bool {
    path.starts_with("/admin/") || crate::es::has_path(path)
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
        ErrorOrigin::HttpServer,
        ErrorId::PathNotFound,
        format!("There is nothing at '{}'; GET /docs shows every path", uri.path()),
    ))
}

async fn refused_method(method: Method, uri: Uri) -> ApiError {
    ApiError(Error::new(
        ErrorOrigin::HttpServer,
        ErrorId::MethodNotAllowed,
        format!("'{}' does not take {method}; the Allow header lists the methods that it takes", uri.path()),
    ))
}
