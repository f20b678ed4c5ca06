//! Errors as GraphQL clients see them.
//!
//! There are two kinds: errors of the whole request, which is rejected with a [`GraphqlErrorBody`], and errors of single
//! fields, which are beside the data. No message shows a host, a request to an engine or a stack.

use apollo_compiler::parser::{LineColumn, SourceMap, SourceSpan};
use cantata_engine::EngineError;
use serde::Serialize;
use serde_json::json;

/// The error code in `extensions.code`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum GraphqlErrorCode {
    /// The document is not GraphQL.
    GraphqlParseFailed,
    /// The document does not fit the schema or exceeds a limit.
    GraphqlValidationFailed,
    /// A variable or an argument has a value that cannot be used.
    BadUserInput,
    /// The document does not determine the operation to run.
    OperationResolutionFailure,
    /// The engine is unavailable; a retry may succeed.
    ServiceUnavailable,
    /// The server or the engine failed.
    InternalServerError,
}

impl GraphqlErrorCode {
    /// Returns the code of an engine error.
    pub(crate) fn of(error: &EngineError) -> Self {
        match error {
            EngineError::Rejected(_) => Self::BadUserInput,
            EngineError::Unreachable
            | EngineError::TimedOut
            | EngineError::Busy
            | EngineError::IndexUnavailable { .. }
            | EngineError::NotWritable(_) => Self::ServiceUnavailable,
            EngineError::IndexNotFound(_)
            | EngineError::IndexExists(_)
            | EngineError::PermissionDenied
            | EngineError::IndexDamaged { .. }
            | EngineError::Failed(_) => Self::InternalServerError,
        }
    }
}

/// A segment of the path to a field with an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum ErrorPathSegment {
    /// The key of an object.
    Key(String),
    /// The position in a list.
    Index(usize),
}

/// One error.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct GraphqlError {
    message: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locations: Vec<LineColumn>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    path: Vec<ErrorPathSegment>,
    extensions: ErrorExtensions,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct ErrorExtensions {
    code: GraphqlErrorCode,
}

impl GraphqlError {
    /// Returns an error of the whole request.
    pub(crate) fn new(code: GraphqlErrorCode, message: impl Into<String>) -> Self {
        let extensions = ErrorExtensions { code };
        Self { message: message.into(), locations: Vec::new(), path: Vec::new(), extensions }
    }

    /// Adds the location in the document.
    pub(crate) fn at(mut self, location: Option<SourceSpan>, sources: &SourceMap) -> Self {
        self.locations.extend(location.and_then(|location| location.line_column(sources)));
        self
    }

    /// Sets the locations in the document.
    pub(crate) fn at_locations(mut self, locations: Vec<LineColumn>) -> Self {
        self.locations = locations;
        self
    }

    /// Adds the path of the field.
    pub(crate) fn of_field(mut self, path: Vec<ErrorPathSegment>) -> Self {
        self.path = path;
        self
    }
}

/// The response to a request that is rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphqlErrorBody {
    /// The HTTP status.
    pub status: u16,
    /// The JSON body.
    pub bytes: Vec<u8>,
}

impl GraphqlErrorBody {
    /// Returns the response with these errors.
    pub(crate) fn of(errors: &[GraphqlError]) -> Self {
        Self::json(&json!({ "errors": errors }))
    }

    /// Returns the response to a filter where filters are disabled.
    pub(crate) fn filters_disabled() -> Self {
        Self::json(&json!({ "error": "Filters are disabled for this server." }))
    }

    fn json(body: &serde_json::Value) -> Self {
        Self { status: 400, bytes: format!("{body}\n").into_bytes() }
    }
}

impl From<GraphqlError> for GraphqlErrorBody {
    fn from(error: GraphqlError) -> Self {
        Self::of(&[error])
    }
}
