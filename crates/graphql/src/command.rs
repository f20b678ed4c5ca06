//! What a mutation asks the caller to do.

use cantata_engine::{Document, EngineError, Filter, Hit, SortKey};
use serde_json::Value;

use crate::error::Code;
use crate::write::{object_at, values_at};

/// Something to be done.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Save the values of a field of all matching records as a set.
    SaveSet(Box<SaveSet>),
    /// Give a set another name.
    RenameSet {
        /// The id of the set.
        set_id: String,
        /// The name.
        name: String,
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
    /// Whose set it is.
    pub user_id: Option<String>,
    /// What it is called.
    pub name: Option<String>,
    /// The label of the view that it is saved under, for whom alone it is; nothing where everybody sees everything.
    pub view: Option<String>,
    /// The filter as it was given.
    pub sqon: Value,
    /// The path of the values in a document.
    pub(crate) segments: Vec<String>,
    /// The path of the object that holds everything.
    pub(crate) prefix: Vec<String>,
}

impl SaveSet {
    /// Returns what a record adds to the set: its values in the field, or its id if it has none.
    pub fn members_of(&self, hit: &Hit) -> Vec<String> {
        let mut members = Vec::new();
        if let Some(root) = hit.document.as_ref().map(Document::root) {
            let record = object_at(root, &self.prefix);
            values_at(record, &self.segments, &mut |value| {
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

/// What came of a command.
#[derive(Debug, Clone, PartialEq)]
pub enum CommandOutcome {
    /// The set as it is now: an object with the members of the GraphQL type `Set`; null if there is none of the id.
    Set(Value),
    /// Whether there was a set to delete.
    Deleted(bool),
    /// Nothing was done.
    Failed {
        /// The sort of failure.
        code: Code,
        /// What is told to the client.
        message: String,
    },
}

impl From<&EngineError> for CommandOutcome {
    fn from(error: &EngineError) -> Self {
        Self::Failed { code: Code::of(error), message: error.client_message() }
    }
}
