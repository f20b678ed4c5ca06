//! The tracing span of a request.
//!
//! It is created where spans of the target `request` are enabled, which costs something for every request. The request
//! ID in the log does not depend on it (see [`crate::request_id`]).

use std::task::{Context, Poll};

use axum::extract::{FromRequestParts as _, RawPathParams, Request};
use futures_util::FutureExt as _;
use tower::{Layer, Service};
use tracing::field::Empty;
use tracing::instrument::{Instrument as _, Instrumented};
use tracing::{Span, debug_span};

use crate::access::STUDY_PARAMETER;
use crate::request_id::RequestId;
use crate::routes::RegisteredRoute;

/// The path parameter that names a catalogue.
const CATALOGUE_PARAMETER: &str = "catalogue";

/// Runs requests in a span.
#[derive(Clone)]
pub(crate) struct RequestSpanLayer;

impl<S> Layer<S> for RequestSpanLayer {
    type Service = RequestSpanService<S>;

    fn layer(&self, inner: S) -> RequestSpanService<S> {
        RequestSpanService(inner)
    }
}

/// A service whose requests run in a span.
#[derive(Clone)]
pub(crate) struct RequestSpanService<S>(S);

impl<S: Service<Request>> Service<Request> for RequestSpanService<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = Instrumented<S::Future>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let (span, request) = start_span(request);
        let future = span.in_scope(|| self.0.call(request));
        future.instrument(span)
    }
}

fn start_span(request: Request) -> (Span, Request) {
    let span = debug_span!(
        target: "request",
        "request",
        request_id = RequestId::current().as_ref().map(RequestId::as_str),
        method = request.method().as_str(),
        route = RegisteredRoute::of(&request).map(|route| route.metrics.template()),
        catalogue = Empty,
        study = Empty,
    );
    if span.is_disabled() {
        return (span, request);
    }
    let (mut parts, body) = request.into_parts();
    // The router has found the parameters already, so there is nothing to wait for.
    if let Some(Ok(parameters)) = RawPathParams::from_request_parts(&mut parts, &()).now_or_never() {
        for (name, value) in &parameters {
            match name {
                STUDY_PARAMETER => _ = span.record("study", value),
                CATALOGUE_PARAMETER => _ = span.record("catalogue", value),
                _ => {}
            }
        }
    }
    (span, Request::from_parts(parts, body))
}
