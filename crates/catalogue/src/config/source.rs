//! The section `source`: the analyses that documents are built from, and how.
//!
//! An unknown key is an error, as in access rules: a misspelt filter would index more than intended.

mod document;
mod song;

use cantata_core::AnalysisState;
use cantata_mapping::{IndexMapping, describe};
use serde_json::{Map, Value};

use super::reader::{ConfigReader, ConfigSection};
use crate::source::{SourceConfig, SourceOrigin, TypeSelection};

/// The key of the source.
pub(super) const SOURCE: &str = "source";

const KEYS: [&str; 6] = ["analysisTypes", "document", "mapping", "song", "states", "studies"];

/// Reads the source; `None` if there is none, or if it is invalid.
pub(super) fn read<'a>(reader: &mut ConfigReader<'a>, root: &ConfigSection<'a>) -> Option<SourceConfig> {
    let source = reader.section(root, SOURCE)?;
    reader.reject_unknown(&source, &KEYS);
    let origin = match reader.section(&source, "song") {
        Some(song) => song::read(reader, &song).map(|song| SourceOrigin::Song(Box::new(song))),
        None => Some(SourceOrigin::Local),
    };
    let studies = names(reader, &source, "studies", "a list of study ids, at least one");
    let states = states(reader, &source);
    let analysis_types = analysis_types(reader, &source);
    let document = document::read(reader, &source);
    let mapping = mapping(reader, &source);
    Some(SourceConfig { origin: origin?, studies, states, analysis_types, document: document?, mapping })
}

/// Reads an optional list of texts, which must not be empty.
fn names(
    reader: &mut ConfigReader<'_>,
    section: &ConfigSection<'_>,
    name: &str,
    expected: &str,
) -> Option<Vec<String>> {
    section.object.get(name).filter(|value| !value.is_null())?;
    reader.filled_texts(section, name, expected)
}

fn states(reader: &mut ConfigReader<'_>, source: &ConfigSection<'_>) -> Vec<AnalysisState> {
    let expected = "a list of PUBLISHED, UNPUBLISHED and SUPPRESSED, at least one of them";
    let Some(texts) = names(reader, source, "states", expected) else { return vec![AnalysisState::Published] };
    let mut states = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        match AnalysisState::parse(text) {
            Some(state) => states.push(state),
            None => reader.fail(format!("{}[{index}]", source.key_of("states")), format!("{text:?}"), expected),
        }
    }
    states
}

fn analysis_types(reader: &mut ConfigReader<'_>, source: &ConfigSection<'_>) -> Option<Vec<TypeSelection>> {
    const EXPECTED: &str = "a list of names, or of objects such as {\"name\": \"variantCall\", \"versions\": [1]}";
    let value = source.object.get("analysisTypes").filter(|value| !value.is_null())?;
    let key = source.key_of("analysisTypes");
    let Some(items) = value.as_array().filter(|items| !items.is_empty()) else {
        let found = if value.is_array() { "an empty list".to_owned() } else { describe(value) };
        reader.fail(key, found, EXPECTED);
        return None;
    };
    let mut selections = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let key = format!("{key}[{index}]");
        match item {
            Value::String(name) if !name.trim().is_empty() => {
                selections.push(TypeSelection { name: name.clone(), versions: None });
            }
            Value::Object(object) => selections.extend(type_selection(reader, &ConfigSection { object, key })),
            other => reader.fail(key, describe(other), EXPECTED),
        }
    }
    Some(selections)
}

fn type_selection(reader: &mut ConfigReader<'_>, section: &ConfigSection<'_>) -> Option<TypeSelection> {
    reader.reject_unknown(section, &["name", "versions"]);
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

/// Reads the overrides of the derived mapping: properties with complete definitions.
fn mapping(reader: &mut ConfigReader<'_>, source: &ConfigSection<'_>) -> Option<Map<String, Value>> {
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
