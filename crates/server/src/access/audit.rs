//! Entries of the audit log.
//!
//! The guard of a route records who changes what before the handler runs; the entry is written once the response is
//! known, or when the request is cancelled, so that nothing that was begun is missing. Where the log is required, an
//! entry that the change has begun is on disk before the handler runs ([`write_begun`]). Of reads only denials are
//! logged, which the guard does itself, so that reading costs nothing here. Where a route reads or changes, as GraphQL
//! does, its handler says which ([`ChangeAudit`]).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use cantata_access::{AuditEntry, AuthMethod, Identity};
use cantata_core::{ErrorId, Timestamp};
use http::{Extensions, Method, Uri};

use super::{AccessControl, identity_of};
use crate::error_body::ApiError;
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

/// Where the guard leaves its record; part of a request that may change something, where there is a log.
#[derive(Clone)]
pub(crate) struct AuditSlot(Arc<AuditContext>);

struct AuditContext {
    access: Arc<AccessControl>,
    method: Method,
    uri: Uri,
    id: RequestId,
    record: OnceLock<AuditRecord>,
    is_dry_run: AtomicBool,
}

impl AuditSlot {
    fn new(access: &Arc<AccessControl>, request: &Request) -> Self {
        Self(Arc::new(AuditContext {
            access: Arc::clone(access),
            method: request.method().clone(),
            uri: request.uri().clone(),
            id: RequestId::current_or_new(),
            record: OnceLock::new(),
            is_dry_run: AtomicBool::new(false),
        }))
    }

    /// Records that a request changes nothing. Only its handler knows: on another route, the same query has no meaning.
    pub(crate) fn mark_dry_run(&self) {
        self.0.is_dry_run.store(true, Ordering::Relaxed);
    }

    /// Records a request that is denied, or a change; returns whether it has no record yet.
    pub(crate) fn set(&self, record: AuditRecord) -> bool {
        self.0.record.set(record).is_ok()
    }

    /// Writes that a recorded change is about to be made, where the log is required.
    ///
    /// # Errors
    ///
    /// If the log cannot be written; the change must not be made.
    async fn begin_change(&self) -> Result<(), ApiError> {
        let context = &*self.0;
        let (Some(log), Some(record)) = (&context.access.audit, context.record.get()) else { return Ok(()) };
        if !log.is_required() {
            return Ok(());
        }
        log.write_begun(&context.entry(record, None, "begun")).await.map_err(|_| {
            let text = "The change cannot be written to the audit log, which this server requires; nothing was changed. \
                        The operator must look at the log of the server, and at the space on its disk";
            ApiError::new(ErrorId::AuditUnavailable, text)
        })
    }
}

/// Writes that a change is about to be made, and calls the handler then; a layer within the guard of a route.
pub(crate) async fn write_begun(request: Request, next: Next) -> Response {
    let audit = request.extensions().get::<AuditSlot>().cloned();
    if let Some(audit) = audit
        && let Err(error) = audit.begin_change().await
    {
        return error.into_response();
    }
    next.run(request).await
}

impl AuditContext {
    fn entry<'a>(&'a self, record: &'a AuditRecord, status: Option<u16>, result: &'a str) -> AuditEntry<'a> {
        AuditEntry {
            time: Timestamp::now(),
            principal: &record.identity.name,
            auth_method: if record.is_refused { "refused credential" } else { kind(record.identity.auth_method) },
            method: self.method.as_str(),
            path: truncated(self.uri.path()),
            study: record.study.as_deref().map(truncated),
            status,
            result,
            dry_run: self.is_dry_run.load(Ordering::Relaxed),
            request_id: self.id.as_str(),
        }
    }

    /// Writes the entry of a request that is over, if it has a record.
    fn write(&self, status: Option<u16>) {
        let (Some(log), Some(record)) = (&self.access.audit, self.record.get()) else { return };
        let result = match status {
            _ if record.is_denied => "denied",
            None => "cut off",
            Some(status) if status < 400 => "done",
            Some(_) => "failed",
        };
        log.write(&self.entry(record, status, result));
    }
}

/// The audit of a request whose handler alone knows whether it changes something.
pub(crate) struct ChangeAudit {
    slot: Option<AuditSlot>,
    identity: Arc<Identity>,
}

impl ChangeAudit {
    /// Returns the audit of a request.
    pub(crate) fn of(request: &Extensions) -> Self {
        Self { slot: request.get::<AuditSlot>().cloned(), identity: identity_of(request) }
    }

    /// Records a change that is about to be made; see [`AuditSlot::begin_change`].
    pub(crate) async fn begin(&self) -> Result<(), ApiError> {
        let Some(slot) = &self.slot else { return Ok(()) };
        let identity = Arc::clone(&self.identity);
        // Several changes of one request have one entry.
        match slot.set(AuditRecord { identity, is_refused: false, study: None, is_denied: false }) {
            true => slot.begin_change().await,
            false => Ok(()),
        }
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
    audit: AuditSlot,
    is_answered: bool,
}

impl AuditedRequest {
    /// Begins the entry of a request that may change something, where there is a log.
    fn begin(access: &Arc<AccessControl>, request: &mut Request) -> Option<Self> {
        access.audit.as_ref()?;
        if is_reading(request.method()) {
            return None;
        }
        let audit = AuditSlot::new(access, request);
        request.extensions_mut().insert(audit.clone());
        Some(Self { audit, is_answered: false })
    }

    /// Begins the entry of a read that was denied.
    pub(crate) fn denied(access: &Arc<AccessControl>, request: &Request, record: AuditRecord) -> Self {
        let audit = AuditSlot::new(access, request);
        audit.set(record);
        Self { audit, is_answered: false }
    }

    /// Writes the entry, if the guard left a record.
    pub(crate) fn complete(mut self, response: &Response) {
        self.is_answered = true;
        self.audit.0.write(Some(response.status().as_u16()));
    }
}

impl Drop for AuditedRequest {
    fn drop(&mut self) {
        if !self.is_answered {
            self.audit.0.write(None);
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
        AuthMethod::Session => "session",
    }
}
