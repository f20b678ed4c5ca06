//! Indexes: created, listed, refreshed, deleted.

use axum::extract::{Request, State};
use cantata_engine::{Alias, AliasChange};
use serde_json::{Map, Value, json};

use super::error::EsError;
use super::index_patterns::{ListPath, refuse_patterns};
use super::responses::{acknowledged, shards};
use super::{EsResult, EsState, body, mapping};
use crate::extract::{Params, Segments};
use crate::response;

/// Makes an index. Settings are taken and not used: an embedded index has no shards to set.
pub(super) async fn create(State(es): State<EsState>, Segments(name): Segments<String>, request: Request) -> EsResult {
    let mut given = body::read_object(request, mapping::MAX_BODY_BYTES).await?;
    let mut member = |key: &str| match given.remove(key) {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(members)) => Ok(members),
        Some(_) => Err(EsError::unreadable(format!("[{key}]: found another value, expected an object"))),
    };
    let (mappings, aliases, _settings) = (member("mappings")?, member("aliases")?, member("settings")?);
    if let Some(key) = given.keys().next() {
        let reason = format!("unknown key [{key}] for create index; expected mappings, settings and aliases");
        return Err(EsError::unreadable(reason));
    }
    let mut changes = Vec::new();
    for (alias, attributes) in aliases {
        super::aliases::check_attributes(&attributes)?;
        changes.push(AliasChange::Add { alias, index: name.clone() });
    }
    let mapping = json!({"mappings": mapping::without_type(mappings)});
    es.engine.create_index(&name, Some(&mapping)).await.map_err(mapping::mapping_error)?;
    if let Err(error) = es.engine.change_aliases(&changes).await {
        es.engine.delete_index(&name).await?;
        return Err(error.into());
    }
    Ok(response::json(&json!({"acknowledged": true, "shards_acknowledged": true, "index": name})))
}

/// Returns indexes with their aliases, mappings and settings.
pub(super) async fn get(State(es): State<EsState>, Segments(name): Segments<String>) -> EsResult {
    let aliases = es.engine.aliases().await?;
    let mut listed = Map::new();
    for index in es.indexes(Some(&name)).await? {
        let own = aliases.iter().filter(|alias| alias.index == index.name);
        let own: Map<String, Value> = own.map(|Alias { name, .. }| (name.clone(), json!({}))).collect();
        let mapping = mapping::to_json(&*es.engine.mapping(&index.name).await?);
        let settings = json!({"number_of_shards": "1", "number_of_replicas": "0", "provided_name": index.name});
        listed.insert(index.name, json!({"aliases": own, "mappings": mapping, "settings": {"index": settings}}));
    }
    Ok(response::json(&listed))
}

/// Removes indexes, which are named one by one.
pub(super) async fn delete(State(es): State<EsState>, Segments(list): Segments<String>, params: Params) -> EsResult {
    refuse_patterns(&list)?;
    let aliases = es.engine.aliases().await?;
    let may_miss = params.get("ignore_unavailable").is_some_and(|value| value != "false");
    let known = es.engine.indexes().await?;
    let mut names = Vec::new();
    for name in list.split(',') {
        if aliases.iter().any(|alias| alias.name == name) {
            return Err(EsError::illegal(format!(
                "The provided expression [{name}] matches an alias, specify the corresponding concrete indices instead."
            )));
        }
        match known.iter().any(|index| index.name == name) {
            true => names.push(name),
            false if may_miss => {}
            false => return Err(EsError::missing_index(name)),
        }
    }
    for name in names {
        es.engine.delete_index(name).await?;
    }
    Ok(acknowledged())
}

/// Refreshes indexes; there is nothing to do, as what is written can be seen at once.
pub(super) async fn refresh(State(es): State<EsState>, Segments(path): Segments<ListPath>) -> EsResult {
    let indexes = es.indexes(path.index.as_deref()).await?;
    Ok(response::json(&json!({"_shards": shards(indexes.len())})))
}
