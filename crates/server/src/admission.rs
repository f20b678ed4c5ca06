//! Admission of requests: who sends a request, whether it may be sent now, and how long its response may take.
//!
//! This is one service, and not a layer of `axum::middleware::from_fn` for each question, because such a layer clones and
//! boxes everything within it for each request. Most requests need not wait to be admitted: then nothing is cloned.

use std::convert::Infallible;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::HttpBody as _;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use cantata_core::ErrorId;
use futures_util::FutureExt as _;
use http::{Version, header};
use tower::{Service, ServiceExt as _};

use crate::access::{FromStorageServer, session_secret};
use crate::body_hook::with_guard;
use crate::error_body::ApiError;
use crate::es_compat;
use crate::limits::{BodyProgress, ExportPermit, Rejection, RequestMemory, timeout_after_body, with_share};
use crate::routes::{Dialect, RegisteredRoute};
use crate::state::AppState;

/// A service whose requests are admitted first.
#[derive(Clone)]
pub(crate) struct AdmissionService<S> {
    pub(crate) state: AppState,
    pub(crate) inner: S,
}

/// The future of a response.
type ResponseFuture = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

/// What holds for the response to an admitted request.
struct Admission {
    /// Held until the response of an export is sent.
    permit: Option<ExportPermit>,
    /// How long the response may take to begin; no limit for administration.
    timeout: Option<Duration>,
    progress: Option<Arc<BodyProgress>>,
    /// Holds the answers that are not sent yet.
    memory: Arc<RequestMemory>,
    /// Whether the request reads, so that its answer may be refused.
    is_reading: bool,
}

/// In the extensions of a response: the request changed something, though its route reads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChangeMade;

impl<S> Service<Request> for AdmissionService<S>
where
    S: Service<Request, Response = Response, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send + 'static,
{
    type Response = Response;
    type Error = Infallible;
    type Future = ResponseFuture;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request) -> ResponseFuture {
        if let Err(error) = check_host(&request) {
            return Box::pin(std::future::ready(Ok(error.into_response())));
        }
        if RegisteredRoute::of(&request).is_some_and(|route| route.spec.dialect == Dialect::Elasticsearch) {
            es_compat::translate_credentials(request.headers_mut());
        }
        if is_from_storage_server(&self.state, &request) {
            request.extensions_mut().insert(FromStorageServer);
        }
        if self.state.access.authenticate_now(&mut request) {
            return match admit(&self.state, &request) {
                Ok(admission) => Box::pin(admission.respond(self.inner.call(request)).map(Ok)),
                Err(rejection) => Box::pin(rejection.reject(request).map(Ok)),
            };
        }
        let (state, inner) = (Arc::clone(&self.state), self.inner.clone());
        Box::pin(async move { Ok(respond_after_authentication(&state, inner, request).await) })
    }
}

/// Rejects a request of HTTP/1.1 that does not say exactly once which host it is for (RFC 9112, 3.2): a proxy could read
/// another host than this server.
fn check_host(request: &Request) -> Result<(), ApiError> {
    let hosts = request.headers().get_all(header::HOST).iter().count();
    if request.version() != Version::HTTP_11 || hosts == 1 {
        return Ok(());
    }
    let text = format!("The request has {hosts} headers Host; HTTP/1.1 requires exactly one");
    Err(ApiError::new(ErrorId::MalformedParameter, text))
}

/// Returns whether a request without a credential comes from the address of a storage server.
fn is_from_storage_server(state: &AppState, request: &Request) -> bool {
    let servers = &state.access.storage_servers;
    !servers.is_empty()
        && !request.headers().contains_key(header::AUTHORIZATION)
        && session_secret(request.headers()).is_none()
        && servers.contains(state.limits.client_address(request))
}

/// Responds to a request whose credential takes time to check. An address that sent too many credentials that were not
/// accepted is rejected.
async fn respond_after_authentication<S>(state: &AppState, inner: S, mut request: Request) -> Response
where
    S: Service<Request, Response = Response, Error = Infallible> + Send,
    S::Future: Send,
{
    if let Err(rejection) = state.limits.check_failures(&request) {
        return rejection.reject(request).await;
    }
    state.access.authenticate(&mut request).await;
    state.limits.count_failure(&request);
    match admit(state, &request) {
        Ok(admission) => admission.respond(inner.oneshot(request)).await,
        Err(rejection) => rejection.reject(request).await,
    }
}

/// Rejects a request beyond a limit.
fn admit(state: &AppState, request: &Request) -> Result<Admission, Rejection> {
    let memory = Arc::clone(&state.limits.memory);
    let is_safe = request.method().is_safe();
    let Some(route) = RegisteredRoute::of(request) else {
        return Ok(Admission { permit: None, timeout: None, progress: None, memory, is_reading: is_safe });
    };
    let permit = state.limits.admit(request, &route.spec)?;
    let timeout = (!route.spec.is_administration).then_some(state.settings.limits.request_timeout);
    let progress = request.extensions().get::<Arc<BodyProgress>>().cloned();
    Ok(Admission { permit, timeout, progress, memory, is_reading: is_safe || route.spec.is_reading })
}

impl Admission {
    /// Waits for the response of the handler; one that panics or takes too long is answered for.
    async fn respond(self, response: impl Future<Output = Result<Response, Infallible>>) -> Response {
        let response = AssertUnwindSafe(response).catch_unwind();
        let outcome = match self.timeout {
            Some(timeout) => match timeout_after_body(timeout, self.progress.as_deref(), response).await {
                Some(outcome) => outcome,
                None => return Rejection::TookTooLong.into_response(),
            },
            None => response.await,
        };
        let response = match outcome {
            Ok(Ok(response)) => response,
            Ok(Err(never)) => match never {},
            Err(_) => panic_response(),
        };
        // An export is sent by pieces, and their number is limited.
        if let Some(permit) = self.permit {
            return response.map(|body| with_guard(body, permit));
        }
        // The request is answered, so its body is gone.
        drop(self.progress);
        let bytes = response.body().size_hint().exact().unwrap_or_default();
        // What was changed is not to be asked for again, so the client must get to know of it.
        let may_refuse = self.is_reading && response.extensions().get::<ChangeMade>().is_none();
        let share = match may_refuse {
            true => self.memory.take_for_answer(bytes).await,
            false => Ok(self.memory.try_take_for_answer(bytes)),
        };
        match share {
            Ok(Some(share)) => response.map(|body| with_share(body, share)),
            Ok(None) => response,
            Err(_) => Rejection::NoMemory.into_response(),
        }
    }
}

fn panic_response() -> Response {
    tracing::error!("a request handler panicked");
    let text = "The server failed to answer this request; its log has the cause";
    ApiError::new(ErrorId::UnknownError, text).into_response()
}
