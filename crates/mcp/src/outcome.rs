//! What a tool gives back.

use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::Value;

/// What a tool found, or what the caller should mend.
pub(crate) type Outcome = Result<Value, Mend>;

/// Why a tool did not do what it was asked, in words that say what to do instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mend(pub(crate) String);

impl Mend {
    /// Says several things at once, a line each.
    pub(crate) fn list(head: &str, problems: &[String]) -> Self {
        Self(problems.iter().fold(head.to_owned(), |text, problem| text + "\n- " + problem))
    }
}

/// Makes a value of something that can be written as JSON.
pub(crate) fn value(content: &impl Serialize) -> Outcome {
    serde_json::to_value(content).map_err(|error| {
        tracing::error!(%error, "an answer could not be written as JSON");
        Mend("The answer could not be written; the log of the server has the cause.".to_owned())
    })
}

/// Returns an outcome as clients read it: a mistake is a result too, so that it reaches whoever called the tool.
pub(crate) fn result(outcome: Outcome) -> CallToolResult {
    match outcome {
        Ok(value) => CallToolResult::structured(value),
        Err(Mend(text)) => CallToolResult::error(vec![ContentBlock::text(text)]),
    }
}
