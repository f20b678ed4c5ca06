//! The cross-cutting work of every request, as one stack of layers around the routes.
//!
//! The stack is inside the router, so that each layer can read the spec of the matched route
//! (`RegisteredRoute::of`). Request IDs and CORS are our own: tower-http takes any ID that a client sends, and
//! answers a page of a foreign origin instead of rejecting it.

use std::any::Any;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use cantata_core::ErrorId;
use http::{Extensions, HeaderMap, HeaderValue, StatusCode, Version, header};
use tower::ServiceBuilder;
use tower::util::MapRequestLayer;
use tower_http::CompressionLevel;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{Predicate as _, SizeAbove};
use tower_http::set_header::SetResponseHeaderLayer;

use crate::access::{AuditInterceptor, authenticate};
use crate::cors::CorsInterceptor;
use crate::error_body::{ApiError, ErrorRenderer};
use crate::intercept::InterceptLayer;
use crate::limits::{enforce_limits, with_body_timeout};
use crate::metrics::MetricsInterceptor;
use crate::request_id::{RequestIdHeader, RequestIdService};
use crate::request_span::RequestSpanService;
use crate::routes::RouteTable;
use crate::state::AppState;

/// The smallest body that is worth compressing.
const MIN_COMPRESSED_BYTES: u16 = 1024;

/// Puts the layers around all routes and fallbacks of a router.
pub(crate) fn with_layers(router: Router<AppState>, routes: Arc<RouteTable>, state: &AppState) -> Router<AppState> {
    let client_timeout = state.settings.limits.client_timeout;
    let compression = CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        .compress_when(SizeAbove::new(MIN_COMPRESSED_BYTES).and(is_text));
    let nosniff = HeaderValue::from_static("nosniff");
    let stack = ServiceBuilder::new()
        .layer(compression)
        .layer(SetResponseHeaderLayer::overriding(header::X_CONTENT_TYPE_OPTIONS, nosniff))
        .layer_fn(RequestIdService)
        .layer(MapRequestLayer::new(move |request: Request| routes.annotate(request)))
        .layer_fn(RequestSpanService)
        .layer(InterceptLayer(RequestIdHeader))
        .layer(InterceptLayer(MetricsInterceptor(Arc::clone(&state.metrics))))
        .layer(InterceptLayer(CorsInterceptor(Arc::clone(&state.settings))))
        .layer(InterceptLayer(AuditInterceptor(Arc::clone(&state.access))))
        .layer(InterceptLayer(ErrorRenderer(Arc::clone(&state.metrics))))
        .layer(MapRequestLayer::new(move |request: Request| with_body_timeout(request, client_timeout)))
        .layer(from_fn_with_state(state.clone(), authenticate))
        .layer(from_fn_with_state(state.clone(), enforce_limits))
        .layer(CatchPanicLayer::custom(panic_response));
    router.layer(stack)
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

fn panic_response(_: Box<dyn Any + Send>) -> Response {
    tracing::error!("a request handler panicked");
    let text = "The server failed to answer this request; its log has the cause";
    ApiError::new(ErrorId::UnknownError, text).into_response()
}
