//! What the audit log is told of a request.
//!
//! The guard of a route notes what is worth keeping before the handler of a change runs; the line is written once the
//! answer is known, or when the request is given up, so that nothing that was begun is missing. Of reading only denials
//! are kept, and these the guard writes itself, so that reading costs nothing here.

use std::sync::{Arc, OnceLock};

use axum::extract::Request;
use axum::response::Response;
use cantata_access::{AuditEntry, AuthMethod, Identity};
use cantata_core::Timestamp;
use http::request::Parts;
use http::{Method, Uri};

use super::AccessControl;
use crate::request_id::RequestId;

/// How many bytes are kept of a path, and of the name of a study; clients choose both.
const LONGEST_KEPT: usize = 512;

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
    id: RequestId,
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
        let id = RequestId::current_or_new();
        Some(Self { access: Arc::clone(access), audit, method, uri, id, is_answered: false })
    }

    /// Follows a read that was denied.
    pub(crate) fn denied(access: &Arc<AccessControl>, parts: &Parts, noted: Noted) -> Self {
        let audit = Audit::default();
        audit.note(noted);
        let (method, uri, id) = (parts.method.clone(), parts.uri.clone(), RequestId::current_or_new());
        Self { access: Arc::clone(access), audit, method, uri, id, is_answered: false }
    }

    /// Keeps what became of the request, if that is worth keeping.
    pub(crate) fn answered(mut self, response: &Response) {
        self.is_answered = true;
        self.write(Some(response.status().as_u16()));
    }

    fn write(&self, status: Option<u16>) {
        let (Some(log), Some(noted)) = (self.access.audit.as_ref(), self.audit.0.get()) else { return };
        log.write(&AuditEntry {
            time: Timestamp::now(),
            principal: &noted.identity.name,
            auth_method: if noted.is_refused { "refused credential" } else { kind(noted.identity.auth_method) },
            method: self.method.as_str(),
            path: kept(self.uri.path()),
            study: noted.study.as_deref().map(kept),
            status,
            result: match status {
                _ if noted.is_denied => "denied",
                None => "cut off",
                Some(status) if status < 400 => "done",
                Some(_) => "failed",
            },
            request_id: self.id.as_str(),
        });
    }
}

impl Drop for Audited {
    fn drop(&mut self) {
        if !self.is_answered {
            self.write(None);
        }
    }
}

/// Returns as much of a text as is kept.
fn kept(text: &str) -> &str {
    text.get(..text.floor_char_boundary(LONGEST_KEPT)).unwrap_or_default()
}

/// Says whether a request can change nothing.
pub(crate) fn is_reading(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

fn kind(auth_method: AuthMethod) -> &'static str {
    match auth_method {
        AuthMethod::Anonymous => "no credential",
        AuthMethod::Unchecked => "not checked",
        AuthMethod::ApiKey => "key",
        AuthMethod::Token => "token",
        AuthMethod::Introspection => "key of another server",
    }
}
