//! The defaults for every catalogue, from environment variables.

use std::path::PathBuf;
use std::time::Duration;

use crate::config::{DownloadConfig, FeatureFlags, RequestLimits, SetsConfig};
use crate::engine_choice::{EngineName, EngineSettings};
use crate::problem::ConfigProblem;
use cantata_core::ClusterCredentials;
use cantata_core::Secret;

/// Names the environment in place of a file.
pub(crate) const ENVIRONMENT: &str = "environment";

/// Environment variables of releases before 3.1 and what they are called now.
const RENAMED: [(&str, &str); 2] = [("PORT", "SERVER_PORT"), ("SEARCH_CLIENT_TYPE", "SEARCH_ENGINE")];

/// The settings of every catalogue that its files do not set.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigDefaults {
    /// The index that is searched (`ES_INDEX`).
    pub index: Option<String>,
    /// The name of the root field and of its type (`DOCUMENT_TYPE`).
    pub document_type: Option<String>,
    /// The settings of the engine.
    pub engine: EngineSettings,
    /// The limits of a request.
    pub limits: RequestLimits,
    /// Which features are on.
    pub flags: FeatureFlags,
    /// The limits of downloads.
    pub downloads: DownloadConfig,
    /// Where saved sets are kept.
    pub sets: SetsConfig,
    /// The field that names a row (`ROW_ID_FIELD_NAME`).
    pub row_id_field_name: String,
    /// How many bytes of answers of its nodes one network reads at once (`NETWORK_MEMORY`).
    pub network_memory: usize,
}

impl Default for ConfigDefaults {
    fn default() -> Self {
        Self {
            index: None,
            document_type: None,
            engine: EngineSettings::default(),
            limits: RequestLimits::default(),
            flags: FeatureFlags::default(),
            downloads: DownloadConfig::default(),
            sets: SetsConfig::default(),
            row_id_field_name: "id".to_owned(),
            network_memory: 256 << 20,
        }
    }
}

impl ConfigDefaults {
    /// Reads the variables, and reports those that were renamed or have an invalid value, which is ignored.
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> (Self, Vec<ConfigProblem>) {
        let mut variables = EnvironmentVariables { variable, problems: Vec::new() };
        let general = Self::default();
        let is_production = variables.text("NODE_ENV").as_deref() == Some("production");
        let defaults = Self {
            index: variables.text("ES_INDEX"),
            document_type: variables.text("DOCUMENT_TYPE"),
            engine: variables.engine(),
            limits: RequestLimits {
                max_aliases: variables.count("GRAPHQL_MAX_ALIASES", 0, general.limits.max_aliases),
                max_depth: variables.count("GRAPHQL_MAX_DEPTH", 1, general.limits.max_depth),
                max_cost: variables.count("GRAPHQL_MAX_COST", 1, general.limits.max_cost),
                max_response_bytes: variables.count("GRAPHQL_MAX_RESPONSE_BYTES", 1, general.limits.max_response_bytes),
                max_results_window: variables.count("MAX_RESULTS_WINDOW", 1, general.limits.max_results_window),
                max_patterns: variables.count("GRAPHQL_MAX_PATTERNS", 0, general.limits.max_patterns),
            },
            flags: FeatureFlags {
                disable_downloads: variables.flag("DISABLE_DOWNLOADS", false),
                disable_filters: variables.flag("DISABLE_FILTERS", false),
                disable_introspection: variables.flag("DISABLE_GRAPHQL_INTROSPECTION", is_production),
                disable_playground: variables.flag("DISABLE_GRAPHQL_PLAYGROUND", false),
                enable_batching: variables.flag("ENABLE_GRAPHQL_BATCHING", false),
                enable_sets: variables.flag("ENABLE_SETS", false),
                enable_admin: variables.flag("ENABLE_ADMIN", false),
                enable_debug: variables.flag("ENABLE_DEBUG", false),
            },
            downloads: DownloadConfig {
                allow_custom_max_rows: variables.flag("ALLOW_CUSTOM_DOWNLOAD_MAX_ROWS", false),
                max_rows: variables.count("DOWNLOAD_MAX_ROWS", 0, general.downloads.max_rows),
                chunk_size: variables.count("DOWNLOAD_STREAM_BUFFER_SIZE", 1, general.downloads.chunk_size),
                value_when_empty: general.downloads.value_when_empty,
            },
            sets: SetsConfig {
                index: variables.text("ES_ARRANGER_SETS_INDEX").unwrap_or(general.sets.index),
                type_name: variables.text("ES_ARRANGER_SETS_TYPE").unwrap_or(general.sets.type_name),
                max_anonymous: variables.count("MAX_ANONYMOUS_SETS", 0, general.sets.max_anonymous),
                max_anonymous_bytes: variables.count("MAX_ANONYMOUS_SETS_BYTES", 0, general.sets.max_anonymous_bytes),
            },
            row_id_field_name: variables.text("ROW_ID_FIELD_NAME").unwrap_or(general.row_id_field_name),
            network_memory: variables.count("NETWORK_MEMORY", 1 << 20, general.network_memory),
        };
        for (old, new) in RENAMED {
            if variables.text(old).is_some() {
                variables.warn(old, "the name of releases before 3.1, which is not used", format!("`{new}`"));
            }
        }
        (defaults, variables.problems)
    }
}

struct EnvironmentVariables<F> {
    variable: F,
    problems: Vec<ConfigProblem>,
}

impl<F: Fn(&str) -> Option<String>> EnvironmentVariables<F> {
    fn text(&self, name: &str) -> Option<String> {
        (self.variable)(name).filter(|text| !text.is_empty())
    }

    fn engine(&mut self) -> EngineSettings {
        let name = self.text("SEARCH_ENGINE").and_then(|text| {
            let name = text.parse().ok();
            if name.is_none() {
                let expected = format!("{}; it counts as not set", EngineName::EXPECTED);
                self.warn("SEARCH_ENGINE", format!("{text:?}"), expected);
            }
            name
        });
        let secret = |name: &str| self.text(name).map(Secret::new);
        let credentials = ClusterCredentials::new(secret("ES_USER"), secret("ES_PASS"), secret("ES_API_KEY"));
        let credentials = credentials.unwrap_or_else(|error| {
            let found = format!("{error}, which is not used");
            self.warn("ES_PASS", found, "either `ES_API_KEY`, or `ES_USER` and `ES_PASS`");
            ClusterCredentials::None
        });
        EngineSettings {
            name,
            hosts: self.text("ES_HOST").map(|text| EngineSettings::hosts(&text)).unwrap_or_default(),
            credentials,
            ca_certificate: self.text("ES_CA_CERTIFICATE").map(PathBuf::from),
            timeout: self.text("ES_TIMEOUT").map(|_| Duration::from_secs(self.count("ES_TIMEOUT", 1, 30))),
            refresh_interval: self
                .text("ES_REFRESH_INTERVAL_MS")
                .map(|_| Duration::from_millis(self.count("ES_REFRESH_INTERVAL_MS", 0, 1_000))),
        }
    }

    fn flag(&mut self, name: &str, default: bool) -> bool {
        let Some(text) = self.text(name) else { return default };
        match text.to_ascii_lowercase().as_str() {
            "true" | "1" => true,
            "false" | "0" => false,
            _ => {
                self.warn(name, format!("{text:?}, which counts as false"), "true, 1, false or 0");
                false
            }
        }
    }

    /// Returns a whole number that GraphQL can write as an `Int`.
    fn count<N: TryFrom<u32> + std::fmt::Display>(&mut self, name: &str, least: u32, default: N) -> N {
        let Some(text) = self.text(name) else { return default };
        let most = i32::MAX.unsigned_abs();
        let count = text.trim().parse::<u32>().ok().filter(|count| (least..=most).contains(count));
        if let Some(count) = count.and_then(|count| N::try_from(count).ok()) {
            return count;
        }
        let expected = format!("a whole number from {least} to {most}; {default} is used");
        self.warn(name, format!("{text:?}"), expected);
        default
    }

    fn warn(&mut self, name: &str, found: impl Into<String>, expected: impl Into<String>) {
        self.problems.push(ConfigProblem::warning(ENVIRONMENT, name, found, expected));
    }
}
