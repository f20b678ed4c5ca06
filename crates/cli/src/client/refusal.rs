//! Why a server did not do what it was asked, in words for the person who asked.
//!
//! The server says what is wrong, where, and how to mend it; here its words are found in whatever form it answers, and
//! what it cannot know is added: where the key comes from, which server was asked.

use reqwest::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::failure::Failure;

/// What an error of a schema begins with, after the comma that ends the one before.
const NEXT_VIOLATION: &str = ",#";

/// Something that a server refused.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Refusal {
    /// What kind of error it is, where the server says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error_id: Option<String>,
    /// The status of the answer; none for what the server was not asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) http_status_code: Option<u16>,
    /// What is wrong, where, and how to mend it.
    pub(crate) message: String,
}

/// What a call to a server led to, if not to an answer.
#[derive(Debug, Clone)]
pub(crate) enum CallError {
    /// The server refuses this; it might well do something else.
    Refused(Refusal),
    /// The key does not allow this.
    NotAllowed(Refusal),
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

impl Refusal {
    /// Makes the refusal of something that need not be sent to be known as wrong.
    pub(crate) fn here(message: impl Into<String>) -> Self {
        Self { error_id: None, http_status_code: None, message: message.into() }
    }

    /// Reads an answer of any of the services; nothing if it is none.
    pub(super) fn read(status: StatusCode, is_text: bool, body: &[u8]) -> Option<Self> {
        let refusal = |error_id: Option<String>, message: String| Self {
            error_id,
            http_status_code: Some(status.as_u16()),
            message,
        };
        if let Ok(ErrorBody { error_id, message }) = serde_json::from_slice(body) {
            return Some(refusal(Some(error_id), without_origin(&message).to_owned()));
        }
        if is_text {
            let text = String::from_utf8_lossy(body).trim().to_owned();
            return (!text.is_empty()).then(|| refusal(None, text));
        }
        let body: Value = serde_json::from_slice(body).ok()?;
        if let Some(errors) = body["errors"].as_array() {
            return Some(refusal(None, graphql_messages(errors)));
        }
        let (id, message) = match &body["error"] {
            Value::String(message) => (None, message.as_str()),
            error => (error["code"].as_str(), error["message"].as_str()?),
        };
        let problems = body["problems"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let message = std::iter::once(message).chain(problems).collect::<Vec<_>>().join("; ");
        Some(refusal(id.map(str::to_owned), message))
    }

    /// Returns what is wrong, one line for each thing.
    pub(super) fn lines(&self) -> Vec<String> {
        if self.error_id.as_deref() != Some("schema.violation") {
            return vec![self.message.clone()];
        }
        let mut parts = self.message.split(NEXT_VIOLATION);
        let first = parts.next().unwrap_or_default().to_owned();
        std::iter::once(first).chain(parts.map(|part| format!("#{part}"))).collect()
    }

    /// Returns everything as one text: what it is called, and what is wrong in lines of their own if there are several.
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

/// Returns the message of a service without the name of the part that refused.
fn without_origin(message: &str) -> &str {
    message.split_once("] - ").map_or(message, |(_, text)| text)
}

/// Puts the messages of a GraphQL answer together.
pub(super) fn graphql_messages(errors: &[Value]) -> String {
    let messages: Vec<&str> = errors.iter().filter_map(|error| error["message"].as_str()).collect();
    messages.join("; ")
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Refused(refusal) => Self::Start(refusal.text()),
            CallError::NotAllowed(refusal) => Self::NotAllowed(refusal.text()),
            CallError::Unreachable(problem) => Self::Unreachable(problem),
        }
    }
}
