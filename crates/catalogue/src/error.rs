//! Why a catalogue cannot be served, as clients are told it.
//!
//! A message never shows a host, a request to an engine or a stack.

use std::fmt;

use serde::Serialize;

/// What kept a catalogue from being built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// The engine does not answer.
    ConnectionError,
    /// The engine has no such index.
    IndexNotFound,
    /// The mapping could not be fetched or read.
    MappingFetchError,
    /// The mapping has no object of the name that `nestingPrefix` gives.
    NestingPrefixNotFound,
    /// The engine refuses the credentials.
    PermissionDenied,
    /// No GraphQL schema can be made of the mapping and the configuration.
    SchemaBuildError,
    /// Anything else, such as problems in the configuration files.
    UnknownError,
}

impl ErrorCode {
    /// Returns the code as it is written in bodies.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ConnectionError => "connection_error",
            Self::IndexNotFound => "index_not_found",
            Self::MappingFetchError => "mapping_fetch_error",
            Self::NestingPrefixNotFound => "nesting_prefix_not_found",
            Self::PermissionDenied => "permission_denied",
            Self::SchemaBuildError => "schema_build_error",
            Self::UnknownError => "unknown_error",
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a catalogue cannot be served.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{code}: {message}")]
pub struct CatalogueError {
    /// What kind of failure it is.
    pub code: ErrorCode,
    /// What happened, for a person.
    pub message: String,
}

impl CatalogueError {
    /// Returns an error.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}
