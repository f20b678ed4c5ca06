//! The source positions of indexes, kept as documents of a separate index.
//!
//! A document belongs to an index by the uuid of the index. An index that was deleted and created again has another
//! one, so it never inherits the position of its predecessor.

use std::collections::BTreeMap;

use cantata_engine::EngineError;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::client::ClusterClient;
use crate::{documents, indexes, request};

/// The index of the positions.
const POSITIONS_INDEX: &str = "cantata-positions";

/// A concrete index, as opposed to an alias.
pub(crate) struct ConcreteIndex {
    /// Its name.
    pub(crate) name: String,
    uuid: String,
}

#[derive(Deserialize)]
struct IndexSettings {
    settings: IndexUuid,
}

#[derive(Deserialize)]
struct IndexUuid {
    #[serde(rename = "index.uuid")]
    uuid: String,
}

/// Resolves a name to a concrete index.
pub(crate) async fn resolve(client: &ClusterClient, index: &str) -> Result<ConcreteIndex, EngineError> {
    let path = format!("{}/_settings/index.uuid?flat_settings=true", request::index_path(index)?);
    let reply = client.send(request::get(path)).await?.ensure_success(index)?;
    let settings: BTreeMap<String, IndexSettings> = reply.parse(index)?;
    let mut indexes = settings.into_iter().map(|(name, index)| ConcreteIndex { name, uuid: index.settings.uuid });
    match (indexes.next(), indexes.next()) {
        (Some(one), None) => Ok(one),
        (None, _) => Err(EngineError::IndexNotFound(index.to_owned())),
        (Some(_), Some(_)) => Err(EngineError::Rejected(format!(
            "`{index}` leads to several indexes; expected an index, or an alias of one"
        ))),
    }
}

impl ConcreteIndex {
    fn id(&self) -> String {
        format!("index-{}", self.uuid)
    }

    fn path(&self) -> String {
        format!("/{POSITIONS_INDEX}/_doc/{}", request::path_segment(&self.id()))
    }

    /// Returns the last position.
    pub(crate) async fn position(&self, client: &ClusterClient) -> Result<Option<String>, EngineError> {
        let noted = match documents::document(client, POSITIONS_INDEX, &self.id()).await {
            Err(EngineError::IndexNotFound(_)) => None,
            noted => noted?,
        };
        let noted = noted.and_then(|noted| serde_json::to_value(noted.root()).ok());
        Ok(noted.and_then(|noted| noted.get("position")?.as_str().map(str::to_owned)))
    }

    /// Writes the position.
    pub(crate) async fn set_position(&self, client: &ClusterClient, position: &str) -> Result<(), EngineError> {
        let body = json!({"index": self.name, "position": position});
        let reply = client.send(request::replace(self.path(), &body)).await?;
        reply.ensure_success(POSITIONS_INDEX).map(|_| ())
    }

    /// Deletes the position of a deleted index. A failure leaves a document that is never read.
    pub(crate) async fn delete_position(&self, client: &ClusterClient) {
        if let Err(error) = client.send(request::delete(self.path(), None)).await {
            tracing::warn!(index = self.name, %error, "the position of a removed index stays where it is");
        }
    }
}

/// Creates the index of the positions, unless it exists.
pub(crate) async fn ensure_index(client: &ClusterClient) -> Result<(), EngineError> {
    if client.send(request::head(format!("/{POSITIONS_INDEX}"))).await?.status == 200 {
        return Ok(());
    }
    let kept: Value = json!({"type": "keyword", "index": false, "doc_values": false});
    let mapping = json!({
        "settings": {"number_of_shards": 1, "auto_expand_replicas": "0-1"},
        "mappings": {"dynamic": false, "properties": {"index": {"type": "keyword"}, "position": kept}},
    });
    match indexes::create(client, POSITIONS_INDEX, Some(&mapping)).await {
        Err(EngineError::IndexExists(_)) => Ok(()),
        made => made,
    }
}
