//! The key `document`: a shape by name, or paths.

use std::collections::BTreeMap;

use cantata_mapping::describe;
use serde_json::Value;
use serde_json_path::{JsonPath, ParseError};

use crate::config::reader::{ConfigReader, ConfigSection};
use crate::source::{DocumentPaths, DocumentShape, ValuePath};

const SHAPES: &str = "\"file-centric\", \"analysis-centric\", or an object with `id`, `fields` and perhaps `each`";

const PATH: &str = "a JSON path such as $.studyId, or @.fileName from what `each` finds";

/// The field that every document built by paths has in addition, to find those of an analysis.
const ANALYSIS_ID: &str = "analysisId";

/// Reads the shape, which is required.
pub(super) fn read(reader: &mut ConfigReader<'_>, source: &ConfigSection<'_>) -> Option<DocumentShape> {
    let key = source.key_of("document");
    match source.object.get("document") {
        Some(Value::String(name)) if name == "file-centric" => Some(DocumentShape::FileCentric),
        Some(Value::String(name)) if name == "analysis-centric" => Some(DocumentShape::AnalysisCentric),
        Some(Value::Object(object)) => {
            paths(reader, &ConfigSection { object, key }).map(|paths| DocumentShape::Paths(Box::new(paths)))
        }
        found => {
            let found = found.filter(|value| !value.is_null()).map_or_else(|| "nothing".to_owned(), describe);
            reader.fail(key, found, SHAPES);
            None
        }
    }
}

fn paths(reader: &mut ConfigReader<'_>, section: &ConfigSection<'_>) -> Option<DocumentPaths> {
    reader.reject_unknown(section, &["each", "fields", "id"]);
    let each = match reader.text(section, "each") {
        Some(text) => {
            let path = JsonPath::parse(text.trim());
            Some(parsed(reader, section.key_of("each"), &text, path, "a JSON path such as $.files[*]")?)
        }
        None => None,
    };
    let id = reader.required_text(section, "id", PATH);
    let id = id.and_then(|text| parsed(reader, section.key_of("id"), &text, ValuePath::parse(&text), PATH));
    let Some(object) = section.object.get("fields").and_then(Value::as_object).filter(|fields| !fields.is_empty())
    else {
        let found = section.object.get("fields").map_or_else(|| "nothing".to_owned(), describe);
        reader.fail(section.key_of("fields"), found, "an object of dotted paths and JSON paths, at least one");
        return None;
    };
    let listed = ConfigSection { object, key: section.key_of("fields") };
    let mut fields = BTreeMap::new();
    for (name, value) in object {
        let key = listed.key_of(name);
        let Some(text) = value.as_str() else {
            reader.fail(key, describe(value), PATH);
            continue;
        };
        if let Some(expected) = misnamed(name) {
            reader.fail(key, format!("the name {name:?}"), expected);
            continue;
        }
        if let Some(path) = parsed(reader, key, text, ValuePath::parse(text), PATH) {
            fields.insert(name.clone(), path);
        }
    }
    for name in fields.keys() {
        if let Some(around) = name.match_indices('.').map(|(dot, _)| &name[..dot]).find(|at| fields.contains_key(*at)) {
            reader.fail(listed.key_of(name), format!("a field in the field {around:?}"), "one of the two");
        }
    }
    Some(DocumentPaths { each, id: id?, fields })
}

/// Returns a parsed path; reports a text that is none.
fn parsed<P>(
    reader: &mut ConfigReader<'_>,
    key: String,
    text: &str,
    path: Result<P, ParseError>,
    expected: &str,
) -> Option<P> {
    path.map_err(|error| reader.fail(key, format!("{text:?}: {error}"), expected)).ok()
}

/// Returns what was expected instead of an invalid field name.
fn misnamed(name: &str) -> Option<&'static str> {
    if name.split('.').any(str::is_empty) {
        return Some("names with single dots between them");
    }
    if name.starts_with('_') {
        return Some("a name without an underscore in front; such names belong to the engines");
    }
    let top = name.split('.').next().unwrap_or_default();
    (top == ANALYSIS_ID).then_some("another name; every document has the id of its analysis there")
}
