//! The mappings of indexes and aliases, as the cluster shows them.
//!
//! Whoever asks for a mapping gets the one of the moment; where the text is the same as before, the same value. Plans
//! are translated with the latest one that is known.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError, RwLock};

use bytes::Bytes;
use cantata_engine::EngineError;
use cantata_mapping::IndexMapping;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::calls;
use crate::connection::Connection;
use crate::failures::{accepted, nonsense};

/// The mappings that are known, by the name of an index or alias.
#[derive(Default)]
pub(crate) struct Mappings {
    known: RwLock<HashMap<String, Known>>,
}

#[derive(Clone)]
struct Known {
    text: Bytes,
    mapping: Arc<IndexMapping>,
}

/// What a cluster shows of one index.
#[derive(Deserialize)]
struct Shown {
    #[serde(default)]
    mappings: Map<String, Value>,
}

impl Mappings {
    /// Returns the mapping as it is now.
    pub(crate) async fn fetch(&self, connection: &Connection, index: &str) -> Result<Arc<IndexMapping>, EngineError> {
        let path = calls::index_path(index)?;
        let reply = connection.send(calls::get(format!("{path}/_mapping"))).await?;
        let reply = accepted(reply, index).inspect_err(|_| self.forget(index))?;
        if let Some(known) = self.get(index)
            && known.text == reply.body
        {
            return Ok(known.mapping);
        }
        let shown: BTreeMap<String, Shown> =
            serde_json::from_slice(&reply.body).map_err(|error| nonsense(&error, index))?;
        let mapping = Arc::new(read(shown, index)?);
        let known = Known { text: reply.body, mapping: Arc::clone(&mapping) };
        self.known.write().unwrap_or_else(PoisonError::into_inner).insert(index.to_owned(), known);
        Ok(mapping)
    }

    /// Returns the mapping that was seen last.
    pub(crate) async fn latest(&self, connection: &Connection, index: &str) -> Result<Arc<IndexMapping>, EngineError> {
        match self.get(index) {
            Some(known) => Ok(known.mapping),
            None => self.fetch(connection, index).await,
        }
    }

    /// Forgets the mapping of an index that is gone.
    pub(crate) fn forget(&self, index: &str) {
        self.known.write().unwrap_or_else(PoisonError::into_inner).remove(index);
    }

    fn get(&self, index: &str) -> Option<Known> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).get(index).cloned()
    }
}

/// Reads the mapping of an index, or of all indexes of an alias: where they contradict each other, the first by name
/// has its way.
fn read(shown: BTreeMap<String, Shown>, index: &str) -> Result<IndexMapping, EngineError> {
    let mut mappings = shown.into_iter().map(|(name, shown)| (name, shown.mappings));
    let (_, mut merged) = mappings.next().ok_or_else(|| EngineError::IndexNotFound(index.to_owned()))?;
    for (name, mapping) in mappings {
        overlay(&mut merged, mapping, index, &name);
    }
    IndexMapping::parse(&Value::Object(Map::from_iter([("mappings".to_owned(), Value::Object(merged))]))).map_err(
        |errors| {
            let problems: Vec<String> = errors.iter().map(ToString::to_string).collect();
            EngineError::Refused(problems.join("; "))
        },
    )
}

/// Adds the fields that a container does not have yet.
fn overlay(present: &mut Map<String, Value>, other: Map<String, Value>, index: &str, name: &str) {
    let Some(Value::Object(fields)) = other.into_iter().find_map(|(key, value)| (key == "properties").then_some(value))
    else {
        return;
    };
    let properties = present.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    let Value::Object(properties) = properties else { return };
    for (field, definition) in fields {
        match (properties.get_mut(&field), definition) {
            (None, definition) => {
                properties.insert(field, definition);
            }
            (Some(Value::Object(known)), Value::Object(definition)) => {
                if known.get("type") != definition.get("type") {
                    tracing::warn!(index, other = name, field, "indexes of an alias give a field different types");
                } else if known.contains_key("properties") || definition.contains_key("properties") {
                    overlay(known, definition, index, name);
                }
            }
            _ => {}
        }
    }
}
