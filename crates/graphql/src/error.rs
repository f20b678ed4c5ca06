//! Errors as GraphQL clients see them.
//!
//! Two sorts: those of a request as a whole, which is then not run and answered with [`ErrorBody`], and those of single
//! fields, which stand beside the data. No message shows a host, a request to an engine or a stack.

use apollo_compiler::parser::{LineColumn, SourceMap, SourceSpan};
use cantata_engine::EngineError;
use serde::Serialize;
use serde_json::json;

/// The sort of an error, as `extensions.code` says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Code {
    /// The document is not GraphQL.
    GraphqlParseFailed,
    /// The document does not fit the schema or is beyond a limit.
    GraphqlValidationFailed,
    /// A variable or an argument has a value that cannot be used.
    BadUserInput,
    /// The operation that is to be run cannot be told.
    OperationResolutionFailure,
    /// The engine cannot be had at present; the same request may work later.
    ServiceUnavailable,
    /// The server or the engine failed.
    InternalServerError,
}

impl Code {
    /// Returns the sort of a failure of an engine.
    pub(crate) fn of(error: &EngineError) -> Self {
        match error {
            EngineError::Refused(_) => Self::BadUserInput,
            EngineError::Unreachable | EngineError::TimedOut | EngineError::Busy => Self::ServiceUnavailable,
            EngineError::IndexNotFound(_)
            | EngineError::IndexExists(_)
            | EngineError::PermissionDenied
            | EngineError::Failed(_) => Self::InternalServerError,
        }
    }
}

/// A step from the data to the field that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum PathStep {
    /// The key of an object.
    Key(String),
    /// The place in a list.
    Place(usize),
}

/// One error.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Error {
    message: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locations: Vec<LineColumn>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    path: Vec<PathStep>,
    extensions: Extensions,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Extensions {
    code: Code,
}

impl Error {
    /// Returns an error of the whole request.
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        let extensions = Extensions { code };
        Self { message: message.into(), locations: Vec::new(), path: Vec::new(), extensions }
    }

    /// Adds the place in the document.
    pub(crate) fn at(mut self, location: Option<SourceSpan>, sources: &SourceMap) -> Self {
        self.locations.extend(location.and_then(|location| location.line_column(sources)));
        self
    }

    /// Adds places in the document that are known already.
    pub(crate) fn at_places(mut self, locations: Vec<LineColumn>) -> Self {
        self.locations = locations;
        self
    }

    /// Adds the path of the field.
    pub(crate) fn of_field(mut self, path: Vec<PathStep>) -> Self {
        self.path = path;
        self
    }
}

/// The answer to a request that is not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorBody {
    /// The HTTP status.
    pub status: u16,
    /// The JSON body.
    pub bytes: Vec<u8>,
}

impl ErrorBody {
    /// Returns the answer to a request that is refused for a reason outside of its document, such as a mutation by
    /// GET.
    pub fn refuse(status: u16, code: Code, message: &str) -> Self {
        Self { status, ..Self::of(&[Error::new(code, message)]) }
    }

    /// Returns the answer to a request that is faulty as a whole.
    pub(crate) fn of(errors: &[Error]) -> Self {
        Self::json(&json!({ "errors": errors }))
    }

    /// Returns the answer to a filter where filters are switched off.
    pub(crate) fn filters_disabled() -> Self {
        Self::json(&json!({ "error": "Filters are disabled for this server." }))
    }

    fn json(body: &serde_json::Value) -> Self {
        Self { status: 400, bytes: format!("{body}\n").into_bytes() }
    }
}

impl From<Error> for ErrorBody {
    fn from(error: Error) -> Self {
        Self::of(&[error])
    }
}
