//! The cross-cutting work of every request, as one stack of layers around the routes.
//!
//! The stack is inside the router, so that each layer can read the spec of the matched route
//! (`RegisteredRoute::of`). Request IDs and CORS are our own: tower-http takes any ID that a client sends, and
//! answers a page of a foreign origin instead of rejecting it.

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::response::Response;
use http::{Extensions, HeaderMap, HeaderValue, StatusCode, Version, header};
use tower::util::MapRequestLayer;
use tower::{Layer as _, ServiceBuilder};
use tower_http::CompressionLevel;
use tower_http::compression::predicate::{Predicate, SizeAbove};
use tower_http::compression::{Compression, CompressionLayer};
use tower_http::set_header::SetResponseHeaderLayer;

use crate::access::AuditInterceptor;
use crate::admission::AdmissionService;
use crate::cors::CorsInterceptor;
use crate::error_body::ErrorRenderer;
use crate::intercept::InterceptLayer;
use crate::limits::with_body_timeout;
use crate::metrics::MetricsInterceptor;
use crate::request_id::{RequestIdHeader, RequestIdService};
use crate::request_span::RequestSpanService;
use crate::routes::RouteTable;
use crate::state::AppState;

/// The smallest body that is worth compressing.
const MIN_COMPRESSED_BYTES: u16 = 1024;

const ACCEPT_ENCODING: HeaderValue = HeaderValue::from_static("accept-encoding");

/// Puts the layers around all routes and fallbacks of a router.
pub(crate) fn with_layers(router: Router<AppState>, routes: Arc<RouteTable>, state: &AppState) -> Router<AppState> {
    let (body_state, admission_state) = (Arc::clone(state), Arc::clone(state));
    let nosniff = HeaderValue::from_static("nosniff");
    let stack = ServiceBuilder::new()
        .layer(SetResponseHeaderLayer::overriding(header::X_CONTENT_TYPE_OPTIONS, nosniff))
        .layer_fn(RequestIdService)
        .layer(MapRequestLayer::new(move |request: Request| routes.annotate(request)))
        .layer_fn(RequestSpanService)
        .layer(InterceptLayer(RequestIdHeader))
        .layer(InterceptLayer(MetricsInterceptor(Arc::clone(&state.metrics))))
        .layer(InterceptLayer(CorsInterceptor(Arc::clone(&state.settings))))
        .layer(InterceptLayer(AuditInterceptor(Arc::clone(&state.access))))
        .layer(InterceptLayer(ErrorRenderer(Arc::clone(state))))
        .layer(MapRequestLayer::new(move |request: Request| {
            with_body_timeout(request, &body_state.settings.limits, &body_state.limits.memory)
        }))
        .layer_fn(move |inner| AdmissionService { state: Arc::clone(&admission_state), inner });
    router.layer(stack)
}

/// Returns a router that compresses responses, for requests that accept it: it costs something for every response.
pub(crate) fn compressed(router: Router) -> Compression<Router, impl Predicate> {
    CompressionLayer::new().quality(CompressionLevel::Fastest).compress_when(is_compressible()).layer(router)
}

/// Says of a response that was not compressed whether another request would get it compressed, as caches need to know.
pub(crate) fn mark_compressible(response: &mut Response) {
    let headers = response.headers();
    let is_marked = headers.get_all(header::VARY).iter().any(|names| names == ACCEPT_ENCODING);
    if !is_marked && !headers.contains_key(header::CONTENT_ENCODING) && is_compressible().should_compress(response) {
        response.headers_mut().append(header::VARY, ACCEPT_ENCODING);
    }
}

fn is_compressible() -> impl Predicate {
    SizeAbove::new(MIN_COMPRESSED_BYTES).and(is_text)
}

/// Returns whether a body is text that compresses well. A stream of server-sent events stays as it is.
fn is_text(_: StatusCode, _: Version, headers: &HeaderMap, _: &Extensions) -> bool {
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media_type = content_type.split(';').next().unwrap_or_default().trim();
    match media_type.split_once('/') {
        Some(("text", kind)) => kind != "event-stream",
        Some(("application", kind)) => matches!(kind, "json" | "x-ndjson" | "javascript") || kind.ends_with("+json"),
        _ => media_type == "image/svg+xml",
    }
}
