//! Mapping derivation: index mappings and display configuration from the JSON Schemas of analysis types.
//!
//! ```text
//! types ── schema ──► fields of an analysis ── document_fields ──► fields of a document ─┬─ render ──► mapping
//!                                                                                        └─ display ─► `_meta`
//! ```
//!
//! The types are joined in the order of their names and versions. Where they disagree the wider kind is taken, with a
//! note. Whatever the schemas are, every engine accepts the mapping, and the mapping accepts every document of an analysis
//! that is valid by them. Fields that no schema describes are kept in documents and not indexed.

mod base_fields;
mod display;
mod document_fields;
mod field_node;
mod render;
mod schema;

use cantata_catalogue::{DocumentShape, SourceConfig};
use cantata_core::AnalysisType;
use cantata_mapping::IndexMapping;
use serde_json::{Map, Value, json};

use field_node::{Conflict, Fields};
use render::{Renderer, overlay};
use schema::SchemaReader;

/// The names that engines reserve at the top of a document.
const RESERVED_NAMES: [&str; 12] = [
    "_doc_count",
    "_field_names",
    "_id",
    "_ignored",
    "_index",
    "_nested_path",
    "_routing",
    "_seq_no",
    "_size",
    "_source",
    "_type",
    "_version",
];

/// A mapping with notes about its derivation.
#[derive(Debug, Clone, PartialEq)]
pub struct DerivedMapping {
    /// The mapping of the index, with generated `extended`, `facets` and `table` in `_meta.cantata`.
    pub mapping: Value,
    /// Where types disagree and what was left out.
    pub notes: Vec<String>,
}

/// Derives the mapping of a source's documents from all versions of all analysis types; those that the source does not
/// select are ignored.
pub fn derive_mapping(source: &SourceConfig, types: &[AnalysisType]) -> DerivedMapping {
    let mut notes = Vec::new();
    let analysis = base_fields::analysis(type_fields(source, types, &mut notes));
    let mut fields = document_fields::fields(&source.document, analysis, &mut notes);
    if source.document == DocumentShape::AnalysisCentric {
        fields.0.retain(|(name, _)| !RESERVED_NAMES.contains(&name.as_str()));
    }
    let mut renderer = Renderer::default();
    let derived = renderer.properties(&fields, "");
    notes.append(&mut renderer.notes);
    let (properties, mapping) = with_overrides(derived, source.mapping.as_ref(), &mut notes);
    let sections = display::sections(&fields, &mapping, &source.document);
    let mapping = json!({"dynamic": false, "properties": properties, "_meta": {"cantata": sections}});
    DerivedMapping { mapping, notes }
}

/// Returns the fields that the types describe.
fn type_fields(source: &SourceConfig, types: &[AnalysisType], notes: &mut Vec<String>) -> Fields {
    let mut taken: Vec<&AnalysisType> =
        types.iter().filter(|one| source.includes_type(&one.id.name, one.id.version)).collect();
    taken.sort_by(|one, two| (&one.id.name, one.id.version).cmp(&(&two.id.name, two.id.version)));
    let mut data = Fields::default();
    for analysis_type in taken {
        let document = cantata_schema::render_schema(&analysis_type.schema);
        let Some(properties) = analysis_type.schema.get("properties").and_then(Value::as_object) else { continue };
        let mut fields = SchemaReader::new(&document).fields(properties, 2);
        fields.0.retain(|(name, _)| !base_fields::is_base_field(name));
        let mut conflicts = Vec::new();
        data.join(fields, "", &mut conflicts);
        notes.extend(conflicts.iter().map(|conflict| conflict_note(conflict, &analysis_type.id.to_string())));
    }
    data
}

fn conflict_note(conflict: &Conflict, analysis_type: &str) -> String {
    let Conflict { path, first, second, joined } = conflict;
    format!("`{path}` is {first} in other analysis types and {second} in {analysis_type}; it is taken as {joined}")
}

/// Applies the overrides to the derived properties. If the result is no valid mapping, they are left out.
fn with_overrides(
    derived: Map<String, Value>,
    over: Option<&Map<String, Value>>,
    notes: &mut Vec<String>,
) -> (Map<String, Value>, IndexMapping) {
    if let Some(over) = over {
        let mut properties = derived.clone();
        overlay(&mut properties, over);
        match IndexMapping::parse(&json!({"properties": properties})) {
            Ok(mapping) => return (properties, mapping),
            Err(errors) => notes.extend(errors.iter().map(|error| format!("`mapping` is left out: {error}"))),
        }
    }
    let mapping = IndexMapping::parse(&json!({"properties": derived})).unwrap_or_else(|_| IndexMapping::empty());
    (derived, mapping)
}
