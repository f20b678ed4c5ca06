//! A tower layer for cross-cutting work that never waits: it sees a request before the inner service does, and the
//! response afterwards.
//!
//! `axum::middleware::from_fn` would allocate several times for each request and layer; this does not allocate.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::extract::Request;
use axum::response::Response;
use tower::{Layer, Service};

/// Work before and after the inner service.
pub(crate) trait Intercept: Clone {
    /// What is kept until there is a response; dropped without one if the request is cancelled.
    type InFlight: Unpin;

    /// Handles a request; an error is the response to it.
    fn on_request(&self, request: &mut Request) -> Result<Self::InFlight, Box<Response>>;

    /// Handles the response.
    fn on_response(in_flight: Self::InFlight, response: Response) -> Response;
}

/// Puts an interceptor around a service.
#[derive(Clone)]
pub(crate) struct InterceptLayer<I>(pub(crate) I);

impl<I: Clone, S> Layer<S> for InterceptLayer<I> {
    type Service = Intercepted<I, S>;

    fn layer(&self, inner: S) -> Intercepted<I, S> {
        Intercepted { interceptor: self.0.clone(), inner }
    }
}

/// A service with an interceptor around it.
#[derive(Clone)]
pub(crate) struct Intercepted<I, S> {
    interceptor: I,
    inner: S,
}

impl<I, S> Service<Request> for Intercepted<I, S>
where
    I: Intercept,
    S: Service<Request, Response = Response, Error = Infallible>,
    S::Future: Unpin,
{
    type Response = Response;
    type Error = Infallible;
    type Future = InterceptFuture<I, S::Future>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request) -> Self::Future {
        match self.interceptor.on_request(&mut request) {
            Ok(in_flight) => InterceptFuture::Running(self.inner.call(request), Some(in_flight)),
            Err(response) => InterceptFuture::Answered(Some(response)),
        }
    }
}

/// The future of an intercepted response.
pub(crate) enum InterceptFuture<I: Intercept, F> {
    Running(F, Option<I::InFlight>),
    Answered(Option<Box<Response>>),
}

impl<I, F> Future for InterceptFuture<I, F>
where
    I: Intercept,
    F: Future<Output = Result<Response, Infallible>> + Unpin,
{
    type Output = Result<Response, Infallible>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut *self {
            Self::Answered(response) => response.take().map_or(Poll::Pending, |response| Poll::Ready(Ok(*response))),
            Self::Running(future, in_flight) => {
                let response = ready!(Pin::new(future).poll(context))?;
                Poll::Ready(Ok(match in_flight.take() {
                    Some(in_flight) => I::on_response(in_flight, response),
                    None => response,
                }))
            }
        }
    }
}
