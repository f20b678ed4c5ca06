//! What portals are told: how fields are called and shown, which facets and columns there are.
//!
//! Everything is complete: what the files do not say follows from the mapping, and whole sections that they lack are
//! generated. Entries for fields that the index does not have are left out, since a portal puts names into requests
//! and one wrong name would fail them all.

mod extended;
mod facets;
mod matchbox;
mod table;

use cantata_mapping::IndexMapping;
use serde::Serialize;
use serde_json::{Map, Value, json};

pub use extended::ExtendedField;
pub use facets::{Facet, Facets};
pub use matchbox::Matchbox;
pub use table::{Column, Sorting, Table};

use crate::config::CatalogueConfig;
use crate::field_tree::Level;
use crate::problem::ConfigProblem;

/// How many facets and columns are generated.
const GENERATED: usize = 10;

/// What portals are told.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Display {
    /// What charts ask for.
    pub charts: Value,
    /// How much an export gives.
    pub downloads: DownloadsDisplay,
    /// Every field.
    pub extended: Vec<ExtendedField>,
    /// The facets.
    pub facets: Facets,
    /// The fields in which a list of names is looked up.
    pub matchbox: Vec<Matchbox>,
    /// The table.
    pub table: Table,
    /// The sections that the files lack and that were generated, here or with the mapping.
    #[serde(skip)]
    pub generated: Vec<&'static str>,
}

/// How much an export gives, as portals are told it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DownloadsDisplay {
    /// Whether a request may ask for another number of rows.
    pub allow_custom_max_rows: bool,
    /// How many rows an export has at most; 0 for all.
    pub max_rows: u64,
}

/// What the sections are made of.
struct Source<'a> {
    config: &'a CatalogueConfig,
    mapping: &'a IndexMapping,
    root: &'a Level,
    warnings: &'a mut Vec<ConfigProblem>,
}

impl Source<'_> {
    /// Returns the dotted path of a field that the files name by it or by its flat form; reports a name of no field.
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

impl Display {
    pub(crate) fn build(
        config: &CatalogueConfig,
        generated: Vec<&'static str>,
        mapping: &IndexMapping,
        root: &Level,
        warnings: &mut Vec<ConfigProblem>,
    ) -> Self {
        let mut source = Source { config, mapping, root, warnings };
        let extended = extended::build(&mut source);
        let facets = facets::build(&mut source, &extended);
        let table = table::build(&mut source, &extended);
        let matchbox = matchbox::build(&mut source);
        Self {
            charts: config.charts.clone().map_or_else(|| json!({ "query": "" }), |charts: Map<_, _>| charts.into()),
            downloads: DownloadsDisplay {
                allow_custom_max_rows: config.downloads.allow_custom_max_rows,
                max_rows: config.downloads.max_rows,
            },
            extended,
            facets,
            matchbox,
            table,
            generated,
        }
    }

    /// Returns what is told of a field.
    pub fn field(&self, path: &str) -> Option<&ExtendedField> {
        self.extended.iter().find(|field| field.field_name == path)
    }

    /// Returns what is told of some fields, which may be named by path or flat; of all if none are named.
    pub fn extended_of<'d>(&'d self, names: Option<&'d [String]>) -> impl Iterator<Item = &'d ExtendedField> {
        self.extended.iter().filter(move |field| {
            names.is_none_or(|names| names.iter().any(|name| *name == field.field_name || *name == field.flat_name))
        })
    }
}
