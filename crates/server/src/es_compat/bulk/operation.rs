//! One operation, as a line or an address says it.

use bytes::Bytes;
use cantata_core::json::parse_json;
use serde_json::Value;
use uuid::Uuid;

use crate::es_compat::EsResult;
use crate::es_compat::error::EsError;

/// The longest id of a document, in bytes.
const MAX_ID_BYTES: usize = 512;

/// What is asked for that would make a difference, and is not done here.
const UNSUPPORTED_PARAMETERS: [&str; 6] =
    ["version", "version_type", "if_seq_no", "if_primary_term", "pipeline", "script"];

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::es_compat) enum BulkAction {
    /// Adds or replaces a document.
    Index,
    /// Adds a document that is not there.
    Create,
    /// Changes a part of a document.
    Update,
    /// Removes a document.
    Delete,
}

impl BulkAction {
    /// Returns its name in requests and answers.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Index => "index",
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
        }
    }

    fn read(name: &str) -> Option<Self> {
        [Self::Index, Self::Create, Self::Update, Self::Delete].into_iter().find(|action| action.name() == name)
    }
}

/// An operation on a document.
#[derive(Debug)]
pub(in crate::es_compat) struct BulkOperation {
    pub(super) action: BulkAction,
    /// An index, or an alias of one.
    pub(super) index: String,
    pub(super) id: String,
    /// The document, or what an update says of it; empty for a removal.
    pub(super) source: Bytes,
}

impl BulkOperation {
    /// Makes an operation; a document without an id gets one.
    pub(in crate::es_compat) fn new(
        action: BulkAction,
        index: String,
        id: Option<String>,
        source: Bytes,
    ) -> EsResult<Self> {
        let id = match id {
            Some(id) if id.is_empty() || id.len() > MAX_ID_BYTES => {
                let found = id.len();
                return Err(EsError::illegal(format!("the id has {found} bytes; expected 1 to {MAX_ID_BYTES}")));
            }
            Some(id) => id,
            None if matches!(action, BulkAction::Index | BulkAction::Create) => Uuid::new_v4().simple().to_string(),
            None => return Err(EsError::illegal(format!("an id must be provided for {}", action.name()))),
        };
        Ok(Self { action, index, id, source })
    }

    /// Reads the first line of an operation.
    pub(super) fn read(line: &[u8], default_index: Option<&str>) -> EsResult<Self> {
        let line = parse_json(line).map_err(|error| EsError::illegal(format!("it is not JSON: {error}")))?;
        let mut members = line.as_object().into_iter().flatten();
        let (Some((name, Value::Object(about))), None) = (members.next(), members.next()) else {
            return Err(EsError::illegal("expected an object with one of index, create, update and delete"));
        };
        let action = BulkAction::read(name).ok_or_else(|| {
            EsError::illegal(format!("unknown action [{name}]; expected index, create, update or delete"))
        })?;
        let (mut index, mut id) = (default_index.map(str::to_owned), None);
        for (key, value) in about {
            check_parameter(key)?;
            match (key.as_str(), value) {
                (_, Value::Null) => {}
                ("_index", Value::String(name)) => index = Some(name.clone()),
                ("_id", Value::String(text)) => id = Some(text.clone()),
                ("_id", Value::Number(number)) => id = Some(number.to_string()),
                ("_index" | "_id", _) => return Err(EsError::illegal(format!("[{key}]: expected a text"))),
                _ => {}
            }
        }
        let index = index.ok_or_else(|| EsError::illegal("index is missing"))?;
        Self::new(action, index, id, Bytes::new())
    }
}

/// Refuses a parameter that asks for what is not done here; one that makes no difference is passed over.
pub(in crate::es_compat) fn check_parameter(name: &str) -> EsResult<()> {
    if UNSUPPORTED_PARAMETERS.contains(&name.trim_start_matches('_')) {
        return Err(EsError::illegal(format!("[{name}] is nothing that this server does")));
    }
    Ok(())
}
