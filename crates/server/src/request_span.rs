//! The tracing span of a request.
//!
//! It is created where spans of the target `request` are enabled, which costs something for every request. The request
//! ID in the log does not depend on it (see [`crate::request_id`]).

use std::task::{Context, Poll};

use axum::RequestExt as _;
use axum::extract::{RawPathParams, Request};
use futures_util::FutureExt as _;
use tower::Service;
use tracing::field::Empty;
use tracing::instrument::{Instrument as _, Instrumented};
use tracing::{Span, debug_span};

use crate::access::STUDY_PARAMETER;
use crate::request_id::RequestId;
use crate::routes::RegisteredRoute;

/// The path parameter that names a catalogue.
const CATALOGUE_PARAMETER: &str = "catalogue";

/// A service whose requests run in a span.
#[derive(Clone)]
pub(crate) struct RequestSpanService<S>(pub(crate) S);

impl<S: Service<Request>> Service<Request> for RequestSpanService<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = Instrumented<S::Future>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, mut request: Request) -> Self::Future {
        let span = start_span(&mut request);
        let future = span.in_scope(|| self.0.call(request));
        future.instrument(span)
    }
}

fn start_span(request: &mut Request) -> Span {
    let span = debug_span!(
        target: "request",
        "request",
        request_id = RequestId::current().as_ref().map(RequestId::as_str),
        method = request.method().as_str(),
        route = RegisteredRoute::of(request).map(|route| route.metrics.template()),
        catalogue = Empty,
        study = Empty,
    );
    if span.is_disabled() {
        return span;
    }
    // The router has found the parameters already, so there is nothing to wait for.
    if let Some(Ok(parameters)) = request.extract_parts::<RawPathParams>().now_or_never() {
        for (name, value) in &parameters {
            match name {
                STUDY_PARAMETER => _ = span.record("study", value),
                CATALOGUE_PARAMETER => _ = span.record("catalogue", value),
                _ => {}
            }
        }
    }
    span
}
