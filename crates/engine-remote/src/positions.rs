//! How far the source of an index has been read, kept as documents of an index of its own.
//!
//! A document belongs to one index by what the cluster calls its uuid. An index that is made anew, by whomever, has
//! another one, so it never seems to have what only its predecessor had.

use std::collections::BTreeMap;

use cantata_engine::EngineError;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::connection::Connection;
use crate::failures::{accepted, nonsense};
use crate::{calls, documents, indexes};

/// The index of the positions.
const POSITIONS: &str = "cantata-positions";

/// An index itself, whatever name it was asked for by.
pub(crate) struct Physical {
    /// Its own name.
    pub(crate) name: String,
    uuid: String,
}

#[derive(Deserialize)]
struct Shown {
    settings: Settings,
}

#[derive(Deserialize)]
struct Settings {
    #[serde(rename = "index.uuid")]
    uuid: String,
}

/// Returns the index that a name leads to.
pub(crate) async fn physical(connection: &Connection, index: &str) -> Result<Physical, EngineError> {
    let path = format!("{}/_settings/index.uuid?flat_settings=true", calls::index_path(index)?);
    let reply = accepted(connection.send(calls::get(path)).await?, index)?;
    let shown: BTreeMap<String, Shown> =
        serde_json::from_slice(&reply.body).map_err(|error| nonsense(&error, index))?;
    let mut indexes = shown.into_iter().map(|(name, shown)| Physical { name, uuid: shown.settings.uuid });
    match (indexes.next(), indexes.next()) {
        (Some(one), None) => Ok(one),
        (None, _) => Err(EngineError::IndexNotFound(index.to_owned())),
        (Some(_), Some(_)) => Err(EngineError::Refused(format!(
            "`{index}` leads to several indexes; expected an index, or an alias of one"
        ))),
    }
}

impl Physical {
    fn id(&self) -> String {
        format!("index-{}", self.uuid)
    }

    fn path(&self) -> String {
        format!("/{POSITIONS}/_doc/{}", calls::segment(&self.id()))
    }

    /// Returns the position that was noted last.
    pub(crate) async fn position(&self, connection: &Connection) -> Result<Option<String>, EngineError> {
        let noted = match documents::document(connection, POSITIONS, &self.id()).await {
            Err(EngineError::IndexNotFound(_)) => None,
            noted => noted?,
        };
        let noted = noted.and_then(|noted| serde_json::to_value(noted.root()).ok());
        Ok(noted.and_then(|noted| noted.get("position")?.as_str().map(str::to_owned)))
    }

    /// Notes a position.
    pub(crate) async fn note(&self, connection: &Connection, position: &str) -> Result<(), EngineError> {
        let body = json!({"index": self.name, "position": position});
        let reply = connection.send(calls::replace(self.path(), &body)).await?;
        accepted(reply, POSITIONS).map(|_| ())
    }

    /// Forgets the position of an index that is gone. A failure leaves a document that nobody reads.
    pub(crate) async fn forget(&self, connection: &Connection) {
        if let Err(error) = connection.send(calls::delete(self.path(), None)).await {
            tracing::warn!(index = self.name, %error, "the position of a removed index stays where it is");
        }
    }
}

/// Makes the index of the positions, unless it is there.
pub(crate) async fn prepare(connection: &Connection) -> Result<(), EngineError> {
    if connection.send(calls::head(format!("/{POSITIONS}"))).await?.status == 200 {
        return Ok(());
    }
    let kept: Value = json!({"type": "keyword", "index": false, "doc_values": false});
    let mapping = json!({
        "settings": {"number_of_shards": 1, "auto_expand_replicas": "0-1"},
        "mappings": {"dynamic": false, "properties": {"index": {"type": "keyword"}, "position": kept}},
    });
    match indexes::create(connection, POSITIONS, Some(&mapping)).await {
        Err(EngineError::IndexExists(_)) => Ok(()),
        made => made,
    }
}
