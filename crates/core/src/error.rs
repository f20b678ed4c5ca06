//! The one table of errors a client can see.
//!
//! Each row is an id of the wire format, its HTTP status and the sentence the reference documentation prints. A
//! message always reads `[Origin::error.id] - text`; the origin is the name of the service that raised the error, which
//! clients of SONG match on. The text names the location, what was found and what was expected.

use std::fmt;

macro_rules! error_table {
    ($($variant:ident, $id:literal, $status:literal, $meaning:literal;)+) => {
        /// Identifies a kind of error; the wire form is dotted lower case.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ErrorId {
            $(#[doc = $meaning] $variant,)+
        }

        impl ErrorId {
            /// Every error a client can meet, in the order of the reference documentation.
            pub const ALL: &'static [ErrorId] = &[$(ErrorId::$variant,)+];

            /// Returns the wire form, such as `study.id.does.not.exist`.
            pub fn as_str(self) -> &'static str {
                match self { $(ErrorId::$variant => $id,)+ }
            }

            /// Returns the HTTP status that goes with this error.
            pub fn status(self) -> u16 {
                match self { $(ErrorId::$variant => $status,)+ }
            }

            /// Returns when this error happens, in one sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(ErrorId::$variant => $meaning,)+ }
            }
        }
    };
}

error_table! {
    StudyIdDoesNotExist, "study.id.does.not.exist", 404, "The study named in the path is not registered.";
    AnalysisIdNotFound, "analysis.id.not.found", 404, "No analysis has this id.";
    AnalysisTypeNotFound, "analysis.type.not.found", 404, "No analysis type has this name, or it has no such version.";
    FileNotFound, "file.not.found", 404, "No file has this object id.";
    LegacyEntityNotFound, "legacy.entity.not.found", 404, "No file has the object id asked for under /entities.";
    StorageObjectNotFound, "storage.object.not.found", 404, "The storage server lost an object between two checks.";
    IndexNotFound, "index.not.found", 404, "No search index has this name.";
    CatalogueNotFound, "catalogue.not.found", 404, "No catalogue of this id is indexed from a source.";
    JobNotFound, "job.not.found", 404, "No job has this number.";
    KeyNotFound, "key.not.found", 404, "No API key has this id.";
    PathNotFound, "path.not.found", 404, "No route has this path.";
    MethodNotAllowed, "method.not.allowed", 405, "The path exists, but not with this method.";
    MalformedParameter, "malformed.parameter", 400, "A path, query or body parameter has a value that is not allowed.";
    MalformedRequestBody, "malformed.request.body", 400, "The body is missing, is not JSON, or is JSON of the wrong shape.";
    SchemaViolation, "schema.violation", 400, "A payload, an update or a registered schema breaks the rules that apply to it.";
    MalformedJsonSchema, "malformed.json.schema", 400, "A registered schema cannot be used as a JSON Schema.";
    IllegalAnalysisTypeName, "illegal.analysis.type.name", 400, "The analysis type name is reserved.";
    EntityNotRelatedToStudy, "entity.not.related.to.study", 400, "The analysis or file belongs to another study than the path says.";
    SuppressedStateTransition, "suppressed.state.transition", 400, "A suppressed analysis stays suppressed.";
    InvalidFileUpdateRequest, "invalid.file.update.request", 400, "A file update has values that are not allowed.";
    IllegalFileUpdateRequest, "illegal.file.update.request", 400, "The state of the analysis forbids this change of its files.";
    IllegalQueryParameter, "illegal.query.parameter", 400, "An unknown query parameter was given.";
    IllegalFilterParameter, "illegal.filter.parameter", 400, "An unknown field was asked for.";
    IllegalIndexRequest, "illegal.index.request", 400, "The name or the mapping of a search index cannot be used.";
    SearchTermSyntax, "search.term.syntax", 400, "A search expression cannot be read.";
    UnauthorizedToken, "unauthorized.token", 401, "A credential is needed and missing, or the one that was sent is not accepted.";
    ForbiddenToken, "forbidden.token", 403, "The credential is accepted, but does not allow this.";
    UnsupportedMediaType, "unsupported.media.type", 415, "The body is of a content type that this route does not take.";
    RequestTimeout, "request.timeout", 408, "The client took too long to send the body of its request.";
    PayloadTooLarge, "payload.too.large", 413, "The body is larger than the configured limit.";
    TooManyRequests, "too.many.requests", 429, "The client sends more requests, or runs more exports at once, than it may; try again after a while.";
    JobConflict, "job.conflict", 409, "The catalogue is being worked on, another backup is under way, the job is over, or there is no earlier index to go back to.";
    AnalysisTypeIncorrectVersion, "analysis.type.incorrect.version", 409, "Only the latest version of the analysis type is allowed.";
    StudyIdMismatch, "study.id.mismatch", 409, "The study in the path and the study in the body differ.";
    StudyAlreadyExists, "study.already.exists", 409, "A study with this id is registered already.";
    IndexAlreadyExists, "index.already.exists", 409, "A search index with this name is there already.";
    KeyAlreadyExists, "key.already.exists", 409, "An API key that is in force has this name already.";
    TooManyKeys, "too.many.keys", 409, "A person has as many API keys in force as they may have.";
    KeysNotTaken, "keys.not.taken", 409, "The server takes no API keys of its own; AUTH_MODE says which credentials it takes.";
    SignInNotOffered, "sign.in.not.offered", 409, "People cannot sign in at this server; AUTH_MODE says which credentials it takes.";
    SignInFailed, "sign.in.failed", 400, "The sign-in was not begun in this browser, is too old, or was not accepted; begin again.";
    InfoAlreadyExists, "info.already.exists", 409, "A file with the same checksum is stored already.";
    MissingStorageObjects, "missing.storage.objects", 409, "Files must be uploaded before their analysis is published.";
    MismatchingStorageObjectSizes, "mismatching.storage.object.sizes", 409, "Stored objects have other sizes than the metadata says.";
    MismatchingStorageObjectChecksums, "mismatching.storage.object.checksums", 409, "Stored objects have other checksums than the metadata says.";
    PayloadParsing, "payload.parsing", 422, "The submitted payload is not JSON.";
    UnknownError, "unknown.error", 500, "The server itself failed; its log says why.";
    StoredDataDamaged, "stored.data.damaged", 500, "Stored data is not as it was written; the message names it. Restore it from a backup.";
    InvalidStorageDownloadResponse, "invalid.storage.download.response", 500, "The storage server described an object in a form that cannot be used.";
    StorageServiceError, "storage.service.error", 502, "The storage server cannot be reached or returned an invalid response.";
    SearchEngineError, "search.engine.error", 502, "The search engine cannot be reached, or does not let this server in.";
    ServiceUnavailable, "service.unavailable", 503, "The server is stopping, or too busy for this request; try again.";
    AuditUnavailable, "audit.unavailable", 503, "The change cannot be written to the audit log, which AUDIT_REQUIRED demands; nothing was changed.";
    DiskNotWritable, "disk.not.writable", 507, "The disk of the server is full or read-only; nothing was changed, reads go on, and so do changes once there is room.";
    AnswerTimeout, "answer.timeout", 504, "The server took too long to answer; a change that was asked for may have happened all the same.";
}

impl fmt::Display for ErrorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The service that raised an error, by the name that clients of SONG know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorOrigin {
    /// Registration and lookup of analysis types.
    AnalysisTypeService,
    /// Reading, updating and publishing analyses.
    AnalysisService,
    /// Updates of an analysis' dynamic data.
    AnalysisServiceImpl,
    /// Everything under `/entities`.
    LegacyEntityService,
    /// Reading and deleting files.
    FileService,
    /// Updating files.
    FileModificationService,
    /// Checks of a payload before its schema is known.
    ValidationService,
    /// Submission of analyses.
    SubmitService,
    /// Registration and lookup of studies.
    StudyService,
    /// Administration of search indexes.
    IndexService,
    /// Creating, listing and revoking API keys.
    KeyService,
    /// Calls to the storage server.
    ScoreService,
    /// The database behind the services.
    Store,
    /// Requests rejected before they reach a service, such as an unknown path.
    HttpServer,
}

impl fmt::Display for ErrorOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// An error a client can see.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("[{origin}::{id}] - {text}")]
pub struct Error {
    /// The row of the table.
    pub id: ErrorId,
    /// The service that raised it.
    pub origin: ErrorOrigin,
    /// What was found, what was expected, what to do.
    pub text: String,
}

/// The result of everything that can fail in a way a client sees.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Makes an error.
    pub fn new(origin: ErrorOrigin, id: ErrorId, text: impl Into<String>) -> Self {
        Self { id, origin, text: text.into() }
    }

    /// Makes the error for a parameter with a value that is not allowed.
    pub fn malformed_parameter(origin: ErrorOrigin, text: impl Into<String>) -> Self {
        Self::new(origin, ErrorId::MalformedParameter, text)
    }

    /// Makes the error for content that breaks a schema.
    pub fn schema_violation(origin: ErrorOrigin, text: impl Into<String>) -> Self {
        Self::new(origin, ErrorId::SchemaViolation, text)
    }
}

/// Returns an error's message followed by those of its sources, separated by colons.
pub fn error_chain(error: &dyn std::error::Error) -> String {
    let chain = std::iter::successors(Some(error), |&error| error.source());
    chain.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_statuses_are_errors() {
        let mut ids: Vec<_> = ErrorId::ALL.iter().map(|id| id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), ErrorId::ALL.len());
        assert!(ErrorId::ALL.iter().all(|id| (400..600).contains(&id.status())));
    }

    #[test]
    fn message_names_origin_and_id() {
        let error = Error::malformed_parameter(ErrorOrigin::StudyService, "no");
        assert_eq!(error.to_string(), "[StudyService::malformed.parameter] - no");
    }
}
