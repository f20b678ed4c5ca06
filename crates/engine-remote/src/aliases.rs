//! Aliases of indexes.

use std::collections::BTreeMap;

use cantata_engine::{Alias, AliasChange, EngineError};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use crate::client::ClusterClient;
use crate::error::error_reason;
use crate::indexes::is_system_index;
use crate::request;

/// The aliases of one index.
#[derive(Deserialize)]
struct IndexAliases {
    #[serde(default)]
    aliases: BTreeMap<String, IgnoredAny>,
}

/// Returns all aliases by name, without those of system indexes; an alias of several indexes occurs once for each.
pub(crate) async fn list(client: &ClusterClient) -> Result<Vec<Alias>, EngineError> {
    let reply = client.send(request::get("/_alias")).await?.ensure_success("")?;
    let indexes: BTreeMap<String, IndexAliases> = reply.parse("")?;
    let of = |(index, of): (String, IndexAliases)| {
        of.aliases.into_keys().map(move |name| Alias { name, index: index.clone() })
    };
    let mut aliases: Vec<Alias> =
        indexes.into_iter().filter(|(index, _)| !is_system_index(index)).flat_map(of).collect();
    aliases.sort_unstable();
    Ok(aliases)
}

/// Changes aliases in one request, which a cluster executes atomically.
pub(crate) async fn change(client: &ClusterClient, changes: &[AliasChange]) -> Result<(), EngineError> {
    let mut actions = Vec::new();
    for change in changes {
        let (AliasChange::Add { alias, index } | AliasChange::Remove { alias, index }) = change;
        // A name with a wildcard would match several.
        request::index_path(alias)?;
        request::index_path(index)?;
        let action = if matches!(change, AliasChange::Add { .. }) { "add" } else { "remove" };
        actions.push(json!({action: {"index": index, "alias": alias}}));
    }
    if actions.is_empty() {
        return Ok(());
    }
    let reply = client.send(request::update("/_aliases", &json!({"actions": actions}))).await?;
    let answer: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
    let error = &answer["error"];
    match reply.status {
        404 if error["type"] == "aliases_not_found_exception" => Ok(()),
        400 => Err(EngineError::Rejected(format!("the search engine refused the alias: {}", error_reason(error)))),
        _ => reply.ensure_success(error["index"].as_str().unwrap_or_default()).map(|_| ()),
    }
}
