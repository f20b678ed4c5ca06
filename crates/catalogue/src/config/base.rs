//! What `base.json` says: which index, under which name, within which limits.

use serde::Serialize;

use super::reader::{Reader, Section};

/// What a request may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// How many fields of a document may have an alias (`maxAliases`).
    pub max_aliases: usize,
    /// How deep selections may lie in one another (`maxDepth`).
    pub max_depth: usize,
    /// How much a request may cost (`maxCost`).
    pub max_cost: u64,
    /// How many bytes an answer may have (`maxResponseBytes`).
    pub max_response_bytes: u64,
    /// How many hits one page may have (`table.maxResultsWindow`).
    pub max_results_window: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_aliases: 15,
            max_depth: 7,
            max_cost: 10_000_000,
            max_response_bytes: 256 << 20,
            max_results_window: 10_000,
        }
    }
}

/// What is switched on and off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flags {
    /// No exports (`disableDownloads`).
    pub disable_downloads: bool,
    /// No filters from clients (`disableFilters`).
    pub disable_filters: bool,
    /// No `__schema` and `__type` in GraphQL (`disableGraphQLIntrospection`).
    pub disable_introspection: bool,
    /// No page for browsers at the GraphQL address (`disablePlayground`).
    pub disable_playground: bool,
    /// Several GraphQL requests in one body (`enableGraphQLBatching`).
    pub enable_batching: bool,
    /// Saved sets (`enableSets`).
    pub enable_sets: bool,
    /// Administration (`enableAdmin`).
    pub enable_admin: bool,
    /// More in the log (`enableDebug`).
    pub enable_debug: bool,
}

/// Where saved sets are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sets {
    /// The index of the sets.
    pub index: String,
    /// The name of their type.
    pub type_name: String,
}

impl Default for Sets {
    fn default() -> Self {
        Self { index: "arranger-sets".to_owned(), type_name: "arranger-sets".to_owned() }
    }
}

impl Limits {
    pub(super) fn read(reader: &mut Reader<'_>, whole: &Section<'_>, defaults: Self) -> Self {
        let read = |found: Option<u32>, default: usize| found.and_then(|n| usize::try_from(n).ok()).unwrap_or(default);
        Self {
            max_aliases: read(reader.count(whole, "maxAliases", 0), defaults.max_aliases),
            max_depth: read(reader.count(whole, "maxDepth", 1), defaults.max_depth),
            max_cost: reader.count(whole, "maxCost", 1).map_or(defaults.max_cost, u64::from),
            max_response_bytes: reader
                .count(whole, "maxResponseBytes", 1)
                .map_or(defaults.max_response_bytes, u64::from),
            max_results_window: defaults.max_results_window,
        }
    }
}

impl Flags {
    pub(super) fn read(reader: &mut Reader<'_>, whole: &Section<'_>, defaults: Self) -> Self {
        let mut flag = |name: &str, default: bool| reader.flag(whole, name).unwrap_or(default);
        Self {
            disable_downloads: flag("disableDownloads", defaults.disable_downloads),
            disable_filters: flag("disableFilters", defaults.disable_filters),
            disable_introspection: flag("disableGraphQLIntrospection", defaults.disable_introspection),
            disable_playground: flag("disablePlayground", defaults.disable_playground),
            enable_batching: flag("enableGraphQLBatching", defaults.enable_batching),
            enable_sets: flag("enableSets", defaults.enable_sets),
            enable_admin: flag("enableAdmin", defaults.enable_admin),
            enable_debug: flag("enableDebug", defaults.enable_debug),
        }
    }
}

impl Sets {
    pub(super) fn read<'a>(reader: &mut Reader<'a>, whole: &Section<'a>, defaults: &Self) -> Self {
        let Some(section) = reader.section(whole, "sets") else { return defaults.clone() };
        reader.refuse_unknown(&section, &["index", "type"]);
        Self {
            index: reader.filled_text(&section, "index").unwrap_or_else(|| defaults.index.clone()),
            type_name: reader.filled_text(&section, "type").unwrap_or_else(|| defaults.type_name.clone()),
        }
    }
}
