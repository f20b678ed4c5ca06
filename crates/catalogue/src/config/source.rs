//! What `source.json` says: of which analyses the documents are made, and how.
//!
//! An unknown key is an error here, as it is for access rules: a filter that is misspelt would put more into the index
//! than is meant.

mod document;
mod song;

use cantata_core::AnalysisState;
use cantata_mapping::IndexMapping;
use serde_json::{Map, Value};

use super::reader::{Reader, Section};
use crate::problem::describe;
use crate::source::{SourceConfig, SourceOrigin, TypeSelection};

/// The key of the source.
pub(super) const SOURCE: &str = "source";

const KEYS: [&str; 6] = ["analysisTypes", "document", "mapping", "song", "states", "studies"];

/// Reads the source; nothing if there is none, or if something is wrong with it.
pub(super) fn read<'a>(reader: &mut Reader<'a>, whole: &Section<'a>) -> Option<SourceConfig> {
    let source = reader.section(whole, SOURCE)?;
    reader.only(&source, &KEYS);
    let origin = match reader.section(&source, "song") {
        Some(song) => song::read(reader, &song).map(|song| SourceOrigin::Song(Box::new(song))),
        None => Some(SourceOrigin::Here),
    };
    let studies = names(reader, &source, "studies", "a list of study ids, at least one");
    let states = states(reader, &source);
    let analysis_types = analysis_types(reader, &source);
    let document = document::read(reader, &source);
    let mapping = mapping(reader, &source);
    Some(SourceConfig { origin: origin?, studies, states, analysis_types, document: document?, mapping })
}

/// Reads a list of texts, if there is one; an empty list would take nothing at all.
fn names(reader: &mut Reader<'_>, section: &Section<'_>, name: &str, expected: &str) -> Option<Vec<String>> {
    section.object.get(name).filter(|value| !value.is_null())?;
    reader.filled_texts(section, name, expected)
}

fn states(reader: &mut Reader<'_>, source: &Section<'_>) -> Vec<AnalysisState> {
    let expected = "a list of PUBLISHED, UNPUBLISHED and SUPPRESSED, at least one of them";
    let Some(texts) = names(reader, source, "states", expected) else { return vec![AnalysisState::Published] };
    let mut states = Vec::new();
    for (place, text) in texts.iter().enumerate() {
        match AnalysisState::parse(text) {
            Some(state) => states.push(state),
            None => reader.fail(format!("{}[{place}]", source.key_of("states")), format!("{text:?}"), expected),
        }
    }
    states
}

fn analysis_types(reader: &mut Reader<'_>, source: &Section<'_>) -> Option<Vec<TypeSelection>> {
    const EXPECTED: &str = "a list of names, or of objects such as {\"name\": \"variantCall\", \"versions\": [1]}";
    let value = source.object.get("analysisTypes").filter(|value| !value.is_null())?;
    let key = source.key_of("analysisTypes");
    let Some(items) = value.as_array().filter(|items| !items.is_empty()) else {
        let found = if value.is_array() { "an empty list".to_owned() } else { describe(value) };
        reader.fail(key, found, EXPECTED);
        return None;
    };
    let mut selections = Vec::new();
    for (place, item) in items.iter().enumerate() {
        let key = format!("{key}[{place}]");
        match item {
            Value::String(name) if !name.trim().is_empty() => {
                selections.push(TypeSelection { name: name.clone(), versions: None });
            }
            Value::Object(object) => selections.extend(type_selection(reader, &Section { object, key })),
            other => reader.fail(key, describe(other), EXPECTED),
        }
    }
    Some(selections)
}

fn type_selection(reader: &mut Reader<'_>, section: &Section<'_>) -> Option<TypeSelection> {
    reader.only(section, &["name", "versions"]);
    let name = reader.required_text(section, "name", "the name of an analysis type");
    let versions = match section.object.get("versions") {
        None | Some(Value::Null) => None,
        Some(value) => {
            let numbers: Option<Vec<u32>> = value.as_array().filter(|items| !items.is_empty()).and_then(|items| {
                items.iter().map(|item| item.as_u64().and_then(|number| u32::try_from(number).ok())).collect()
            });
            if numbers.is_none() {
                reader.fail(section.key_of("versions"), describe(value), "a list of version numbers, at least one");
            }
            Some(numbers?)
        }
    };
    Some(TypeSelection { name: name?, versions })
}

/// Reads what is laid over the derived mapping: properties, each with a whole definition.
fn mapping(reader: &mut Reader<'_>, source: &Section<'_>) -> Option<Map<String, Value>> {
    const EXPECTED: &str = "an object such as {\"properties\": {\"info\": {\"type\": \"flattened\"}}}";
    let mapping = source.object.get("mapping").filter(|value| !value.is_null())?;
    let key = source.key_of("mapping");
    let properties = mapping.as_object().filter(|object| object.len() == 1).and_then(|object| object.get("properties"));
    let Some(properties) = properties.and_then(Value::as_object) else {
        let found =
            if mapping.is_object() { "something else than `properties` alone".to_owned() } else { describe(mapping) };
        reader.fail(key, found, EXPECTED);
        return None;
    };
    if let Err(errors) = IndexMapping::parse(mapping) {
        for error in errors {
            reader.fail(key.clone(), error.to_string(), "definitions as in the mapping of an index");
        }
        return None;
    }
    Some(properties.clone())
}
