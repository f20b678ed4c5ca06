//! What an index brings along of how it is to be shown (`_meta.cantata` in its mapping), where the files say nothing.
//!
//! Whoever derives a mapping knows titles and values that the mapping itself has no place for. What the files say always
//! counts: a section of theirs as a whole, of single fields each entry.

use std::collections::HashSet;

use cantata_mapping::IndexMapping;
use serde_json::Value;

use super::merge::Origins;
use super::reader::{Reader, Section};
use super::{CatalogueConfig, extended, facets, table};
use crate::problem::{ConfigProblem, MAPPING, Severity};

/// Where a mapping has the sections; keys of problems begin with it.
const META: &str = "_meta";
const SECTIONS: &str = "cantata";

impl CatalogueConfig {
    /// Returns the configuration with what the index brings along, and what is wrong with that.
    pub(crate) fn completed(&self, mapping: &IndexMapping) -> (Self, Vec<ConfigProblem>) {
        let mut completed = self.clone();
        let Some(Value::Object(object)) = mapping.meta().get(SECTIONS) else { return (completed, Vec::new()) };
        completed.origins.note(META, MAPPING);
        let origins = Origins::of(MAPPING);
        let mut reader = Reader { origins: &origins, problems: Vec::new() };
        let whole = Section { object, key: format!("{META}.{SECTIONS}") };
        let known: HashSet<&str> = self.extended.iter().map(|entry| entry.field_name.as_str()).collect();
        let entries = extended::read(&mut reader, &whole);
        completed.extended.extend(entries.into_iter().filter(|entry| !known.contains(entry.field_name.as_str())));
        completed.facets = self.facets.clone().or_else(|| facets::read(&mut reader, &whole));
        let table = table::read(&mut reader, &whole);
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
