//! Other names of indexes.

use std::collections::BTreeMap;

use cantata_engine::{Alias, AliasChange, EngineError};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use crate::calls;
use crate::connection::Connection;
use crate::failures::{accepted, nonsense, reason};
use crate::indexes::is_own;

/// The aliases of one index.
#[derive(Deserialize)]
struct OfIndex {
    #[serde(default)]
    aliases: BTreeMap<String, IgnoredAny>,
}

/// Returns all aliases by name, without those of indexes that the cluster keeps for itself. One of several indexes is
/// there several times.
pub(crate) async fn list(connection: &Connection) -> Result<Vec<Alias>, EngineError> {
    let reply = accepted(connection.send(calls::get("/_alias")).await?, "")?;
    let indexes: BTreeMap<String, OfIndex> =
        serde_json::from_slice(&reply.body).map_err(|error| nonsense(&error, ""))?;
    let of =
        |(index, of): (String, OfIndex)| of.aliases.into_keys().map(move |name| Alias { name, index: index.clone() });
    let mut aliases: Vec<Alias> = indexes.into_iter().filter(|(index, _)| !is_own(index)).flat_map(of).collect();
    aliases.sort_unstable();
    Ok(aliases)
}

/// Changes aliases in one request, which a cluster does as a whole or not at all.
pub(crate) async fn change(connection: &Connection, changes: &[AliasChange]) -> Result<(), EngineError> {
    let mut actions = Vec::new();
    for change in changes {
        let (AliasChange::Add { alias, index } | AliasChange::Remove { alias, index }) = change;
        // A name with a wildcard would be several.
        calls::index_path(alias)?;
        calls::index_path(index)?;
        let action = if matches!(change, AliasChange::Add { .. }) { "add" } else { "remove" };
        actions.push(json!({action: {"index": index, "alias": alias}}));
    }
    if actions.is_empty() {
        return Ok(());
    }
    let reply = connection.send(calls::replace_by("/_aliases", &json!({"actions": actions}))).await?;
    let answer: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
    let error = &answer["error"];
    match reply.status {
        404 if error["type"] == "aliases_not_found_exception" => Ok(()),
        400 => Err(EngineError::Refused(format!("the search engine refused the alias: {}", reason(error)))),
        _ => accepted(reply, error["index"].as_str().unwrap_or_default()).map(|_| ()),
    }
}
