//! A cache of the mappings of indexes and aliases.
//!
//! A request for a mapping always fetches it, and returns the same value if its text has not changed. Plans are
//! translated with the cached one.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError, RwLock};

use bytes::Bytes;
use cantata_engine::EngineError;
use cantata_mapping::IndexMapping;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::client::ClusterClient;
use crate::request;

/// The latest mappings by the name of an index or alias.
#[derive(Default)]
pub(crate) struct MappingCache {
    entries: RwLock<HashMap<String, CachedMapping>>,
}

#[derive(Clone)]
struct CachedMapping {
    text: Bytes,
    mapping: Arc<IndexMapping>,
}

/// The mappings of one index in a response.
#[derive(Deserialize)]
struct IndexMappings {
    #[serde(default)]
    mappings: Map<String, Value>,
}

impl MappingCache {
    /// Fetches the current mapping.
    pub(crate) async fn fetch(&self, client: &ClusterClient, index: &str) -> Result<Arc<IndexMapping>, EngineError> {
        let path = request::index_path(index)?;
        let reply = client.send(request::get(format!("{path}/_mapping"))).await?;
        let reply = reply.ensure_success(index).inspect_err(|_| self.invalidate(index))?;
        if let Some(entries) = self.get(index)
            && entries.text == reply.body
        {
            return Ok(entries.mapping);
        }
        let indexes: BTreeMap<String, IndexMappings> = reply.parse(index)?;
        let mapping = Arc::new(merge_mappings(indexes, index)?);
        let entries = CachedMapping { text: reply.body, mapping: Arc::clone(&mapping) };
        self.entries.write().unwrap_or_else(PoisonError::into_inner).insert(index.to_owned(), entries);
        Ok(mapping)
    }

    /// Returns the cached mapping, or fetches it.
    pub(crate) async fn cached_or_fetch(
        &self,
        client: &ClusterClient,
        index: &str,
    ) -> Result<Arc<IndexMapping>, EngineError> {
        match self.get(index) {
            Some(entries) => Ok(entries.mapping),
            None => self.fetch(client, index).await,
        }
    }

    /// Drops the mapping of an index from the cache.
    pub(crate) fn invalidate(&self, index: &str) {
        self.entries.write().unwrap_or_else(PoisonError::into_inner).remove(index);
    }

    fn get(&self, index: &str) -> Option<CachedMapping> {
        self.entries.read().unwrap_or_else(PoisonError::into_inner).get(index).cloned()
    }
}

/// Merges the mappings of all indexes of an alias: where they conflict, the first index by name wins.
fn merge_mappings(indexes: BTreeMap<String, IndexMappings>, index: &str) -> Result<IndexMapping, EngineError> {
    let mut mappings = indexes.into_iter().map(|(name, indexes)| (name, indexes.mappings));
    let (_, mut merged) = mappings.next().ok_or_else(|| EngineError::IndexNotFound(index.to_owned()))?;
    for (name, mapping) in mappings {
        overlay(&mut merged, mapping, index, &name);
    }
    Ok(IndexMapping::parse(&json!({"mappings": merged}))?)
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
            (Some(Value::Object(entries)), Value::Object(definition)) => {
                if entries.get("type") != definition.get("type") {
                    tracing::warn!(index, other = name, field, "indexes of an alias give a field different types");
                } else if entries.contains_key("properties") || definition.contains_key("properties") {
                    overlay(entries, definition, index, name);
                }
            }
            _ => {}
        }
    }
}
