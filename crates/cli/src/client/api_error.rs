//! Errors of the server, in whichever of its formats, and of calls to it.

use reqwest::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::CliError;

/// The separator between schema violations in one message.
const VIOLATION_SEPARATOR: &str = ",#";

/// An error response of the server.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ApiError {
    /// The error id, if the server sent one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error_id: Option<String>,
    /// The status; none if the request was not sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) http_status_code: Option<u16>,
    /// What is wrong, where, and how to fix it.
    pub(crate) message: String,
}

/// Why a call to the server failed.
#[derive(Debug, Clone)]
pub(crate) enum CallError {
    /// The server rejected the request.
    Rejected(ApiError),
    /// The key is missing or does not allow the request.
    NotAllowed(ApiError),
    /// The server cannot be reached, or cannot answer now.
    Unreachable(String),
}

/// The error body of the metadata service.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ErrorBody {
    error_id: String,
    message: String,
}

impl ApiError {
    /// Creates the error of a request that is not sent.
    pub(crate) fn local(message: impl Into<String>) -> Self {
        Self { error_id: None, http_status_code: None, message: message.into() }
    }

    /// Parses the error response of any of the services.
    pub(super) fn parse(status: StatusCode, is_text: bool, body: &[u8]) -> Option<Self> {
        let error = |error_id: Option<String>, message: String| Self {
            error_id,
            http_status_code: Some(status.as_u16()),
            message,
        };
        if let Ok(ErrorBody { error_id, message }) = serde_json::from_slice(body) {
            return Some(error(Some(error_id), without_origin(&message).to_owned()));
        }
        if is_text {
            let text = String::from_utf8_lossy(body).trim().to_owned();
            return (!text.is_empty()).then(|| error(None, text));
        }
        let body: Value = serde_json::from_slice(body).ok()?;
        if let Some(errors) = body["errors"].as_array() {
            return Some(error(None, graphql_messages(errors)));
        }
        let (id, message) = match &body["error"] {
            Value::String(message) => (None, message.as_str()),
            error => (error["code"].as_str(), error["message"].as_str()?),
        };
        let problems = body["problems"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let message = std::iter::once(message).chain(problems).collect::<Vec<_>>().join("; ");
        Some(error(id.map(str::to_owned), message))
    }

    /// Returns the problems, one per line.
    pub(super) fn lines(&self) -> Vec<String> {
        if self.error_id.as_deref() != Some("schema.violation") {
            return vec![self.message.clone()];
        }
        let mut parts = self.message.split(VIOLATION_SEPARATOR);
        let first = parts.next().unwrap_or_default().to_owned();
        std::iter::once(first).chain(parts.map(|part| format!("#{part}"))).collect()
    }

    /// Returns the error id and the problems; several are on lines of their own.
    pub(super) fn text(&self) -> String {
        let lines = self.lines();
        let (between, lines) = match lines.as_slice() {
            [only] => (" ", only.clone()),
            several => ("\n  ", several.join("\n  ")),
        };
        match &self.error_id {
            Some(id) => format!("{id}:{between}{lines}"),
            None => lines,
        }
    }
}

/// Returns a message without its origin.
pub(super) fn without_origin(message: &str) -> &str {
    message.split_once("] - ").map_or(message, |(_, text)| text)
}

/// Joins the messages of a GraphQL response.
pub(super) fn graphql_messages(errors: &[Value]) -> String {
    let messages: Vec<&str> = errors.iter().filter_map(|error| error["message"].as_str()).collect();
    messages.join("; ")
}

impl CallError {
    /// Returns the message for users.
    pub(crate) fn text(self) -> String {
        match self {
            Self::Rejected(error) | Self::NotAllowed(error) => error.text(),
            Self::Unreachable(problem) => problem,
        }
    }
}

impl From<CallError> for CliError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Rejected(error) => Self::failed(error.text()),
            CallError::NotAllowed(error) => Self::NotAllowed(error.text()),
            CallError::Unreachable(problem) => Self::Unreachable(problem),
        }
    }
}
