//! The error of a catalogue that cannot be served, as clients see it.
//!
//! A message never shows a host, a request to an engine or a stack.

use std::fmt;

use serde::Serialize;

/// The kind of a catalogue error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CatalogueErrorCode {
    /// The engine does not answer.
    ConnectionError,
    /// The engine has no such index.
    IndexNotFound,
    /// The mapping could not be fetched or read.
    MappingFetchError,
    /// The mapping has no object at `nestingPrefix`.
    NestingPrefixNotFound,
    /// The engine rejects the credentials.
    PermissionDenied,
    /// No GraphQL schema can be made of the mapping and the configuration.
    SchemaBuildError,
    /// Anything else, such as problems in the configuration files.
    UnknownError,
}

impl CatalogueErrorCode {
    /// Returns the code as in response bodies.
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

impl fmt::Display for CatalogueErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a catalogue cannot be served.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{code}: {message}")]
pub struct CatalogueError {
    /// The kind of error.
    pub code: CatalogueErrorCode,
    /// The message for users.
    pub message: String,
}

impl CatalogueError {
    /// Returns an error.
    pub fn new(code: CatalogueErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}
