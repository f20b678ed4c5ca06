//! The configuration of a catalogue: validated, with the defaults that do not depend on a mapping.
//!
//! Each section has its own module with its keys. Reading never stops at a problem: all of them are collected, and
//! whether the catalogue can be served is decided at the end.

mod access;
mod base;
mod downloads;
mod engine;
mod extended;
mod facets;
mod list_fields;
mod mapping_meta;
mod matchbox;
mod merge;
mod network;
mod profile;
mod reader;
mod redacted;
mod source;
mod table;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value};

pub use base::{FeatureFlags, RequestLimits, SetsConfig};
pub use downloads::DownloadConfig;
pub use extended::ExtendedEntry;
pub use facets::FacetEntry;
pub use matchbox::MatchboxEntry;
pub use table::{ColumnEntry, SortingEntry, TableConfig};

pub(crate) use access::ACCESS;
pub(crate) use merge::{ConfigFile, KeyOrigins};

use crate::access::AccessRules;
use crate::defaults::ConfigDefaults;
use crate::engine_choice::EngineChoice;
use crate::network::NetworkConfig;
use crate::problem::ConfigProblem;
use crate::profile::IndexProfile;
use crate::source::SourceConfig;
use reader::{ConfigReader, ConfigSection, are_similar};

pub(crate) const FIELD_NAME: &str = "fieldName";
const FIELD_PATH: &str = "the dotted path of a field";

/// Names a configuration that is a value in place of a file.
const VALUE: &str = "configuration";

const KEYS: [&str; 36] = [
    "$schema",
    ACCESS,
    "catalogId",
    "charts",
    "description",
    "disableDownloads",
    "disableFilters",
    "disableGraphQLIntrospection",
    "disablePlayground",
    "documentType",
    "downloads",
    "enableAdmin",
    "enableDebug",
    "enableGraphQLBatching",
    "enableSets",
    "esApiKey",
    "esCaCertificate",
    "esHost",
    "esIndex",
    "esPass",
    "esTimeout",
    "esUser",
    "extended",
    "facets",
    "matchbox",
    "maxAliases",
    "maxCost",
    "maxDepth",
    "maxPatterns",
    "maxResponseBytes",
    "nestingPrefix",
    "network",
    "searchEngine",
    "sets",
    source::SOURCE,
    "table",
];

/// The configuration of one catalogue.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CatalogueConfig {
    /// The name in paths.
    pub id: String,
    /// The index or alias that is searched.
    pub index: String,
    /// The name of the root field and of its type.
    pub document_type: String,
    /// A description for users.
    pub description: Option<String>,
    /// The dotted path of the object in each document that is the record.
    pub nesting_prefix: Option<String>,
    /// The engine that searches it.
    pub engine: EngineChoice,
    /// The limits of a request.
    pub limits: RequestLimits,
    /// Which features are on.
    pub flags: FeatureFlags,
    /// The limits of downloads.
    pub downloads: DownloadConfig,
    /// Where saved sets are kept.
    pub sets: SetsConfig,
    /// The configuration of single fields.
    pub extended: Vec<ExtendedEntry>,
    /// The facets; `None`: generated.
    pub facets: Option<Vec<FacetEntry>>,
    /// The table.
    pub table: TableConfig,
    /// The field that names a row.
    pub row_id_field_name: String,
    /// The fields in which lists of ids are looked up.
    pub matchbox: Vec<MatchboxEntry>,
    /// The configuration of charts.
    pub charts: Option<Map<String, Value>>,
    /// The nodes that answer a request together with the catalogue.
    pub network: Option<NetworkConfig>,
    /// The access rules; `None`: everything is visible.
    pub access: Option<AccessRules>,
    /// The source of its documents; `None`: another program fills the index.
    pub source: Option<SourceConfig>,
    /// What in the files is ignored or changed.
    pub warnings: Vec<ConfigProblem>,
    /// The fields that have several values in a document of the index, by their paths there.
    list_fields: Arc<BTreeSet<String>>,
    /// What the values of the index say; nothing until they were counted.
    profile: Arc<IndexProfile>,
    origins: KeyOrigins,
}

/// A configuration as far as it could be parsed, with all its problems.
#[derive(Debug)]
pub(crate) struct ParsedConfig {
    pub(crate) config: CatalogueConfig,
    /// The id that the files give.
    pub(crate) given_id: Option<String>,
    pub(crate) problems: Vec<ConfigProblem>,
}

impl CatalogueConfig {
    /// Reads a configuration from one JSON object with the keys of all files. The id is `catalogId`, or else the given
    /// one.
    ///
    /// # Errors
    ///
    /// Every problem, warnings included, if one of them is an error.
    pub fn from_value(id: &str, value: &Value, defaults: &ConfigDefaults) -> Result<Self, Vec<ConfigProblem>> {
        let file = ConfigFile { name: VALUE.to_owned(), value: value.clone() };
        let ParsedConfig { mut config, given_id, mut problems } = Self::read(vec![file], true, VALUE, defaults);
        config.id = given_id.unwrap_or_else(|| id.to_owned());
        problems.extend(crate::configs::id_problem(&config.id, VALUE));
        if problems.iter().any(ConfigProblem::is_error) {
            return Err(problems);
        }
        config.warnings = problems;
        Ok(config)
    }

    /// Reads the files of one catalogue. Unless all of them could be read, missing keys are not reported. The caller
    /// assigns the id.
    pub(crate) fn read(
        files: Vec<ConfigFile>,
        is_complete: bool,
        fallback: &str,
        defaults: &ConfigDefaults,
    ) -> ParsedConfig {
        let misplaced = access::misplaced(&files);
        let merge::MergedFiles { object, origins, mut problems } = merge::merge(files, fallback);
        problems.extend(misplaced);
        let root = ConfigSection { object: &object, key: String::new() };
        let mut reader = ConfigReader { origins: &origins, problems: Vec::new() };
        warn_of_misplaced(&mut reader, &root);
        let given_id = reader.filled_text(&root, "catalogId");
        let index = reader.filled_text(&root, "esIndex").or_else(|| defaults.index.clone());
        let document_type = reader.filled_text(&root, "documentType").or_else(|| defaults.document_type.clone());
        let table = table::read(&mut reader, &root);
        let mut limits = RequestLimits::read(&mut reader, &root, defaults.limits);
        limits.max_results_window = table.max_results_window.map_or(limits.max_results_window, u64::from);
        let mut config = Self {
            id: String::new(),
            index: index.unwrap_or_default(),
            document_type: document_type.unwrap_or_default(),
            description: reader.text(&root, "description"),
            nesting_prefix: reader.text(&root, "nestingPrefix").filter(|prefix| !prefix.is_empty()),
            engine: engine::read(&mut reader, &root, &defaults.engine),
            limits,
            flags: FeatureFlags::read(&mut reader, &root, defaults.flags),
            downloads: downloads::read(&mut reader, &root, &defaults.downloads),
            sets: SetsConfig::read(&mut reader, &root, &defaults.sets),
            extended: extended::read(&mut reader, &root),
            facets: facets::read(&mut reader, &root),
            row_id_field_name: table.row_id_field_name.clone().unwrap_or_else(|| defaults.row_id_field_name.clone()),
            table,
            matchbox: matchbox::read(&mut reader, &root),
            charts: reader.object(&root, "charts"),
            network: network::read(&mut reader, &root, defaults.network_memory),
            access: access::read(&mut reader, &root),
            source: source::read(&mut reader, &root),
            warnings: Vec::new(),
            list_fields: Arc::default(),
            profile: Arc::default(),
            origins: KeyOrigins::default(),
        };
        if is_complete {
            require(&mut reader, &root, "esIndex", &config.index, "the name of an index, here or in ES_INDEX");
            let expected = "the name of the records, here or in DOCUMENT_TYPE";
            require(&mut reader, &root, "documentType", &config.document_type, expected);
        }
        problems.append(&mut reader.problems);
        config.origins = origins;
        ParsedConfig { config, given_id, problems }
    }

    /// Returns the paths of fields with `isArray`.
    pub(crate) fn array_paths(&self) -> impl Iterator<Item = &str> {
        self.extended.iter().filter(|entry| entry.is_array == Some(true)).map(|entry| entry.field_name.as_str())
    }

    /// Returns what the values of the index say.
    pub(crate) fn profile(&self) -> &IndexProfile {
        &self.profile
    }

    /// Returns the file of a key.
    pub(crate) fn file_of(&self, key: &str) -> &str {
        self.origins.file_of(key)
    }

    /// Creates a warning about a key, with its file.
    pub fn warning(&self, key: &str, found: impl Into<String>, expected: impl Into<String>) -> ConfigProblem {
        ConfigProblem::warning(self.file_of(key), key, found, expected)
    }
}

/// Reports a missing key, unless its value was reported as invalid.
fn require(reader: &mut ConfigReader<'_>, root: &ConfigSection<'_>, key: &str, value: &str, expected: &str) {
    if value.is_empty() && !root.object.contains_key(key) {
        reader.fail(key.to_owned(), "nothing", expected);
    }
}

/// Reports unknown keys and common mistakes.
fn warn_of_misplaced(reader: &mut ConfigReader<'_>, root: &ConfigSection<'_>) {
    if root.object.contains_key("index") {
        let found = "a key that is no setting of a catalogue and is ignored";
        reader.warn("index".to_owned(), found, "`esIndex` for the index that is searched");
    }
    // Other unknown keys affect the display; a misspelt `access` would grant everything.
    for name in root.object.keys().filter(|name| !KEYS.contains(&name.as_str()) && are_similar(name, ACCESS)) {
        reader.fail(name.clone(), "an unknown key that is like that of the access rules", "`access`");
    }
    let known: Vec<&str> = KEYS.into_iter().chain(["index"]).collect();
    reader.warn_unknown(root, &known);
}
