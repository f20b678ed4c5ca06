//! Authorization: the scope that a route requires, and the check before its handler runs.
//!
//! The study that is checked is taken from where the handler takes it: the decoded path parameters of the router. No
//! spelling of a URL can make them differ.

use std::convert::Infallible;
use std::sync::Arc;

use axum::RequestExt as _;
use axum::extract::{FromRequestParts, RawPathParams, Request};
use axum::response::{IntoResponse, Response};
use cantata_access::{AuthError, AuthMethod, Identity};
use cantata_core::{AnalysisState, ErrorId};
use cantata_store::StateSet;
use futures_util::FutureExt as _;
use http::request::Parts;
use http::{Extensions, HeaderValue, header};

use super::{AccessControl, AuditRecord, AuditSlot, AuditedRequest, identity_of, is_reading};
use crate::error_body::ApiError;
use crate::intercept::Intercept;
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
    /// To read the study in the path, or else what is published of it if it is public; storage servers may, too.
    ReadPublished,
    /// As [`Read`](Self::Read), for what the handler shows of readable studies, and of public ones, only; storage servers may,
    /// too.
    ReadEntities,
    /// To change the study in the path.
    WriteStudy,
    /// To administer the server.
    System,
    /// A person who has signed in.
    Person,
}

impl RequiredScope {
    /// Returns whether it is about the study in the path.
    pub(crate) fn is_of_study(self) -> bool {
        matches!(self, Self::ReadStudy | Self::ReadPublished | Self::WriteStudy)
    }

    /// Returns whether it is to read, so that open reading is enough.
    fn is_to_read(self) -> bool {
        matches!(self, Self::Read | Self::ReadStudy | Self::ReadPublished | Self::ReadEntities)
    }
}

/// Checks the required scope before a handler runs.
#[derive(Clone)]
pub(crate) struct AccessGuard {
    pub(crate) spec: RouteSpec,
    pub(crate) access: Arc<AccessControl>,
}

/// In a request that may read what is published, and nothing else.
#[derive(Debug, Clone, Copy)]
struct PublishedOnly;

/// In a request that comes from a storage server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FromStorageServer;

/// The states of analyses that the sender of a request may see.
pub(crate) struct VisibleStates(pub(crate) StateSet);

impl<S: Send + Sync> FromRequestParts<S> for VisibleStates {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let is_limited = parts.extensions.get::<PublishedOnly>().is_some();
        Ok(Self(if is_limited { [AnalysisState::Published].into_iter().collect() } else { StateSet::ALL }))
    }
}

/// What a request may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Grant {
    Everything,
    Published,
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
    /// The credential is not that of a person who has signed in.
    NotSignedIn,
}

impl Intercept for AccessGuard {
    type InFlight = ();

    fn on_request(&self, request: &mut Request) -> Result<(), Box<Response>> {
        let (is_enabled, is_reading) = (self.access.authenticator.is_enabled(), is_reading(request.method()));
        if is_reading && (!is_enabled || self.may_read_any_study(request.extensions())) {
            return Ok(());
        }
        let study = if self.spec.scope.is_of_study() { study_in(request) } else { None };
        let identity = identity_of(request.extensions());
        let auth_error = request.extensions().get::<AuthError>().copied();
        let decision = match auth_error {
            _ if !is_enabled => Ok(Grant::Everything),
            Some(AuthError::Invalid) => Err(AccessDenied::Invalid),
            Some(AuthError::Unavailable) => Err(AccessDenied::Unavailable),
            None => self.authorize(&identity, study.as_deref(), request.extensions()),
        };
        if matches!(decision, Ok(Grant::Published)) {
            request.extensions_mut().insert(PublishedOnly);
        }
        let changes = self.spec.is_audited() && !is_reading;
        let (is_refused, is_denied) = (auth_error.is_some(), decision.is_err());
        let mut record = (changes || is_denied).then(|| AuditRecord { identity, is_refused, study, is_denied });
        if let Some(audit) = request.extensions().get::<AuditSlot>()
            && let Some(record) = record.take()
        {
            // A request has one route, and a route one guard, so this is its first record.
            audit.set(record);
        }
        decision.map(|_| ()).map_err(|denied| {
            let response = denied.into_response();
            if let Some(record) = record {
                AuditedRequest::denied(&self.access, request, record).complete(&response);
            }
            Box::new(response)
        })
    }

    fn on_response((): (), response: Response) -> Response {
        response
    }
}

impl AccessGuard {
    /// Returns whether the sender may read this route for every study: most requests are such, and their path need not
    /// be looked at.
    fn may_read_any_study(&self, extensions: &Extensions) -> bool {
        let AccessControl { scopes, closed_reads, .. } = &*self.access;
        let may_read_all = || {
            let identity = extensions.get::<Arc<Identity>>();
            identity.is_some_and(|identity| scopes.can_read_every_study(identity))
        };
        self.spec.scope.is_to_read() && extensions.get::<AuthError>().is_none() && (!closed_reads || may_read_all())
    }

    fn authorize(&self, identity: &Identity, study: Option<&str>, request: &Extensions) -> Result<Grant, AccessDenied> {
        let AccessControl { scopes, closed_reads, public_studies, .. } = &*self.access;
        let is_anonymous = identity.auth_method == AuthMethod::Anonymous;
        let is_storage_server = request.get::<FromStorageServer>().is_some();
        let is_allowed = match (self.spec.scope, study) {
            (RequiredScope::None, _) => true,
            (RequiredScope::Person, _) => identity.is_session(),
            (scope, _) if scope.is_to_read() && !closed_reads => true,
            (RequiredScope::ReadPublished | RequiredScope::ReadEntities, _) if is_storage_server => true,
            (RequiredScope::Read, _) => !is_anonymous,
            (RequiredScope::ReadEntities, _) => !is_anonymous || !public_studies.is_empty(),
            (RequiredScope::ReadStudy | RequiredScope::ReadPublished, Some(study)) => scopes.can_read(identity, study),
            (RequiredScope::WriteStudy, Some(study)) => scopes.can_write(identity, study),
            (_, _) => scopes.is_administrator(identity),
        };
        match is_allowed {
            true => Ok(Grant::Everything),
            false
                if self.spec.scope == RequiredScope::ReadPublished
                    && study.is_some_and(|study| {
                        self.access.readable_states(identity, study).contains(AnalysisState::Published)
                    }) =>
            {
                Ok(Grant::Published)
            }
            false if is_anonymous => Err(AccessDenied::Missing),
            false if self.spec.scope == RequiredScope::Person => Err(AccessDenied::NotSignedIn),
            false => Err(AccessDenied::Forbidden(match (self.spec.scope, study) {
                (_, Some(study)) if self.spec.scope.is_of_study() => scopes.for_study(study),
                _ => scopes.system().to_owned(),
            })),
        }
    }
}

/// Returns the study that the handler will find in the path; nothing if it cannot be read.
fn study_in(request: &mut Request) -> Option<String> {
    // The router has found the segments already, so there is nothing to wait for.
    let segments = request.extract_parts::<RawPathParams>().now_or_never()?.ok()?;
    segments.iter().find(|(name, _)| *name == STUDY_PARAMETER).map(|(_, study)| study.to_owned())
}

impl IntoResponse for AccessDenied {
    fn into_response(self) -> Response {
        let (id, challenge, text) = match self {
            Self::Missing => (
                ErrorId::UnauthorizedToken,
                r#"Bearer realm="cantata""#,
                "This needs a credential; send an API key or a token in the header 'Authorization: Bearer …'".into(),
            ),
            Self::Invalid => (
                ErrorId::UnauthorizedToken,
                r#"Bearer realm="cantata", error="invalid_token""#,
                "The credential is not accepted; send an API key or a token that is in force in the header \
                 'Authorization: Bearer …'"
                    .into(),
            ),
            Self::Forbidden(scope) => (
                ErrorId::ForbiddenToken,
                r#"Bearer realm="cantata", error="insufficient_scope""#,
                format!("The credential does not allow this; the scope '{scope}' would"),
            ),
            Self::NotSignedIn => (
                ErrorId::ForbiddenToken,
                r#"Bearer realm="cantata", error="insufficient_scope""#,
                "The credential does not allow this; it is for people who have signed in at /auth/sign-in".into(),
            ),
            Self::Unavailable => {
                let text = "The credential cannot be checked at present; try again later";
                return ApiError::new(ErrorId::ServiceUnavailable, text).into_response();
            }
        };
        let mut response = ApiError::new(id, text).into_response();
        response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
        response
    }
}
