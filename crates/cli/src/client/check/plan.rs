//! The changes of the index of a catalogue with a source: fields that analysis types add, and conflicts with it.

use cantata_catalogue::{SourceConfig, SourceOrigin};
use cantata_core::{AnalysisType, AnalysisTypeId, Timestamp, TypeOptions};
use cantata_indexing::mapping_derivation::derive_mapping;
use cantata_mapping::IndexMapping;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::client::api_error::CallError;
use crate::client::server::ServerClient;

/// The planned changes of an index.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct IndexPlan {
    /// Whether the index does not exist yet.
    pub(super) is_new: bool,
    /// The fields that are added.
    pub(super) adds: Vec<String>,
    /// The changes that need a new index, one sentence per field.
    pub(super) needs_reindex: Vec<String>,
    /// Conflicts between analysis types, and what is left out.
    pub(super) notes: Vec<String>,
}

#[derive(Deserialize)]
struct RegisteredType {
    name: String,
    version: u32,
    options: TypeOptions,
    schema: Value,
}

/// Returns all versions of all analysis types of a server.
pub(super) async fn types(server: &ServerClient) -> Result<Vec<AnalysisType>, CallError> {
    let registered: Vec<RegisteredType> = server.types(&[("unrenderedOnly", "true")]).await?;
    let analysis_type = |RegisteredType { name, version, options, schema }| AnalysisType {
        id: AnalysisTypeId { name, version },
        // Not needed here.
        created_at: Timestamp::from_micros(0),
        options,
        schema,
    };
    Ok(registered.into_iter().map(analysis_type).collect())
}

/// Returns the planned mapping of an index and its changes. The types of another server are not known here.
pub(super) fn plan(
    source: &SourceConfig,
    types: &[AnalysisType],
    present: Option<&IndexMapping>,
) -> Option<(IndexMapping, IndexPlan)> {
    if source.origin != SourceOrigin::Local {
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
    Some((mapping, IndexPlan { is_new: present.is_none(), adds, needs_reindex, notes: derived.notes }))
}
