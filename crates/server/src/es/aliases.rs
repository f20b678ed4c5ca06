//! Aliases: shown, added, removed, and moved in one step.

use axum::extract::{Request, State};
use axum::response::Response;
use cantata_engine::{Alias, AliasChange};
use serde_json::{Map, Value, json};

use super::answers::acknowledged;
use super::error::EsError;
use super::names::{Names, refuse_patterns};
use super::{Door, EsResult, body};
use crate::answer;
use crate::extract::Segments;

/// The largest list of changes, in bytes.
const BODY_LIMIT: usize = 4 << 20;

/// What an alias may say that makes no difference here, where it leads to one index.
const HARMLESS: [&str; 5] = ["is_write_index", "is_hidden", "routing", "index_routing", "search_routing"];

/// Shows all indexes with their aliases.
pub(super) async fn all(State(door): State<Door>) -> EsResult<Response> {
    shown(&door, None, None).await
}

/// Shows aliases by their names.
pub(super) async fn named(State(door): State<Door>, Segments(name): Segments<String>) -> EsResult<Response> {
    shown(&door, None, Some(&name)).await
}

/// Shows the aliases of some indexes.
pub(super) async fn of_whole_index(State(door): State<Door>, Segments(index): Segments<String>) -> EsResult<Response> {
    shown(&door, Some(&index), None).await
}

/// Shows aliases of some indexes by their names.
pub(super) async fn of_index(
    State(door): State<Door>,
    Segments((index, name)): Segments<(String, String)>,
) -> EsResult<Response> {
    shown(&door, Some(&index), Some(&name)).await
}

async fn shown(door: &Door, index: Option<&str>, list: Option<&str>) -> EsResult<Response> {
    let (indexes, aliases) = (door.indexes(index).await?, door.engine.aliases().await?);
    let names = Names::new(list);
    let mut shown = Map::new();
    for index in indexes {
        let own = aliases.iter().filter(|alias| alias.index == index.name && names.have(&alias.name));
        let own: Map<String, Value> = own.map(|Alias { name, .. }| (name.clone(), json!({}))).collect();
        // An index without aliases is shown where no alias is asked for.
        if list.is_none() || !own.is_empty() {
            shown.insert(index.name, json!({"aliases": own}));
        }
    }
    match list {
        Some(list) if shown.is_empty() => Err(EsError::missing_aliases(list)),
        _ => Ok(answer::json(&shown)),
    }
}

/// Adds an alias.
pub(super) async fn add(
    State(door): State<Door>,
    Segments((index, alias)): Segments<(String, String)>,
    request: Request,
) -> EsResult<Response> {
    check_attributes(&Value::Object(body::read_object(request, BODY_LIMIT).await?))?;
    let add = |index: String| AliasChange::Add { alias: alias.clone(), index };
    let changes: Vec<_> = door.indexes(Some(&index)).await?.into_iter().map(|index| add(index.name)).collect();
    door.engine.change_aliases(&changes).await?;
    Ok(answer::json(&acknowledged()))
}

/// Removes aliases.
pub(super) async fn remove(
    State(door): State<Door>,
    Segments((index, list)): Segments<(String, String)>,
) -> EsResult<Response> {
    let changes = removals(&door, &index, &list).await?;
    if changes.is_empty() {
        return Err(EsError::missing_aliases(&list));
    }
    door.engine.change_aliases(&changes).await?;
    Ok(answer::json(&acknowledged()))
}

async fn removals(door: &Door, index: &str, list: &str) -> EsResult<Vec<AliasChange>> {
    let (indexes, names) = (door.indexes(Some(index)).await?, Names::new(Some(list)));
    let is_meant = |alias: &Alias| names.have(&alias.name) && indexes.iter().any(|index| index.name == alias.index);
    let remove = |alias: Alias| AliasChange::Remove { alias: alias.name, index: alias.index };
    Ok(door.engine.aliases().await?.into_iter().filter(is_meant).map(remove).collect())
}

/// Changes aliases: all of it at once, but for indexes that are removed.
///
/// An index is removed after the aliases have changed, unless one of them takes its name.
pub(super) async fn change(State(door): State<Door>, request: Request) -> EsResult<Response> {
    let mut given = body::read_object(request, BODY_LIMIT).await?;
    let Some(Value::Array(actions)) = given.remove("actions") else {
        return Err(EsError::illegal("[actions]: expected a list of add, remove and remove_index"));
    };
    let mut changes = Vec::new();
    let mut removed: Vec<String> = Vec::new();
    for action in &actions {
        let (verb, members) = verb(action)?;
        let indexes = texts(members, "index", "indices")?.join(",");
        match verb {
            "add" | "remove" => {
                let aliases = texts(members, "alias", "aliases")?;
                if verb == "remove" {
                    changes.extend(removals(&door, &indexes, &aliases.join(",")).await?);
                    continue;
                }
                check_attributes(&Value::Object(members.clone()))?;
                for index in door.indexes(Some(&indexes)).await? {
                    let add = |alias: &&str| AliasChange::Add { alias: (*alias).to_owned(), index: index.name.clone() };
                    changes.extend(aliases.iter().map(add));
                }
            }
            "remove_index" => {
                refuse_patterns(&indexes)?;
                removed.extend(door.indexes(Some(&indexes)).await?.into_iter().map(|index| index.name));
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
        door.engine.delete_index(&index).await?;
    }
    door.engine.change_aliases(&changes).await?;
    for index in last {
        door.engine.delete_index(&index).await?;
    }
    Ok(answer::json(&acknowledged()))
}

/// Returns what an action does, and to what.
fn verb(action: &Value) -> EsResult<(&str, &Map<String, Value>)> {
    let mut members = action.as_object().into_iter().flatten();
    match (members.next(), members.next()) {
        (Some((verb, Value::Object(members))), None) => Ok((verb, members)),
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
