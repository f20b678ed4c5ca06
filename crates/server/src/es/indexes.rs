//! Indexes: made, shown, refreshed, removed.

use axum::extract::{Request, State};
use axum::response::Response;
use cantata_engine::{Alias, AliasChange};
use serde_json::{Map, Value, json};

use super::answers::{acknowledged, shards};
use super::error::EsError;
use super::names::refuse_patterns;
use super::{Door, EsResult, body, mapping};
use crate::answer;
use crate::extract::{Params, Segments};

/// Makes an index. Settings are taken and not used: an embedded index has no shards to set.
pub(super) async fn create(
    State(door): State<Door>,
    Segments(name): Segments<String>,
    request: Request,
) -> EsResult<Response> {
    let mut given = body::read_object(request, mapping::BODY_LIMIT).await?;
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
    door.engine.create_index(&name, Some(&mapping)).await.map_err(mapping::refused)?;
    if let Err(error) = door.engine.change_aliases(&changes).await {
        door.engine.delete_index(&name).await?;
        return Err(error.into());
    }
    Ok(answer::json(&json!({"acknowledged": true, "shards_acknowledged": true, "index": name})))
}

/// Shows indexes.
pub(super) async fn get(State(door): State<Door>, Segments(name): Segments<String>) -> EsResult<Response> {
    let aliases = door.engine.aliases().await?;
    let mut shown = Map::new();
    for index in door.indexes(Some(&name)).await? {
        let own = aliases.iter().filter(|alias| alias.index == index.name);
        let own: Map<String, Value> = own.map(|Alias { name, .. }| (name.clone(), json!({}))).collect();
        let mapping = mapping::written(&*door.engine.mapping(&index.name).await?);
        let settings = json!({"number_of_shards": "1", "number_of_replicas": "0", "provided_name": index.name});
        shown.insert(index.name, json!({"aliases": own, "mappings": mapping, "settings": {"index": settings}}));
    }
    Ok(answer::json(&shown))
}

/// Removes indexes, which are named one by one.
pub(super) async fn delete(
    State(door): State<Door>,
    Segments(list): Segments<String>,
    params: Params,
) -> EsResult<Response> {
    refuse_patterns(&list)?;
    let aliases = door.engine.aliases().await?;
    let may_miss = params.get("ignore_unavailable").is_some_and(|value| value != "false");
    let known = door.engine.indexes().await?;
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
        door.engine.delete_index(name).await?;
    }
    Ok(answer::json(&acknowledged()))
}

/// Refreshes all indexes; there is nothing to do, as what is written can be seen at once.
pub(super) async fn refresh_all(State(door): State<Door>) -> EsResult<Response> {
    Ok(answer::json(&json!({"_shards": shards(door.indexes(None).await?.len())})))
}

/// Refreshes some indexes.
pub(super) async fn refresh(State(door): State<Door>, Segments(list): Segments<String>) -> EsResult<Response> {
    Ok(answer::json(&json!({"_shards": shards(door.indexes(Some(&list)).await?.len())})))
}
