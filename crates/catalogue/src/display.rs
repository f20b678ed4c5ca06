//! Display configuration for portals: names and formats of fields, facets and columns.
//!
//! It is complete: what the files do not configure follows from the mapping, and missing sections are generated.
//! Entries for fields that the index does not have are left out, since portals put the names into requests, which one
//! unknown name would fail.

mod choice;
mod extended;
mod facets;
mod matchbox;
mod table;

use cantata_mapping::IndexMapping;
use serde::Serialize;
use serde_json::{Map, Value, json};

pub use extended::ExtendedField;
pub use facets::FacetsDisplay;
pub use table::{ColumnDisplay, TableDisplay};

pub(crate) use choice::is_sortable;

use self::choice::FieldKnowledge;
use crate::config::{CatalogueConfig, DownloadConfig, MatchboxEntry};
use crate::field_tree::FieldLevel;
use crate::problem::ConfigProblem;

/// The limit of generated facets and of generated columns.
const MAX_GENERATED_ENTRIES: usize = 10;

/// The display configuration of a catalogue.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DisplayConfig {
    /// The configuration of charts.
    pub charts: Value,
    /// The limits of downloads.
    pub downloads: DownloadConfig,
    /// Every field.
    pub extended: Vec<ExtendedField>,
    /// The facets.
    pub facets: FacetsDisplay,
    /// The fields in which lists of ids are looked up.
    pub matchbox: Vec<MatchboxEntry>,
    /// The table.
    pub table: TableDisplay,
    /// The sections that the files lack, which were generated here or come with the mapping.
    #[serde(skip)]
    pub generated: Vec<&'static str>,
}

/// Builds the sections.
struct DisplayBuilder<'a> {
    config: &'a CatalogueConfig,
    mapping: &'a IndexMapping,
    root: &'a FieldLevel,
    /// What is known of the values, for what is not configured.
    knowledge: Option<FieldKnowledge<'a>>,
    warnings: &'a mut Vec<ConfigProblem>,
}

impl DisplayBuilder<'_> {
    /// Resolves a dotted or flat name in the files to a dotted path; warns of an unknown field.
    fn resolve(&mut self, key: &str, name: &str) -> Option<String> {
        if self.mapping.entry(name).is_some() {
            return Some(name.to_owned());
        }
        let by_flat_name = self.root.aggregation(name).map(|field| field.path.as_str());
        let dotted = by_flat_name.map_or_else(|| name.replace("__", "."), str::to_owned);
        if self.mapping.entry(&dotted).is_some() {
            let expected = format!("the dotted path {dotted:?}");
            self.warn(key, format!("{name:?}, the older form of a name"), expected);
            return Some(dotted);
        }
        self.warn(key, format!("{name:?}, which is left out"), "a field of the index");
        None
    }

    fn warn(&mut self, key: &str, found: impl Into<String>, expected: impl Into<String>) {
        self.warnings.push(self.config.warning(key, found, expected));
    }
}

impl DisplayConfig {
    pub(crate) fn build(
        config: &CatalogueConfig,
        generated: Vec<&'static str>,
        mapping: &IndexMapping,
        root: &FieldLevel,
        warnings: &mut Vec<ConfigProblem>,
    ) -> Self {
        let knowledge = FieldKnowledge::new(config, mapping);
        let mut builder = DisplayBuilder { config, mapping, root, knowledge, warnings };
        let extended = extended::build(&mut builder);
        let facets = facets::build(&mut builder, &extended);
        let table = table::build(&mut builder, &extended);
        let matchbox = matchbox::build(&mut builder);
        Self {
            charts: config.charts.clone().map_or_else(|| json!({ "query": "" }), |charts: Map<_, _>| charts.into()),
            downloads: config.downloads.clone(),
            extended,
            facets,
            matchbox,
            table,
            generated,
        }
    }

    /// Returns the configuration of a field.
    pub fn field(&self, path: &str) -> Option<&ExtendedField> {
        self.extended.iter().find(|field| field.field_name == path)
    }

    /// Returns the configuration of fields by their dotted or flat names; of all if none are named.
    pub fn extended_of<'d>(&'d self, names: Option<&'d [String]>) -> impl Iterator<Item = &'d ExtendedField> {
        self.extended.iter().filter(move |field| {
            names.is_none_or(|names| names.iter().any(|name| *name == field.field_name || *name == field.flat_name))
        })
    }
}
