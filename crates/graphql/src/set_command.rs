//! The commands of mutations, which the caller executes.

use cantata_engine::{Document, EngineError, Filter, Hit, SortKey};
use serde_json::Value;

use crate::error::GraphqlErrorCode;
use crate::write::values_at;

/// A change of saved sets.
#[derive(Debug, Clone, PartialEq)]
pub enum SetCommand {
    /// Save the values of a field of all matching records as a set.
    SaveSet(Box<SaveSet>),
    /// Give a set another name.
    RenameSet {
        /// The id of the set.
        set_id: String,
        /// The name.
        name: String,
    },
    /// Share a set with others, or take it back from them.
    ShareSet {
        /// The id of the set.
        set_id: String,
        /// Who may use it from now on, apart from its owner.
        shared_with: Vec<String>,
    },
    /// Delete a set.
    DeleteSet {
        /// The id of the set.
        set_id: String,
    },
}

/// A set to be saved.
#[derive(Debug, Clone, PartialEq)]
pub struct SaveSet {
    /// Which records.
    pub filter: Filter,
    /// Their order.
    pub sort: Vec<SortKey>,
    /// The type of the records.
    pub document_type: String,
    /// The field whose values are collected, as the request names it.
    pub path: String,
    /// The owner, as the request names it.
    pub user_id: Option<String>,
    /// The name of the set.
    pub name: Option<String>,
    /// The fingerprint of the view that it is saved under; `None` in a catalogue without rules.
    pub view: Option<String>,
    /// The filter as it was given.
    pub sqon: Value,
    /// The path of the values in a document.
    pub(crate) segments: Vec<String>,
    /// The path of the record in its document.
    pub(crate) prefix: Vec<String>,
}

impl SaveSet {
    /// Returns the values that a record adds to the set: those of the field, or its id if it has none.
    pub fn members_of(&self, hit: &Hit) -> Vec<String> {
        let mut members = Vec::new();
        if let Some(root) = hit.document.as_ref().map(Document::root) {
            values_at(root.at(&self.prefix), &self.segments, &mut |value| {
                if let Ok(Value::String(text)) = serde_json::to_value(value) {
                    members.push(text);
                } else if let Ok(text) = serde_json::to_string(&value) {
                    members.push(text);
                }
                true
            });
        }
        if members.is_empty() {
            members.push(hit.cursor.id.clone());
        }
        members
    }
}

/// The outcome of a command.
#[derive(Debug, Clone, PartialEq)]
pub enum SetCommandOutcome {
    /// The set as it is now: an object with the members of the GraphQL type `Set`; null if there is none of the id.
    Set(Value),
    /// Whether there was a set to delete.
    Deleted(bool),
    /// Nothing was changed.
    Failed {
        /// The error code.
        code: GraphqlErrorCode,
        /// The message for the client.
        message: String,
    },
}

impl From<&EngineError> for SetCommandOutcome {
    fn from(error: &EngineError) -> Self {
        Self::Failed { code: GraphqlErrorCode::of(error), message: error.client_message() }
    }
}
