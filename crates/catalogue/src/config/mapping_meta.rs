//! Display configuration in the mapping of an index (`_meta.cantata`), for what the files do not configure.
//!
//! Mapping derivation knows titles and values that the mapping itself cannot hold. The files take precedence: for whole
//! sections, and for single entries of `extended`, of which only `isArray` and `description` are completed.

use std::collections::HashSet;

use cantata_mapping::IndexMapping;
use serde_json::Value;

use super::merge::KeyOrigins;
use super::reader::{ConfigReader, ConfigSection};
use super::{CatalogueConfig, extended, facets, table};
use crate::problem::{ConfigProblem, MAPPING, Severity};

/// The path of the sections in the mapping, with which keys of problems begin.
const META: &str = "_meta";
const SECTIONS: &str = "cantata";

impl CatalogueConfig {
    /// Returns the configuration completed from the mapping, and the problems of that.
    pub(crate) fn with_mapping_meta(&self, mapping: &IndexMapping) -> (Self, Vec<ConfigProblem>) {
        let mut completed = self.clone();
        let Some(Value::Object(object)) = mapping.meta().get(SECTIONS) else { return (completed, Vec::new()) };
        completed.origins.record(META, MAPPING);
        let origins = KeyOrigins::of(MAPPING);
        let mut reader = ConfigReader { origins: &origins, problems: Vec::new() };
        let root = ConfigSection { object, key: format!("{META}.{SECTIONS}") };
        let known: HashSet<&str> = self.extended.iter().map(|entry| entry.field_name.as_str()).collect();
        let entries = extended::read(&mut reader, &root);
        for entry in &mut completed.extended {
            if let Some(brought) = entries.iter().find(|brought| brought.field_name == entry.field_name) {
                entry.is_array = entry.is_array.or(brought.is_array);
                entry.description = entry.description.take().or_else(|| brought.description.clone());
            }
        }
        completed.extended.extend(entries.into_iter().filter(|entry| !known.contains(entry.field_name.as_str())));
        completed.facets = self.facets.clone().or_else(|| facets::read(&mut reader, &root));
        let table = table::read(&mut reader, &root);
        completed.table.columns = self.table.columns.clone().or(table.columns);
        if let (None, Some(name)) = (&self.table.row_id_field_name, table.row_id_field_name) {
            completed.row_id_field_name = name;
        }
        let warning = |problem| ConfigProblem { severity: Severity::Warning, ..problem };
        (completed, reader.problems.into_iter().map(warning).collect())
    }

    /// Returns the sections that the files lack.
    pub(crate) fn missing_sections(&self) -> Vec<&'static str> {
        let sections = [
            ("extended", self.extended.is_empty()),
            ("facets", self.facets.is_none()),
            ("table", self.table.columns.is_none()),
        ];
        sections.into_iter().filter(|(_, is_missing)| *is_missing).map(|(name, _)| name).collect()
    }
}
