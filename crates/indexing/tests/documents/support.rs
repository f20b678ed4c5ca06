//! Short forms: a source, an analysis type, an analysis.

use cantata_catalogue::{CatalogueConfig, ConfigDefaults, SourceConfig};
use cantata_core::{AnalysisType, AnalysisTypeId, Timestamp, TypeOptions};
use cantata_indexing::document_builder::DocumentBuilder;
use cantata_indexing::mapping_derivation::{DerivedMapping, derive_mapping};
use serde_json::{Value, json};

/// Reads what a `source.json` says.
#[track_caller]
pub(crate) fn source(keys: Value) -> SourceConfig {
    let config = json!({"esIndex": "files", "documentType": "file", "source": keys});
    CatalogueConfig::from_value("files", &config, &ConfigDefaults::default()).unwrap().source.unwrap()
}

/// Returns a version of an analysis type with these properties.
pub(crate) fn analysis_type(name: &str, version: u32, properties: Value) -> AnalysisType {
    with_definitions(name, version, properties, json!({}))
}

/// Returns a version of an analysis type with these properties and definitions.
pub(crate) fn with_definitions(name: &str, version: u32, properties: Value, definitions: Value) -> AnalysisType {
    AnalysisType {
        id: AnalysisTypeId { name: name.to_owned(), version },
        created_at: Timestamp::from_micros(1),
        options: TypeOptions::default(),
        schema: json!({"type": "object", "required": ["experiment"], "properties": properties, "definitions": definitions}),
    }
}

/// Derives the mapping for analyses as documents.
pub(crate) fn derived(types: &[AnalysisType]) -> DerivedMapping {
    derive_mapping(&source(json!({"document": "analysis-centric"})), types)
}

/// Returns the definition of a field of a mapping.
#[track_caller]
pub(crate) fn definition<'m>(mapping: &'m Value, path: &str) -> &'m Value {
    path.split('.').fold(mapping, |at, name| &at["properties"][name])
}

/// Returns the type of a field of a mapping; `object` for a container without one.
#[track_caller]
pub(crate) fn type_at<'m>(mapping: &'m Value, path: &str) -> &'m str {
    let definition = definition(mapping, path);
    match definition.get("enabled") {
        Some(_) => "shown only",
        None if definition.is_null() => "not there",
        None => definition["type"].as_str().unwrap_or("object"),
    }
}

/// Returns an analysis with two files, as the metadata service shows it.
pub(crate) fn analysis() -> Value {
    json!({
        "analysisId": "a-1",
        "studyId": "S",
        "analysisState": "PUBLISHED",
        "createdAt": "2026-05-01T12:00:00.123456",
        "updatedAt": "2026-05-02T12:00:00",
        "firstPublishedAt": "2026-05-02T12:00:00",
        "publishedAt": "2026-05-02T12:00:00",
        "analysisStateHistory": [{"initialState": "UNPUBLISHED", "updatedState": "PUBLISHED", "updatedAt": "2026-05-02T12:00:00"}],
        "files": [file("f-1", "one.bam"), file("f-2", "two.bam")],
        "analysisType": {"name": "variantCall", "version": 2},
        "experiment": {"reads": 9_223_372_036_854_775_807_i64, "tool": "caller"},
        "donors": [{"donorId": "d-1", "age": 40}, {"donorId": "d-2"}],
    })
}

fn file(id: &str, name: &str) -> Value {
    json!({
        "info": {"lane": 3},
        "objectId": id,
        "studyId": "S",
        "analysisId": "a-1",
        "fileName": name,
        "fileSize": 18_014_398_509_481_985_u64,
        "fileType": "bam",
        "fileMd5sum": "595f44fec1e92a71d3e9e77456ba80d1",
        "fileAccess": "open",
        "dataType": "Aligned reads",
    })
}

/// Makes the documents of an analysis and reads them.
pub(crate) fn documents(keys: Value, analysis: &Value) -> Result<Vec<(String, Value)>, String> {
    let documents = DocumentBuilder::new(&source(keys)).documents(&analysis.to_string());
    let documents = documents.map_err(|error| error.to_string())?;
    Ok(documents.into_iter().map(|one| (one.id, serde_json::from_slice(&one.source).unwrap())).collect())
}
