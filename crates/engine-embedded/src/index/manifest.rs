//! What an index consists of, in one small file that is replaced as a whole.
//!
//! Whatever the manifest does not name is not part of the index: files left behind by a crash are removed when the
//! index is opened.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use cantata_durable_file as durable_file;
use cantata_mapping::{IndexMapping, MappingError};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::log;

/// The name of the file.
const FILE: &str = "manifest.json";

/// The form of the files that this version reads and writes.
const FORMAT: u32 = 2;

/// What an index consists of.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Manifest {
    format: u32,
    /// The mapping beside its properties, such as `dynamic`.
    settings: Map<String, Value>,
    /// The properties of the mapping.
    properties: Map<String, Value>,
    pub(crate) segments: Vec<SegmentRecord>,
    /// The number of the first log whose entries come on top of the segments; those with higher numbers come after it.
    pub(crate) log: u64,
    /// The number that the next file gets.
    pub(crate) next_file: u64,
    /// How far the files of unfinished imports were taken in.
    #[serde(default)]
    pub(crate) imports: BTreeMap<String, u64>,
    /// How far the source of the documents has been read, where its writer notes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) position: Option<String>,
}

/// A segment and what is deleted in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SegmentRecord {
    pub(crate) file: String,
    /// The file with the documents that are still there; nothing: all are.
    pub(crate) live: Option<String>,
}

impl Manifest {
    /// Returns the manifest of a new index with a mapping in any form the engines use.
    pub(crate) fn new(mapping: Option<&Value>) -> Result<Self, String> {
        let parsed = mapping.map_or_else(|| Ok(IndexMapping::empty()), read_mapping)?;
        let mut manifest = Self {
            format: FORMAT,
            settings: mapping.map(settings_of).unwrap_or_default(),
            properties: Map::new(),
            segments: Vec::new(),
            log: 0,
            next_file: 1,
            imports: BTreeMap::new(),
            position: None,
        };
        manifest.set_mapping(&parsed);
        Ok(manifest)
    }

    /// Reads the manifest of a folder.
    pub(crate) fn read(folder: &Path) -> Result<Self, String> {
        let bytes = fs_err::read(folder.join(FILE)).map_err(|error| format!("its manifest cannot be read: {error}"))?;
        let manifest: Self =
            serde_json::from_slice(&bytes).map_err(|error| format!("its manifest is not as expected: {error}"))?;
        if manifest.format != FORMAT {
            return Err(format!(
                "its files have the form {}, and this version reads {FORMAT}; import the documents again",
                manifest.format
            ));
        }
        Ok(manifest)
    }

    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        let (name, text) = self.written()?;
        durable_file::replace(&folder.join(name), &text)
    }

    /// Returns the name of the file, and what is in it.
    pub(crate) fn written(&self) -> serde_json::Result<(&'static str, Vec<u8>)> {
        Ok((FILE, serde_json::to_vec_pretty(self)?))
    }

    /// Returns whether a file of the folder is part of the index.
    pub(crate) fn names(&self, file: &str) -> bool {
        let of_segments =
            self.segments.iter().any(|segment| segment.file == file || segment.live.as_deref() == Some(file));
        of_segments || file == FILE || log::number_of(file).is_some_and(|number| number >= self.log)
    }

    /// Removes the files of a folder that are not part of the index, and will not be when they are finished.
    pub(crate) fn remove_leftovers(&self, folder: &Path, unfinished: &BTreeSet<String>) -> io::Result<()> {
        let is_left_over = |name: &str| !self.names(name) && !unfinished.contains(name);
        for entry in fs_err::read_dir(folder)? {
            let entry = entry?;
            if entry.file_name().to_str().is_some_and(is_left_over) && entry.file_type()?.is_file() {
                fs_err::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    pub(crate) fn mapping(&self) -> Result<IndexMapping, String> {
        let mut mapping = self.settings.clone();
        mapping.insert("properties".to_owned(), Value::Object(self.properties.clone()));
        read_mapping(&Value::Object(mapping))
    }

    /// Adds the fields of another mapping, and takes over what it says beside them.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or has fields with other types; the manifest is then as before.
    pub(crate) fn extend(&mut self, mapping: &Value) -> Result<IndexMapping, String> {
        let mut merged = self.mapping()?;
        merged.merge(&read_mapping(mapping)?).map_err(|errors| listed(&errors))?;
        let mut extended = self.clone();
        extended.settings.extend(settings_of(mapping));
        extended.set_mapping(&merged);
        let merged = extended.mapping()?;
        *self = extended;
        Ok(merged)
    }

    pub(crate) fn set_mapping(&mut self, mapping: &IndexMapping) {
        self.properties = mapping.raw().clone();
    }

    /// Returns the number of a new file.
    pub(crate) fn new_file(&mut self) -> u64 {
        self.next_file += 1;
        self.next_file - 1
    }
}

fn read_mapping(mapping: &Value) -> Result<IndexMapping, String> {
    IndexMapping::parse(mapping).map_err(|errors| listed(&errors))
}

fn listed(errors: &[MappingError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// Returns what a mapping says beside its properties.
fn settings_of(mapping: &Value) -> Map<String, Value> {
    let Some(object) = mapping.as_object() else { return Map::new() };
    if let Some(inner) = object.get("mappings") {
        return settings_of(inner);
    }
    // The answer to a question for the mapping names the index around it.
    let answers = object.values().find(|value| value.get("mappings").is_some());
    match answers {
        Some(answer) if !object.contains_key("properties") => settings_of(answer),
        _ => object
            .iter()
            .filter(|(key, _)| *key != "properties")
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect(),
    }
}
