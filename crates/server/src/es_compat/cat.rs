//! Lists for people: of aliases and of indexes.

use axum::extract::{RawPathParams, State};
use axum::response::Response;
use http::HeaderValue;
use serde_json::{Map, Value, json};

use super::index_patterns::IndexPatterns;
use super::{EsResult, EsState};
use crate::extract::Params;
use crate::response::{self, with_content_type};

const ALIAS_COLUMNS: [&str; 6] = ["alias", "index", "filter", "routing.index", "routing.search", "is_write_index"];

const INDEX_COLUMNS: [&str; 10] =
    ["health", "status", "index", "uuid", "pri", "rep", "docs.count", "docs.deleted", "store.size", "pri.store.size"];

/// Lists aliases.
pub(super) async fn aliases(State(es): State<EsState>, path: RawPathParams, params: Params) -> EsResult {
    let names = IndexPatterns::new(name_in(&path));
    let aliases = es.engine.aliases().await?;
    let meant = aliases.iter().filter(|alias| names.matches(&alias.name));
    let rows: Vec<_> = meant.map(|alias| [&alias.name, &alias.index, "-", "-", "-", "-"].map(str::to_owned)).collect();
    Ok(table(&ALIAS_COLUMNS, &rows, &params))
}

/// Lists indexes.
pub(super) async fn indexes(State(es): State<EsState>, path: RawPathParams, params: Params) -> EsResult {
    let mut rows = Vec::new();
    for index in es.indexes(name_in(&path)).await? {
        let deleted = es.administration.stats(&index.name).await?.deleted;
        let (documents, deleted, bytes) =
            (index.documents.to_string(), deleted.to_string(), format!("{}b", index.bytes));
        let row = ["green", "open", &index.name, &index.name, "1", "0", &documents, &deleted, &bytes, &bytes];
        rows.push(row.map(str::to_owned));
    }
    Ok(table(&INDEX_COLUMNS, &rows, &params))
}

fn name_in(path: &RawPathParams) -> Option<&str> {
    path.iter().next().map(|(_, name)| name)
}

/// Writes a table as lines of text or, where that is asked for, as JSON; `h` chooses columns.
fn table<const WIDTH: usize>(columns: &[&str; WIDTH], rows: &[[String; WIDTH]], params: &Params) -> Response {
    let chosen: Vec<usize> = match params.list("h") {
        wanted if wanted.is_empty() => (0..WIDTH).collect(),
        wanted => wanted.iter().filter_map(|name| columns.iter().position(|column| column == name)).collect(),
    };
    let cells =
        |row: &[String; WIDTH]| -> Vec<String> { chosen.iter().filter_map(|&index| row.get(index).cloned()).collect() };
    let head = cells(&columns.map(str::to_owned));
    let rows: Vec<Vec<String>> = rows.iter().map(cells).collect();
    if params.get("format") == Some("json") {
        let object = |row: Vec<String>| -> Map<String, Value> {
            head.iter().cloned().zip(row).map(|(column, cell)| (column, json!(cell))).collect()
        };
        return response::json(&rows.into_iter().map(object).collect::<Vec<_>>());
    }
    let has_head = params.get("v").is_some_and(|value| value != "false");
    let lines = has_head.then_some(head).into_iter().chain(rows);
    let text: String = lines.map(|line| line.join(" ") + "\n").collect();
    with_content_type(text, HeaderValue::from_static("text/plain; charset=UTF-8"))
}
