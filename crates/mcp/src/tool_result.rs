//! The result of a tool.

use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::Value;

/// The JSON that a tool returns, or why it failed.
pub(crate) type ToolResult = Result<Value, ToolError>;

/// Why a tool failed, in words that say how to correct the call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct ToolError(pub(crate) String);

impl ToolError {
    /// Lists several problems, one per line.
    pub(crate) fn list(head: &str, problems: &[String]) -> Self {
        Self(problems.iter().fold(head.to_owned(), |text, problem| text + "\n- " + problem))
    }
}

/// Serialises the content of a result.
pub(crate) fn to_value(content: &impl Serialize) -> ToolResult {
    serde_json::to_value(content).map_err(|error| {
        tracing::error!(%error, "the result of a tool cannot be serialised");
        ToolError("The result could not be written; the log of the server has the cause.".to_owned())
    })
}

/// Converts a result to the protocol. An error is a result too, so that the model reads it.
pub(crate) fn to_call_result(result: ToolResult) -> CallToolResult {
    match result {
        Ok(value) => CallToolResult::structured(value),
        Err(ToolError(text)) => CallToolResult::error(vec![ContentBlock::text(text)]),
    }
}
