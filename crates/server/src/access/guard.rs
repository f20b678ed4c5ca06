//! What a route needs, and the check before its handler runs.
//!
//! The study that is checked is taken from where the handler takes it: the decoded segments that the router found. No
//! spelling of an address can make them differ.

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::extract::{FromRequestParts, RawPathParams, Request};
use axum::response::{IntoResponse, Response};
use cantata_access::{AuthError, AuthMethod, Identity};
use cantata_core::{Error, ErrorId, ErrorOrigin};
use futures_util::FutureExt;
use futures_util::future::{Either, Ready, ready};
use http::request::Parts;
use http::{HeaderValue, header};
use tower::{Layer, Service};

use super::{ANONYMOUS, AccessControl, Audit, Audited, Noted, is_reading};
use crate::error_body::ApiError;
use crate::metrics::RouteMetrics;
use crate::request_id::note_route;

/// The segment of a path that names a study.
pub(crate) const STUDY: &str = "studyId";

/// What a route needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// Nothing, ever: whether the server is there, and pages about it.
    Nothing,
    /// To read what is for everybody; where reading is closed, for everybody with a credential.
    Read,
    /// To read the study in the path.
    ReadStudy,
    /// To read what any study may be part of.
    ReadEverything,
    /// To change the study in the path.
    WriteStudy,
    /// To look after the server.
    System,
}

impl Need {
    /// Returns whether it is about the study in the path.
    pub(crate) fn is_of_study(self) -> bool {
        matches!(self, Self::ReadStudy | Self::WriteStudy)
    }
}

/// Puts the check of a need before a handler.
#[derive(Clone)]
pub(crate) struct Guard {
    pub(crate) need: Need,
    pub(crate) access: Arc<AccessControl>,
    pub(crate) route: Arc<RouteMetrics>,
}

/// A handler behind a check.
#[derive(Clone)]
pub(crate) struct Guarded<S> {
    guard: Guard,
    handler: S,
}

impl<S> Layer<S> for Guard {
    type Service = Guarded<S>;

    fn layer(&self, handler: S) -> Guarded<S> {
        Guarded { guard: self.clone(), handler }
    }
}

impl<S> Service<Request> for Guarded<S>
where
    S: Service<Request, Response = Response, Error = Infallible>,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Either<S::Future, Ready<Result<Response, Infallible>>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.handler.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        note_route(&self.guard.route);
        let (mut parts, body) = request.into_parts();
        match self.guard.check(&mut parts) {
            Ok(()) => Either::Left(self.handler.call(Request::from_parts(parts, body))),
            Err(response) => Either::Right(ready(Ok(*response))),
        }
    }
}

/// Why a request goes no further.
enum Denied {
    /// Nobody says who sends it.
    Missing,
    /// The credential does not count.
    Invalid,
    /// The credential cannot be checked.
    Unavailable,
    /// The credential allows other things.
    Forbidden(String),
}

impl Guard {
    /// Lets a request through, or answers it.
    fn check(&self, parts: &mut Parts) -> Result<(), Box<Response>> {
        if !self.access.authenticator.is_enabled() && is_reading(&parts.method) {
            return Ok(());
        }
        if is_reading(&parts.method) && self.is_read_by_anyone_like(parts) {
            return Ok(());
        }
        let identity = parts.extensions.get::<Arc<Identity>>().cloned();
        let identity = identity.unwrap_or_else(|| Arc::clone(&ANONYMOUS));
        let study = if self.need.is_of_study() { study_in(parts) } else { None };
        let refusal = parts.extensions.get::<AuthError>().copied();
        let judged = match refusal {
            _ if !self.access.authenticator.is_enabled() => Ok(()),
            Some(AuthError::Invalid) => Err(Denied::Invalid),
            Some(AuthError::Unavailable) => Err(Denied::Unavailable),
            None => self.judge(&identity, study.as_deref()),
        };
        let changes = matches!(self.need, Need::WriteStudy | Need::System) && !is_reading(&parts.method);
        let is_denied = judged.is_err();
        let mut noted =
            (changes || is_denied).then(|| Noted { identity, is_refused: refusal.is_some(), study, is_denied });
        if let Some(audit) = parts.extensions.get::<Audit>()
            && let Some(noted) = noted.take()
        {
            audit.note(noted);
        }
        judged.map_err(|denied| {
            let response = denied.into_response();
            if let Some(noted) = noted {
                Audited::denied(&self.access, parts, noted).answered(&response);
            }
            Box::new(response)
        })
    }

    /// Returns whether whoever sends a request may read this whatever study it is about: most requests are such, and
    /// need no look at their path.
    fn is_read_by_anyone_like(&self, parts: &Parts) -> bool {
        let AccessControl { scopes, closed_reads, .. } = &*self.access;
        let may_read_all = || {
            let identity = parts.extensions.get::<Arc<Identity>>();
            identity.is_some_and(|identity| scopes.can_read_every_study(identity))
        };
        matches!(self.need, Need::Read | Need::ReadStudy | Need::ReadEverything)
            && parts.extensions.get::<AuthError>().is_none()
            && (!closed_reads || may_read_all())
    }

    fn judge(&self, identity: &Identity, study: Option<&str>) -> Result<(), Denied> {
        let AccessControl { scopes, closed_reads, .. } = &*self.access;
        let is_anonymous = identity.auth_method == AuthMethod::Anonymous;
        let is_allowed = match (self.need, study) {
            (Need::Nothing, _) => true,
            (Need::Read | Need::ReadStudy | Need::ReadEverything, _) if !closed_reads => true,
            (Need::Read, _) => !is_anonymous,
            (Need::ReadEverything, _) => scopes.can_read_everything(identity),
            (Need::ReadStudy, Some(study)) => scopes.can_read(identity, study),
            (Need::WriteStudy, Some(study)) => scopes.can_write(identity, study),
            (Need::System | Need::ReadStudy | Need::WriteStudy, _) => scopes.is_administrator(identity),
        };
        match is_allowed {
            true => Ok(()),
            false if is_anonymous => Err(Denied::Missing),
            false => Err(Denied::Forbidden(match (self.need, study) {
                (Need::WriteStudy | Need::ReadStudy, Some(study)) => scopes.for_study(study),
                _ => scopes.system().to_owned(),
            })),
        }
    }
}

/// Returns the study that the handler will find in the path; nothing if it cannot be read.
fn study_in(parts: &mut Parts) -> Option<String> {
    // The router has found the segments already, so there is nothing to wait for.
    let segments = RawPathParams::from_request_parts(parts, &()).now_or_never()?.ok()?;
    segments.iter().find(|(name, _)| *name == STUDY).map(|(_, study)| study.to_owned())
}

impl IntoResponse for Denied {
    fn into_response(self) -> Response {
        let (id, challenge, text) = match self {
            Self::Missing => (
                ErrorId::UnauthorizedToken,
                r#"Bearer realm="cantata""#,
                "This needs a credential; send an API key or a token in the header 'Authorization: Bearer …'"
                    .to_owned(),
            ),
            Self::Invalid => (
                ErrorId::UnauthorizedToken,
                r#"Bearer realm="cantata", error="invalid_token""#,
                "The credential is not accepted; send an API key or a token that is in force in the header \
                 'Authorization: Bearer …'"
                    .to_owned(),
            ),
            Self::Forbidden(scope) => (
                ErrorId::ForbiddenToken,
                r#"Bearer realm="cantata", error="insufficient_scope""#,
                format!("The credential does not allow this; the scope '{scope}' would"),
            ),
            Self::Unavailable => {
                let text = "The credential cannot be checked at present; try again later";
                return ApiError(Error::new(ErrorOrigin::HttpServer, ErrorId::ServiceUnavailable, text))
                    .into_response();
            }
        };
        let mut response = ApiError(Error::new(ErrorOrigin::HttpServer, id, text)).into_response();
        response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
        response
    }
}
