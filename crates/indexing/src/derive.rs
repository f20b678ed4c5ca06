//! Index mappings and display configuration out of the JSON Schemas of analysis types.
//!
//! ```text
//! types ── schema ──► fields of an analysis ── documents ──► fields of a document ─┬─ render ──► mapping
//!                                                                                  └─ display ─► `_meta`
//! ```
//!
//! The types are joined in the order of their names and versions, whenever they were registered. Where they disagree the
//! wider kind is taken and told. Whatever the schemas are, the outcome is a mapping that every engine takes, and that
//! takes every document of a shape whose analyses follow them. Names that no schema describes are kept in documents and
//! not indexed.

mod display;
mod documents;
mod fixed;
mod node;
mod render;
mod schema;

use cantata_catalogue::{DocumentShape, SourceConfig};
use cantata_core::AnalysisType;
use cantata_mapping::IndexMapping;
use serde_json::{Map, Value, json};

use node::{Conflict, Fields};
use render::{Renderer, overlay};
use schema::SchemaReader;

/// The names that engines keep at the top of a document for themselves.
const OF_ENGINES: [&str; 12] = [
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

/// A mapping, and what is to be told of how it came about.
#[derive(Debug, Clone, PartialEq)]
pub struct Derived {
    /// The mapping of the index, with generated `extended`, `facets` and `table` in `_meta.cantata`.
    pub mapping: Value,
    /// Where types disagree and what was left out, for people.
    pub notes: Vec<String>,
}

/// Derives the mapping of a source's documents from all versions of all analysis types; those that the source does not
/// take are passed over.
pub fn derive(source: &SourceConfig, types: &[AnalysisType]) -> Derived {
    let mut notes = Vec::new();
    let analysis = fixed::analysis(data(source, types, &mut notes));
    let mut fields = documents::fields(&source.document, analysis, &mut notes);
    if source.document == DocumentShape::AnalysisCentric {
        fields.0.retain(|(name, _)| !OF_ENGINES.contains(&name.as_str()));
    }
    let mut renderer = Renderer::default();
    let derived = renderer.properties(&fields, "");
    notes.append(&mut renderer.notes);
    let (properties, mapping) = overlaid(derived, source.mapping.as_ref(), &mut notes);
    let sections = display::sections(&fields, &mapping, &source.document);
    let mapping = json!({"dynamic": false, "properties": properties, "_meta": {"cantata": sections}});
    Derived { mapping, notes }
}

/// Returns what the types say of the data of an analysis.
fn data(source: &SourceConfig, types: &[AnalysisType], notes: &mut Vec<String>) -> Fields {
    let mut taken: Vec<&AnalysisType> =
        types.iter().filter(|one| source.takes_type(&one.id.name, one.id.version)).collect();
    taken.sort_by(|one, two| (&one.id.name, one.id.version).cmp(&(&two.id.name, two.id.version)));
    let mut data = Fields::default();
    for analysis_type in taken {
        let document = cantata_schema::render(&analysis_type.schema);
        let Some(properties) = analysis_type.schema.get("properties").and_then(Value::as_object) else { continue };
        let mut fields = SchemaReader::new(&document).fields(properties, 2);
        fields.0.retain(|(name, _)| !fixed::is_fixed(name));
        let mut conflicts = Vec::new();
        data.join(fields, "", &mut conflicts);
        notes.extend(conflicts.iter().map(|conflict| told(conflict, &analysis_type.id.to_string())));
    }
    data
}

fn told(conflict: &Conflict, analysis_type: &str) -> String {
    let Conflict { path, first, second, taken } = conflict;
    format!("`{path}` is {first} in other analysis types and {second} in {analysis_type}; it is taken as {taken}")
}

/// Lays the override over what was derived. One that does not go with it is left out.
fn overlaid(
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
