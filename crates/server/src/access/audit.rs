//! What the audit log is told of a request.
//!
//! The guard of a route notes what is worth keeping before the handler of a change runs; the line is written once the
//! answer is known, or when the request is given up, so that nothing that was begun is missing. Of reading only denials
//! are kept, and these the guard writes itself, so that reading costs nothing here.

use std::sync::{Arc, OnceLock};

use axum::extract::Request;
use axum::response::Response;
use cantata_access::{AuditEntry, Identity, Origin};
use cantata_core::Timestamp;
use http::request::Parts;
use http::{HeaderName, HeaderValue, Method, Uri};
use uuid::Uuid;

use super::AccessControl;

/// Carries the number of a request.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The longest request id that a client may choose, and the longest path that is kept.
const LONGEST_ID: usize = 64;
const LONGEST_PATH: usize = 512;

/// What the guard of a route has to say of a request.
pub(crate) struct Noted {
    pub(crate) identity: Arc<Identity>,
    /// Whether its credential did not count.
    pub(crate) is_refused: bool,
    pub(crate) study: Option<String>,
    pub(crate) is_denied: bool,
}

/// Where the guard leaves its note; part of the request.
#[derive(Clone, Default)]
pub(crate) struct Audit(Arc<OnceLock<Noted>>);

impl Audit {
    pub(crate) fn note(&self, noted: Noted) {
        // A request has one route, and a route one guard.
        let _ = self.0.set(noted);
    }
}

/// A request that is under way; dropped, it was given up.
pub(crate) struct Audited {
    access: Arc<AccessControl>,
    audit: Audit,
    method: Method,
    uri: Uri,
    given_id: Option<HeaderValue>,
    is_answered: bool,
}

impl Audited {
    /// Begins to follow a request that may change something, where there is a log.
    pub(crate) fn begin(access: &Arc<AccessControl>, request: &mut Request) -> Option<Self> {
        access.audit.as_ref()?;
        if is_reading(request.method()) {
            return None;
        }
        let audit = Audit::default();
        request.extensions_mut().insert(audit.clone());
        let (method, uri) = (request.method().clone(), request.uri().clone());
        let given_id = request.headers().get(REQUEST_ID).cloned();
        Some(Self { access: Arc::clone(access), audit, method, uri, given_id, is_answered: false })
    }

    /// Follows a read that was denied.
    pub(crate) fn denied(access: &Arc<AccessControl>, parts: &Parts, noted: Noted) -> Self {
        let audit = Audit::default();
        audit.note(noted);
        let given_id = parts.headers.get(REQUEST_ID).cloned();
        let (method, uri) = (parts.method.clone(), parts.uri.clone());
        Self { access: Arc::clone(access), audit, method, uri, given_id, is_answered: false }
    }

    /// Keeps what became of the request, if that is worth keeping, and gives the answer the same number.
    pub(crate) fn answered(mut self, response: &mut Response) {
        self.is_answered = true;
        if let Some(id) = self.write(Some(response.status().as_u16()))
            && let Ok(id) = HeaderValue::from_str(&id)
        {
            response.headers_mut().insert(REQUEST_ID, id);
        }
    }

    fn write(&self, status: Option<u16>) -> Option<String> {
        let (log, noted) = (self.access.audit.as_ref()?, self.audit.0.get()?);
        let request_id = self.request_id();
        let path = self.uri.path();
        log.write(&AuditEntry {
            time: Timestamp::now(),
            who: &noted.identity.name,
            how: if noted.is_refused { "refused credential" } else { kind(noted.identity.origin) },
            method: self.method.as_str(),
            path: path.get(..path.floor_char_boundary(LONGEST_PATH)).unwrap_or_default(),
            study: noted.study.as_deref(),
            status,
            result: match status {
                _ if noted.is_denied => "denied",
                None => "cut off",
                Some(status) if status < 400 => "done",
                Some(_) => "failed",
            },
            request_id: &request_id,
        });
        Some(request_id)
    }

    /// Returns the number that the client gave the request, if it is plain, else a new one.
    fn request_id(&self) -> String {
        let is_plain = |id: &&str| {
            let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
            (1..=LONGEST_ID).contains(&id.len()) && id.bytes().all(is_allowed)
        };
        let given = self.given_id.as_ref().and_then(|id| id.to_str().ok()).filter(is_plain);
        given.map_or_else(|| Uuid::new_v4().to_string(), str::to_owned)
    }
}

impl Drop for Audited {
    fn drop(&mut self) {
        if !self.is_answered {
            self.write(None);
        }
    }
}

/// Says whether a request can change nothing.
pub(crate) fn is_reading(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

fn kind(origin: Origin) -> &'static str {
    match origin {
        Origin::Anonymous => "no credential",
        Origin::Unchecked => "not checked",
        Origin::ApiKey => "key",
        Origin::Token => "token",
        Origin::Introspection => "key of another server",
    }
}
