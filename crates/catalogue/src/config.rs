//! What the configuration files of a catalogue say, checked and with the defaults filled in that no mapping gives.
//!
//! Each section has its own module with its keys. Reading never stops at a problem: all of them are collected, and
//! whether the catalogue can be served is decided at the end.

mod access;
mod base;
mod downloads;
mod engine;
mod extended;
mod facets;
mod generated;
mod matchbox;
mod merge;
mod network;
mod reader;
mod seen;
mod source;
mod table;

use serde_json::{Map, Value};

pub use base::{Flags, Limits, Sets};
pub use downloads::Downloads;
pub use extended::ExtendedEntry;
pub use facets::FacetEntry;
pub use matchbox::MatchboxEntry;
pub use table::{ColumnEntry, SortingEntry, TableConfig};

pub(crate) use access::ACCESS;
pub(crate) use merge::{ConfigFile, Origins};

use crate::access::AccessRules;
use crate::defaults::Defaults;
use crate::engine_choice::EngineChoice;
use crate::problem::ConfigProblem;
use crate::source::SourceConfig;
use reader::{Reader, Section, are_alike};

const FIELD_NAME: &str = "fieldName";
const FIELD_PATH: &str = "the dotted path of a field";

/// What problems name instead of a file when the configuration is a value.
const VALUE: &str = "configuration";

const KEYS: [&str; 35] = [
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
    /// The name in addresses.
    pub id: String,
    /// The index or alias that is searched.
    pub index: String,
    /// The name of the root field and of its type.
    pub document_type: String,
    /// What it is, for people.
    pub description: Option<String>,
    /// The dotted path of the object in each document that holds everything.
    pub nesting_prefix: Option<String>,
    /// The engine that searches it.
    pub engine: EngineChoice,
    /// What a request may ask for.
    pub limits: Limits,
    /// What is switched on and off.
    pub flags: Flags,
    /// How much an export gives.
    pub downloads: Downloads,
    /// Where saved sets are kept.
    pub sets: Sets,
    /// What is said of single fields.
    pub extended: Vec<ExtendedEntry>,
    /// The facets; nothing if they are to be generated.
    pub facets: Option<Vec<FacetEntry>>,
    /// The table.
    pub table: TableConfig,
    /// The field that names a row.
    pub row_id_field_name: String,
    /// The fields in which a list of names is looked up.
    pub matchbox: Vec<MatchboxEntry>,
    /// What charts ask for.
    pub charts: Option<Map<String, Value>>,
    /// Other servers that are searched too.
    pub network: Option<Map<String, Value>>,
    /// Who may see what; nothing if everybody may see everything.
    pub access: Option<AccessRules>,
    /// Where its documents come from; nothing if somebody else fills the index.
    pub source: Option<SourceConfig>,
    /// What in the files is left out or taken otherwise than written.
    pub warnings: Vec<ConfigProblem>,
    origins: Origins,
}

/// A configuration as far as it could be read, with all its problems.
#[derive(Debug)]
pub(crate) struct ReadConfig {
    pub(crate) config: CatalogueConfig,
    /// The id that the files give.
    pub(crate) given_id: Option<String>,
    pub(crate) problems: Vec<ConfigProblem>,
}

impl CatalogueConfig {
    /// Reads a configuration that is at hand as one JSON object with the keys of all files. The id is that of
    /// `catalogId`, or else the given one.
    ///
    /// # Errors
    ///
    /// Every problem, warnings included, if one of them keeps the catalogue from being served.
    pub fn from_value(id: &str, value: &Value, defaults: &Defaults) -> Result<Self, Vec<ConfigProblem>> {
        let file = ConfigFile { name: VALUE.to_owned(), value: value.clone() };
        let ReadConfig { mut config, given_id, mut problems } = Self::read(vec![file], true, VALUE, defaults);
        config.id = given_id.unwrap_or_else(|| id.to_owned());
        problems.extend(crate::configs::id_problem(&config.id, VALUE));
        if problems.iter().any(ConfigProblem::is_error) {
            return Err(problems);
        }
        config.warnings = problems;
        Ok(config)
    }

    /// Reads the files of one catalogue; unless they are complete, a key that none of them has is not missed. The id
    /// is left to the caller.
    pub(crate) fn read(files: Vec<ConfigFile>, is_complete: bool, fallback: &str, defaults: &Defaults) -> ReadConfig {
        let misplaced = access::misplaced(&files);
        let merge::Merged { object, origins, mut problems } = merge::merge(files, fallback);
        problems.extend(misplaced);
        let whole = Section { object: &object, key: String::new() };
        let mut reader = Reader { origins: &origins, problems: Vec::new() };
        warn_of_misplaced(&mut reader, &whole);
        let given_id = reader.filled_text(&whole, "catalogId");
        let index = reader.filled_text(&whole, "esIndex").or_else(|| defaults.index.clone());
        let document_type = reader.filled_text(&whole, "documentType").or_else(|| defaults.document_type.clone());
        let table = table::read(&mut reader, &whole);
        let mut limits = Limits::read(&mut reader, &whole, defaults.limits);
        limits.max_results_window = table.max_results_window.map_or(limits.max_results_window, u64::from);
        let mut config = Self {
            id: String::new(),
            index: index.unwrap_or_default(),
            document_type: document_type.unwrap_or_default(),
            description: reader.text(&whole, "description"),
            nesting_prefix: reader.text(&whole, "nestingPrefix").filter(|prefix| !prefix.is_empty()),
            engine: engine::read(&mut reader, &whole, &defaults.engine),
            limits,
            flags: Flags::read(&mut reader, &whole, defaults.flags),
            downloads: downloads::read(&mut reader, &whole, defaults.downloads),
            sets: Sets::read(&mut reader, &whole, &defaults.sets),
            extended: extended::read(&mut reader, &whole),
            facets: facets::read(&mut reader, &whole),
            row_id_field_name: table.row_id_field_name.clone().unwrap_or_else(|| defaults.row_id_field_name.clone()),
            table,
            matchbox: matchbox::read(&mut reader, &whole),
            charts: reader.object(&whole, "charts"),
            network: network::read(&mut reader, &whole),
            access: access::read(&mut reader, &whole),
            source: source::read(&mut reader, &whole),
            warnings: Vec::new(),
            origins: Origins::default(),
        };
        if is_complete {
            require(&mut reader, &whole, "esIndex", &config.index, "the name of an index, here or in ES_INDEX");
            let expected = "the name of the records, here or in DOCUMENT_TYPE";
            require(&mut reader, &whole, "documentType", &config.document_type, expected);
        }
        problems.append(&mut reader.problems);
        config.origins = origins;
        ReadConfig { config, given_id, problems }
    }

    /// Returns the paths whose values are shown as lists.
    pub(crate) fn array_paths(&self) -> impl Iterator<Item = &str> {
        self.extended.iter().filter(|entry| entry.is_array).map(|entry| entry.field_name.as_str())
    }

    /// Returns the file that a key stands in.
    pub(crate) fn file_of(&self, key: &str) -> &str {
        self.origins.file_of(key)
    }

    /// Returns a warning about a key, with the file that it stands in.
    pub(crate) fn warning(&self, key: &str, found: impl Into<String>, expected: impl Into<String>) -> ConfigProblem {
        ConfigProblem::warning(self.file_of(key), key, found, expected)
    }
}

/// Reports a key that has no value, unless what was wrong with it has been reported already.
fn require(reader: &mut Reader<'_>, whole: &Section<'_>, key: &str, value: &str, expected: &str) {
    if value.is_empty() && !whole.object.contains_key(key) {
        reader.fail(key.to_owned(), "nothing", expected);
    }
}

/// Reports unknown keys, and those that people put here though they belong elsewhere.
fn warn_of_misplaced(reader: &mut Reader<'_>, whole: &Section<'_>) {
    if whole.object.contains_key("index") {
        let found = "a key that is no setting of a catalogue and is ignored";
        reader.warn("index".to_owned(), found, "`esIndex` for the index that is searched");
    }
    // Any other key that is not known changes how something is shown; this one could leave everything open.
    for name in whole.object.keys().filter(|name| !KEYS.contains(&name.as_str()) && are_alike(name, ACCESS)) {
        reader.fail(name.clone(), "an unknown key that is like that of the access rules", "`access`");
    }
    let known: Vec<&str> = KEYS.into_iter().chain(["index"]).collect();
    reader.refuse_unknown(whole, &known);
}
