//! Entries of the audit log.
//!
//! The guard of a route records who changes what before the handler runs; the entry is written once the response is
//! known, or when the request is cancelled, so that nothing that was begun is missing. Of reads only denials are logged,
//! which the guard does itself, so that reading costs nothing here.

use std::sync::{Arc, OnceLock};

use axum::extract::Request;
use axum::response::Response;
use cantata_access::{AuditEntry, AuthMethod, Identity};
use cantata_core::Timestamp;
use http::{Method, Uri};

use super::AccessControl;
use crate::intercept::Intercept;
use crate::request_id::RequestId;

/// How many bytes are logged of a path, and of the name of a study; clients choose both.
const MAX_FIELD_BYTES: usize = 512;

/// What the guard of a route records of a request.
pub(crate) struct AuditRecord {
    pub(crate) identity: Arc<Identity>,
    /// Whether its credential was not accepted.
    pub(crate) is_refused: bool,
    pub(crate) study: Option<String>,
    pub(crate) is_denied: bool,
}

/// Where the guard leaves its record; part of the request.
#[derive(Clone, Default)]
pub(crate) struct AuditSlot(Arc<OnceLock<AuditRecord>>);

impl AuditSlot {
    pub(crate) fn set(&self, record: AuditRecord) {
        // A request has one route, and a route one guard.
        let _ = self.0.set(record);
    }
}

/// Writes changing requests to the audit log, where there is one.
#[derive(Clone)]
pub(crate) struct AuditInterceptor(pub(crate) Arc<AccessControl>);

impl Intercept for AuditInterceptor {
    type InFlight = Option<AuditedRequest>;

    fn on_request(&self, request: &mut Request) -> Result<Option<AuditedRequest>, Box<Response>> {
        Ok(AuditedRequest::begin(&self.0, request))
    }

    fn on_response(audited: Option<AuditedRequest>, response: Response) -> Response {
        if let Some(audited) = audited {
            audited.complete(&response);
        }
        response
    }
}

/// A request that is being processed; dropped, it was cancelled.
pub(crate) struct AuditedRequest {
    access: Arc<AccessControl>,
    audit: AuditSlot,
    method: Method,
    uri: Uri,
    id: RequestId,
    is_answered: bool,
}

impl AuditedRequest {
    /// Begins the entry of a request that may change something, where there is a log.
    fn begin(access: &Arc<AccessControl>, request: &mut Request) -> Option<Self> {
        access.audit.as_ref()?;
        if is_reading(request.method()) {
            return None;
        }
        let audited = Self::new(access, request);
        request.extensions_mut().insert(audited.audit.clone());
        Some(audited)
    }

    /// Begins the entry of a read that was denied.
    pub(crate) fn denied(access: &Arc<AccessControl>, request: &Request, record: AuditRecord) -> Self {
        let audited = Self::new(access, request);
        audited.audit.set(record);
        audited
    }

    fn new(access: &Arc<AccessControl>, request: &Request) -> Self {
        let (access, audit, id) = (Arc::clone(access), AuditSlot::default(), RequestId::current_or_new());
        Self { access, audit, method: request.method().clone(), uri: request.uri().clone(), id, is_answered: false }
    }

    /// Writes the entry, if the guard left a record.
    pub(crate) fn complete(mut self, response: &Response) {
        self.is_answered = true;
        self.write(Some(response.status().as_u16()));
    }

    fn write(&self, status: Option<u16>) {
        let (Some(log), Some(record)) = (self.access.audit.as_ref(), self.audit.0.get()) else { return };
        log.write(&AuditEntry {
            time: Timestamp::now(),
            principal: &record.identity.name,
            auth_method: if record.is_refused { "refused credential" } else { kind(record.identity.auth_method) },
            method: self.method.as_str(),
            path: truncated(self.uri.path()),
            study: record.study.as_deref().map(truncated),
            status,
            result: match status {
                _ if record.is_denied => "denied",
                None => "cut off",
                Some(status) if status < 400 => "done",
                Some(_) => "failed",
            },
            request_id: self.id.as_str(),
        });
    }
}

impl Drop for AuditedRequest {
    fn drop(&mut self) {
        if !self.is_answered {
            self.write(None);
        }
    }
}

/// Returns the beginning of a text that is too long.
fn truncated(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_FIELD_BYTES)).unwrap_or_default()
}

/// Returns whether a request can change nothing.
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
