//! Aliases: listed, added, removed, and moved in one step.

use axum::extract::{Request, State};
use cantata_engine::{Alias, AliasChange};
use serde_json::{Map, Value, json};

use super::error::EsError;
use super::index_patterns::{IndexPatterns, ListPath, refuse_patterns};
use super::responses::acknowledged;
use super::{EsResult, EsState, body};
use crate::extract::Segments;
use crate::response;

/// The largest list of changes, in bytes.
const MAX_BODY_BYTES: usize = 4 << 20;

/// What an alias may say that makes no difference here, where it leads to one index.
const HARMLESS: [&str; 5] = ["is_write_index", "is_hidden", "routing", "index_routing", "search_routing"];

/// Returns the aliases of indexes.
pub(super) async fn get(State(es): State<EsState>, Segments(path): Segments<ListPath>) -> EsResult {
    let (indexes, aliases) = (es.indexes(path.index.as_deref()).await?, es.engine.aliases().await?);
    let names = IndexPatterns::new(path.name.as_deref());
    let mut listed = Map::new();
    for index in indexes {
        let own = aliases.iter().filter(|alias| alias.index == index.name && names.matches(&alias.name));
        let own: Map<String, Value> = own.map(|Alias { name, .. }| (name.clone(), json!({}))).collect();
        // An index without aliases is listed where the path names no alias.
        if path.name.is_none() || !own.is_empty() {
            listed.insert(index.name, json!({"aliases": own}));
        }
    }
    match &path.name {
        Some(names) if listed.is_empty() => Err(EsError::missing_aliases(names)),
        _ => Ok(response::json(&listed)),
    }
}

/// Adds an alias.
pub(super) async fn add(
    State(es): State<EsState>,
    Segments((index, alias)): Segments<(String, String)>,
    request: Request,
) -> EsResult {
    check_attributes(&Value::Object(body::read_object(request, MAX_BODY_BYTES).await?))?;
    let add = |index: String| AliasChange::Add { alias: alias.clone(), index };
    let changes: Vec<_> = es.indexes(Some(&index)).await?.into_iter().map(|index| add(index.name)).collect();
    es.engine.change_aliases(&changes).await?;
    Ok(acknowledged())
}

/// Removes aliases.
pub(super) async fn remove(State(es): State<EsState>, Segments((index, list)): Segments<(String, String)>) -> EsResult {
    let changes = removals(&es, &index, &list).await?;
    if changes.is_empty() {
        return Err(EsError::missing_aliases(&list));
    }
    es.engine.change_aliases(&changes).await?;
    Ok(acknowledged())
}

async fn removals(es: &EsState, index: &str, list: &str) -> EsResult<Vec<AliasChange>> {
    let (indexes, names) = (es.indexes(Some(index)).await?, IndexPatterns::new(Some(list)));
    let is_meant = |alias: &Alias| names.matches(&alias.name) && indexes.iter().any(|index| index.name == alias.index);
    let remove = |alias: Alias| AliasChange::Remove { alias: alias.name, index: alias.index };
    Ok(es.engine.aliases().await?.into_iter().filter(is_meant).map(remove).collect())
}

/// Changes aliases: all of it at once, but for indexes that are removed.
///
/// An index is removed after the aliases have changed, unless one of them takes its name.
pub(super) async fn change(State(es): State<EsState>, request: Request) -> EsResult {
    let mut given = body::read_object(request, MAX_BODY_BYTES).await?;
    let Some(Value::Array(actions)) = given.remove("actions") else {
        return Err(EsError::illegal("[actions]: expected a list of add, remove and remove_index"));
    };
    let mut changes = Vec::new();
    let mut removed: Vec<String> = Vec::new();
    for action in &actions {
        let (action, members) = parse_action(action)?;
        let indexes = texts(members, "index", "indices")?.join(",");
        match action {
            "add" | "remove" => {
                let aliases = texts(members, "alias", "aliases")?;
                if action == "remove" {
                    changes.extend(removals(&es, &indexes, &aliases.join(",")).await?);
                    continue;
                }
                check_attributes(&Value::Object(members.clone()))?;
                for index in es.indexes(Some(&indexes)).await? {
                    let add = |alias: &&str| AliasChange::Add { alias: (*alias).to_owned(), index: index.name.clone() };
                    changes.extend(aliases.iter().map(add));
                }
            }
            "remove_index" => {
                refuse_patterns(&indexes)?;
                removed.extend(es.indexes(Some(&indexes)).await?.into_iter().map(|index| index.name));
            }
            other => {
                return Err(EsError::illegal(format!(
                    "unknown action [{other}]; expected add, remove or remove_index"
                )));
            }
        }
    }
    if changes.is_empty() && removed.is_empty() && !actions.is_empty() {
        return Err(EsError::missing_aliases("of the actions"));
    }
    let takes_name = |index: &String| {
        changes.iter().any(|change| matches!(change, AliasChange::Add { alias, .. } if alias == index))
    };
    let (first, last): (Vec<String>, Vec<String>) = removed.into_iter().partition(takes_name);
    for index in first {
        es.engine.delete_index(&index).await?;
    }
    es.engine.change_aliases(&changes).await?;
    for index in last {
        es.engine.delete_index(&index).await?;
    }
    Ok(acknowledged())
}

/// Returns what an action does, and to what.
fn parse_action(action: &Value) -> EsResult<(&str, &Map<String, Value>)> {
    let mut members = action.as_object().into_iter().flatten();
    match (members.next(), members.next()) {
        (Some((action, Value::Object(members))), None) => Ok((action, members)),
        _ => Err(EsError::illegal("[actions]: expected objects with one of add, remove and remove_index")),
    }
}

/// Returns the names that stand under one key or under another, where there may be several.
fn texts<'a>(members: &'a Map<String, Value>, one: &str, several: &str) -> EsResult<Vec<&'a str>> {
    let listed = match (members.get(one), members.get(several)) {
        (Some(Value::String(text)), None) => Some(vec![text.as_str()]),
        (None, Some(Value::Array(texts))) => texts.iter().map(Value::as_str).collect(),
        _ => None,
    };
    let listed = listed.filter(|listed: &Vec<&str>| !listed.is_empty());
    listed.ok_or_else(|| {
        EsError::illegal(format!("expected either [{one}] with a name or [{several}] with a list of them"))
    })
}

/// Refuses what an alias cannot have here: with a filter it would show less than its index does.
pub(super) fn check_attributes(attributes: &Value) -> EsResult<()> {
    let names = ["index", "indices", "alias", "aliases", "must_exist"];
    let is_known = |key: &str| HARMLESS.contains(&key) || names.contains(&key);
    match attributes.as_object().into_iter().flatten().find(|(key, value)| !is_known(key) && !value.is_null()) {
        Some((key, _)) => Err(EsError::illegal(format!("an alias cannot have [{key}] here"))),
        None => Ok(()),
    }
}
