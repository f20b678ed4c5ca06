//! The application as the server sees it: a request in, a response out, whatever happens.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{OriginalUri, Request};
use axum::response::Response;
use cantata_core::ErrorId;
use http::uri::PathAndQuery;
use http::{HeaderValue, Method, StatusCode, Uri, Version, header};
use tower::ServiceExt;

use crate::LimitSettings;
use crate::error_body::ApiError;
use crate::layers::{compressed, mark_compressible, with_layers};
use crate::openapi::{documentation_routes, documented};
use crate::routes::{RouteTable, Routes};
use crate::search_paths::SearchPaths;
use crate::state::AppState;

/// Routes, services and settings; clones share them.
#[derive(Clone)]
pub struct App {
    router: Router,
    routes: Arc<RouteTable>,
    /// `None` if there is no search service.
    search_paths: Option<Arc<SearchPaths>>,
    state: AppState,
}

impl App {
    pub(crate) fn new(routes: Routes<AppState>, state: AppState) -> Self {
        let mut registered = routes.registered();
        let (router, document) = documented(routes);
        let documentation = documentation_routes(&state.access, document);
        registered.extend(documentation.registered());
        let routes = Arc::new(RouteTable::new(registered));
        state.metrics.set_routes(Arc::clone(&routes));
        let router = router
            .merge(documentation.into_router())
            .fallback(unknown_path)
            .method_not_allowed_fallback(method_not_allowed);
        let router = with_layers(router, Arc::clone(&routes), &state).with_state(state.clone());
        let search_paths = SearchPaths::new(routes.first_segments(), &state.settings).map(Arc::new);
        Self { router, routes, search_paths, state }
    }

    /// Responds to a request.
    pub(crate) async fn respond(&self, mut request: Request) -> Response {
        if let Some(routed) = self.routed_uri(request.uri()) {
            let original = std::mem::replace(request.uri_mut(), routed);
            request.extensions_mut().insert(OriginalUri(original));
        }
        add_host(&mut request);
        let version = request.version();
        let router = self.router.clone();
        let response = if request.headers().contains_key(header::ACCEPT_ENCODING) {
            compressed(router).oneshot(request).await.map(|response| response.map(Body::new))
        } else {
            router.oneshot(request).await.map(|mut response| {
                mark_compressible(&mut response);
                response
            })
        };
        let mut response = match response {
            Ok(response) => response,
            Err(never) => match never {},
        };
        if response.status() == StatusCode::PAYLOAD_TOO_LARGE && version < Version::HTTP_2 {
            // What is left of the body must not be taken for the next request.
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }

    /// Returns a URI as the routes have it, if it differs: without the slash at its end, which SONG ignores, and with
    /// the paths of the search service in lower case.
    fn routed_uri(&self, uri: &Uri) -> Option<Uri> {
        let path = uri.path();
        let trimmed = path.strip_suffix('/').filter(|path| !path.is_empty()).unwrap_or(path);
        let routed = match self.search_paths.as_ref().and_then(|paths| paths.canonical(trimmed)) {
            Some(routed) => routed,
            None if trimmed.len() < path.len() => trimmed.to_owned(),
            None => return None,
        };
        let path_and_query = match uri.query() {
            Some(query) => format!("{routed}?{query}"),
            None => routed,
        };
        let mut parts = uri.clone().into_parts();
        parts.path_and_query = Some(PathAndQuery::try_from(path_and_query).ok()?);
        Uri::from_parts(parts).ok()
    }

    /// Returns the first segments of all paths, which no catalogue can have as its id.
    pub fn first_segments(&self) -> BTreeSet<String> {
        self.routes.first_segments()
    }

    /// Returns the limits that hold for connections.
    pub(crate) fn limit_settings(&self) -> &LimitSettings {
        &self.state.settings.limits
    }

    /// Ends streams that never end by themselves; other responses are finished.
    pub fn stop(&self) {
        self.state.stop();
    }
}

/// Adds the header `Host`, in whose place HTTP/2 has the authority of the URI. HTTP/1.1 requires the header itself.
fn add_host(request: &mut Request) {
    if request.version() != Version::HTTP_11
        && !request.headers().contains_key(header::HOST)
        && let Some(authority) = request.uri().authority()
        && let Ok(host) = HeaderValue::from_str(authority.as_str())
    {
        request.headers_mut().insert(header::HOST, host);
    }
}

/// Answers for a path that no route has.
pub(crate) async fn unknown_path(uri: Uri) -> ApiError {
    let text = format!("There is nothing at '{}'; GET /docs shows every path", uri.path());
    ApiError::new(ErrorId::PathNotFound, text)
}

async fn method_not_allowed(method: Method, uri: Uri) -> ApiError {
    let text = format!("'{}' does not take {method}; the Allow header lists the methods that it takes", uri.path());
    ApiError::new(ErrorId::MethodNotAllowed, text)
}
