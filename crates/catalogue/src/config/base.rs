//! Limits, feature flags and the index of saved sets.

use serde::Serialize;

use super::reader::{ConfigReader, ConfigSection};

/// The limits of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestLimits {
    /// The number of aliases in a document (`maxAliases`).
    pub max_aliases: usize,
    /// The depth of selections (`maxDepth`).
    pub max_depth: usize,
    /// The estimated cost of a request (`maxCost`).
    pub max_cost: u64,
    /// The size of a response (`maxResponseBytes`).
    pub max_response_bytes: u64,
    /// The number of hits in a page (`table.maxResultsWindow`).
    pub max_results_window: u64,
    /// The number of patterns in a filter (`maxPatterns`).
    #[serde(skip)]
    pub max_patterns: usize,
}

impl Default for RequestLimits {
    fn default() -> Self {
        Self {
            max_aliases: 15,
            max_depth: 7,
            max_cost: 10_000_000,
            max_response_bytes: 256 << 20,
            max_results_window: 10_000,
            max_patterns: 1000,
        }
    }
}

/// Which features are on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FeatureFlags {
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

/// Where saved sets are stored, and how many of them without an owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetsConfig {
    /// The index of the sets.
    pub index: String,
    /// The name of their type.
    pub type_name: String,
    /// How many sets of the index may have been saved without a credential (`sets.maxAnonymous`).
    pub max_anonymous: u64,
    /// How many bytes these may have together (`sets.maxAnonymousBytes`).
    pub max_anonymous_bytes: u64,
}

impl Default for SetsConfig {
    fn default() -> Self {
        Self {
            index: "arranger-sets".to_owned(),
            type_name: "arranger-sets".to_owned(),
            max_anonymous: 10_000,
            max_anonymous_bytes: 1 << 30,
        }
    }
}

impl RequestLimits {
    pub(super) fn read(reader: &mut ConfigReader<'_>, root: &ConfigSection<'_>, defaults: Self) -> Self {
        let read = |found: Option<u32>, default: usize| found.and_then(|n| usize::try_from(n).ok()).unwrap_or(default);
        Self {
            max_aliases: read(reader.count(root, "maxAliases", 0), defaults.max_aliases),
            max_depth: read(reader.count(root, "maxDepth", 1), defaults.max_depth),
            max_cost: reader.count(root, "maxCost", 1).map_or(defaults.max_cost, u64::from),
            max_response_bytes: reader
                .count(root, "maxResponseBytes", 1)
                .map_or(defaults.max_response_bytes, u64::from),
            max_results_window: defaults.max_results_window,
            max_patterns: read(reader.count(root, "maxPatterns", 0), defaults.max_patterns),
        }
    }
}

impl FeatureFlags {
    pub(super) fn read(reader: &mut ConfigReader<'_>, root: &ConfigSection<'_>, defaults: Self) -> Self {
        let mut flag = |name: &str, default: bool| reader.flag(root, name).unwrap_or(default);
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

impl SetsConfig {
    pub(super) fn read<'a>(reader: &mut ConfigReader<'a>, root: &ConfigSection<'a>, defaults: &Self) -> Self {
        let Some(section) = reader.section(root, "sets") else { return defaults.clone() };
        reader.warn_unknown(&section, &["index", "type", "maxAnonymous", "maxAnonymousBytes"]);
        Self {
            index: reader.filled_text(&section, "index").unwrap_or_else(|| defaults.index.clone()),
            type_name: reader.filled_text(&section, "type").unwrap_or_else(|| defaults.type_name.clone()),
            max_anonymous: reader.count(&section, "maxAnonymous", 0).map_or(defaults.max_anonymous, u64::from),
            max_anonymous_bytes: reader
                .count(&section, "maxAnonymousBytes", 0)
                .map_or(defaults.max_anonymous_bytes, u64::from),
        }
    }
}
