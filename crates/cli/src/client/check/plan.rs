//! What becomes of the index of a catalogue that has a source: what the analysis types add to it, and what in it they
//! would have otherwise.

use cantata_catalogue::{SourceConfig, SourceOrigin};
use cantata_core::{AnalysisType, AnalysisTypeId, Timestamp, TypeOptions};
use cantata_indexing::mapping_derivation::derive_mapping;
use cantata_mapping::IndexMapping;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::client::{CallError, Server};

/// How many types are asked for at once.
const PAGE: usize = 200;

/// What is to happen with an index.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Plan {
    /// Whether there is no index yet.
    pub(super) is_new: bool,
    /// The fields that the index gets.
    pub(super) adds: Vec<String>,
    /// What only a new index can have, a sentence for each field.
    pub(super) needs_reindex: Vec<String>,
    /// Where analysis types disagree, and what of them is left out.
    pub(super) notes: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TypePage {
    count: usize,
    result_set: Vec<Registered>,
}

#[derive(Deserialize)]
struct Registered {
    name: String,
    version: u32,
    options: TypeOptions,
    schema: Value,
}

/// Returns all versions of all analysis types of a server.
pub(super) async fn types(server: &Server) -> Result<Vec<AnalysisType>, CallError> {
    let mut types = Vec::new();
    loop {
        let (limit, offset) = (PAGE.to_string(), types.len().to_string());
        let query = [("unrenderedOnly", "true"), ("limit", limit.as_str()), ("offset", &offset)];
        let page: TypePage = server.get(&["schemas"], &query).await?;
        let is_last = page.result_set.is_empty();
        types.extend(page.result_set.into_iter().map(|Registered { name, version, options, schema }| AnalysisType {
            id: AnalysisTypeId { name, version },
            // Nothing depends on when it was.
            created_at: Timestamp::from_micros(0),
            options,
            schema,
        }));
        if is_last || types.len() >= page.count {
            return Ok(types);
        }
    }
}

/// Returns the mapping that an index has or gets, and what that takes. Where the analyses come from another server, its
/// types are not known here.
pub(super) fn plan(
    source: &SourceConfig,
    types: &[AnalysisType],
    present: Option<&IndexMapping>,
) -> Option<(IndexMapping, Plan)> {
    if source.origin != SourceOrigin::Here {
        return None;
    }
    let derived = derive_mapping(source, types);
    let wanted = IndexMapping::parse(&derived.mapping).ok()?;
    let is_missing = |path: &str| present.is_none_or(|present| present.entry(path).is_none());
    let adds = wanted.fields().map(|field| &field.path).filter(|path| is_missing(path)).cloned().collect();
    let (mapping, needs_reindex) = match present.cloned() {
        None => (wanted, Vec::new()),
        Some(present) => {
            let mut merged = present.clone();
            match merged.merge(&wanted) {
                Ok(()) => (merged, Vec::new()),
                Err(errors) => (present, errors.iter().map(ToString::to_string).collect()),
            }
        }
    };
    Some((mapping, Plan { is_new: present.is_none(), adds, needs_reindex, notes: derived.notes }))
}
