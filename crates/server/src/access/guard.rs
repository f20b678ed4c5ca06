//! Authorization: the scope that a route requires, and the check before its handler runs.
//!
//! The study that is checked is taken from where the handler takes it: the decoded path parameters of the router. No
//! spelling of a URL can make them differ.

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

use super::{ANONYMOUS, AccessControl, AuditRecord, AuditSlot, AuditedRequest, is_reading};
use crate::error_body::ApiError;
use crate::routes::RouteSpec;

/// The path parameter that names a study.
pub(crate) const STUDY_PARAMETER: &str = "studyId";

/// The scope that a route requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequiredScope {
    /// None, ever: liveness, and pages about the server.
    None,
    /// To read what is for everybody; where reading is closed, for everybody with a credential.
    Read,
    /// To read the study in the path.
    ReadStudy,
    /// To read what any study may be part of.
    ReadAllStudies,
    /// To change the study in the path.
    WriteStudy,
    /// To administer the server.
    System,
}

impl RequiredScope {
    /// Returns whether it is about the study in the path.
    pub(crate) fn is_of_study(self) -> bool {
        matches!(self, Self::ReadStudy | Self::WriteStudy)
    }
}

/// Checks the required scope before a handler runs.
#[derive(Clone)]
pub(crate) struct AccessGuard {
    pub(crate) spec: RouteSpec,
    pub(crate) access: Arc<AccessControl>,
}

/// A handler behind a check.
#[derive(Clone)]
pub(crate) struct GuardedService<S> {
    guard: AccessGuard,
    handler: S,
}

impl<S> Layer<S> for AccessGuard {
    type Service = GuardedService<S>;

    fn layer(&self, handler: S) -> GuardedService<S> {
        GuardedService { guard: self.clone(), handler }
    }
}

impl<S> Service<Request> for GuardedService<S>
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
        let (mut parts, body) = request.into_parts();
        match self.guard.check(&mut parts) {
            Ok(()) => Either::Left(self.handler.call(Request::from_parts(parts, body))),
            Err(response) => Either::Right(ready(Ok(*response))),
        }
    }
}

/// Why a request is denied.
enum AccessDenied {
    /// It has no credential.
    Missing,
    /// The credential is not accepted.
    Invalid,
    /// The credential cannot be checked.
    Unavailable,
    /// The credential does not have this scope.
    Forbidden(String),
}

impl AccessGuard {
    /// Lets a request through; an error is the response to it.
    fn check(&self, parts: &mut Parts) -> Result<(), Box<Response>> {
        if !self.access.authenticator.is_enabled() && is_reading(&parts.method) {
            return Ok(());
        }
        if is_reading(&parts.method) && self.may_read_any_study(parts) {
            return Ok(());
        }
        let identity = parts.extensions.get::<Arc<Identity>>().cloned();
        let identity = identity.unwrap_or_else(|| Arc::clone(&ANONYMOUS));
        let study = if self.spec.scope.is_of_study() { study_in(parts) } else { None };
        let refusal = parts.extensions.get::<AuthError>().copied();
        let decision = match refusal {
            _ if !self.access.authenticator.is_enabled() => Ok(()),
            Some(AuthError::Invalid) => Err(AccessDenied::Invalid),
            Some(AuthError::Unavailable) => Err(AccessDenied::Unavailable),
            None => self.authorize(&identity, study.as_deref()),
        };
        let changes = self.spec.is_audited() && !is_reading(&parts.method);
        let is_denied = decision.is_err();
        let mut record =
            (changes || is_denied).then(|| AuditRecord { identity, is_refused: refusal.is_some(), study, is_denied });
        if let Some(audit) = parts.extensions.get::<AuditSlot>()
            && let Some(record) = record.take()
        {
            audit.set(record);
        }
        decision.map_err(|denied| {
            let response = denied.into_response();
            if let Some(record) = record {
                AuditedRequest::denied(&self.access, parts, record).complete(&response);
            }
            Box::new(response)
        })
    }

    /// Returns whether the sender may read this route for every study: most requests are such, and their path need not
    /// be looked at.
    fn may_read_any_study(&self, parts: &Parts) -> bool {
        let AccessControl { scopes, closed_reads, .. } = &*self.access;
        let may_read_all = || {
            let identity = parts.extensions.get::<Arc<Identity>>();
            identity.is_some_and(|identity| scopes.can_read_every_study(identity))
        };
        matches!(self.spec.scope, RequiredScope::Read | RequiredScope::ReadStudy | RequiredScope::ReadAllStudies)
            && parts.extensions.get::<AuthError>().is_none()
            && (!closed_reads || may_read_all())
    }

    fn authorize(&self, identity: &Identity, study: Option<&str>) -> Result<(), AccessDenied> {
        let AccessControl { scopes, closed_reads, .. } = &*self.access;
        let is_anonymous = identity.auth_method == AuthMethod::Anonymous;
        let is_allowed = match (self.spec.scope, study) {
            (RequiredScope::None, _) => true,
            (RequiredScope::Read | RequiredScope::ReadStudy | RequiredScope::ReadAllStudies, _) if !closed_reads => {
                true
            }
            (RequiredScope::Read, _) => !is_anonymous,
            (RequiredScope::ReadAllStudies, _) => scopes.can_read_everything(identity),
            (RequiredScope::ReadStudy, Some(study)) => scopes.can_read(identity, study),
            (RequiredScope::WriteStudy, Some(study)) => scopes.can_write(identity, study),
            (RequiredScope::System | RequiredScope::ReadStudy | RequiredScope::WriteStudy, _) => {
                scopes.is_administrator(identity)
            }
        };
        match is_allowed {
            true => Ok(()),
            false if is_anonymous => Err(AccessDenied::Missing),
            false => Err(AccessDenied::Forbidden(match (self.spec.scope, study) {
                (RequiredScope::WriteStudy | RequiredScope::ReadStudy, Some(study)) => scopes.for_study(study),
                _ => scopes.system().to_owned(),
            })),
        }
    }
}

/// Returns the study that the handler will find in the path; nothing if it cannot be read.
fn study_in(parts: &mut Parts) -> Option<String> {
    // The router has found the segments already, so there is nothing to wait for.
    let segments = RawPathParams::from_request_parts(parts, &()).now_or_never()?.ok()?;
    segments.iter().find(|(name, _)| *name == STUDY_PARAMETER).map(|(_, study)| study.to_owned())
}

impl IntoResponse for AccessDenied {
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
