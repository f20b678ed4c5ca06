//! Search, and the defaults of catalogues.

use std::path::PathBuf;

use cantata_catalogue::{ConfigDefaults, DownloadConfig, EngineSettings, FeatureFlags, RequestLimits, SetsConfig};
use cantata_search::ConfigSource;
use cantata_server::AllowedOrigins;
use clap::Args;

use super::values::{allowed_origins, switch, url_path, whole_number};
use crate::error::CliError;

/// The maximum of a GraphQL `Int`.
const MAX_INT: u64 = i32::MAX as u64;

#[derive(Debug, Args)]
#[command(next_help_heading = "Search")]
pub(crate) struct SearchSettings {
    /// The folder with the configuration of the catalogues; one that is missing or empty is watched until it has some
    #[arg(long, value_name = "FOLDER", default_value = "./configs")]
    pub(crate) configs_path: PathBuf,
    /// The default index of catalogues
    #[arg(long, value_name = "NAME")]
    pub(crate) es_index: Option<String>,
    /// The default document type of catalogues
    #[arg(long, value_name = "NAME")]
    pub(crate) document_type: Option<String>,
    /// The allowed CORS origins, separated by commas; `*` or unset, all for the search service and none for the rest
    #[arg(long, value_name = "ORIGINS", value_parser = allowed_origins)]
    pub(crate) allowed_cors_origins: Option<AllowedOrigins>,
    /// The path of the liveness check
    #[arg(long, value_name = "PATH", default_value = "/ping", value_parser = url_path)]
    pub(crate) ping_path: String,
    /// The path of the readiness check
    #[arg(long, value_name = "PATH", default_value = "/ready", value_parser = url_path)]
    pub(crate) ready_path: String,
    /// The maximum number of aliases in a GraphQL document
    #[arg(long, value_name = "NUMBER", default_value_t = 15, value_parser = whole_number(0, MAX_INT))]
    pub(crate) graphql_max_aliases: u64,
    /// The maximum depth of a GraphQL document
    #[arg(long, value_name = "NUMBER", default_value_t = 7, value_parser = whole_number(1, MAX_INT))]
    pub(crate) graphql_max_depth: u64,
    /// The maximum cost of a GraphQL request: records times fields, plus 1000 per aggregation of a field
    #[arg(long, value_name = "NUMBER", default_value_t = 10_000_000, value_parser = whole_number(1, MAX_INT))]
    pub(crate) graphql_max_cost: u64,
    /// The maximum size of a GraphQL response, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 256 << 20, value_parser = whole_number(1, MAX_INT))]
    pub(crate) graphql_max_response_bytes: u64,
    /// The maximum number of patterns in a filter: values with `*`, wildcards and fuzzy texts, for each field
    #[arg(long, value_name = "NUMBER", default_value_t = 1000, value_parser = whole_number(0, MAX_INT))]
    pub(crate) graphql_max_patterns: u64,
    /// The maximum size of the answers that a network reads from its nodes at once, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 256 << 20, value_parser = whole_number(1 << 20, MAX_INT))]
    pub(crate) network_memory: u64,
    /// The maximum number of hits per page
    #[arg(long, value_name = "NUMBER", default_value_t = 10_000, value_parser = whole_number(1, MAX_INT))]
    pub(crate) max_results_window: u64,
    /// The field with the id of a table row
    #[arg(long, value_name = "NAME", default_value = "id")]
    pub(crate) row_id_field_name: String,
    /// Whether downloads may request more rows than DOWNLOAD_MAX_ROWS
    #[arg(long, value_name = "BOOL", default_value = "false", value_parser = switch, action = clap::ArgAction::Set,
          num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) allow_custom_download_max_rows: bool,
    /// The maximum number of rows of a download; 0: unlimited
    #[arg(long, value_name = "NUMBER", default_value_t = 0, value_parser = whole_number(0, MAX_INT))]
    pub(crate) download_max_rows: u64,
    /// The number of rows that a download reads at a time
    #[arg(long, value_name = "NUMBER", default_value_t = 2000, value_parser = whole_number(1, 10_000_u64))]
    pub(crate) download_stream_buffer_size: u64,
    /// Disables downloads
    #[arg(long, value_name = "BOOL", default_value = "false", value_parser = switch, action = clap::ArgAction::Set,
          num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) disable_downloads: bool,
    /// Disables filters of clients
    #[arg(long, value_name = "BOOL", default_value = "false", value_parser = switch, action = clap::ArgAction::Set,
          num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) disable_filters: bool,
    /// Disables GraphQL introspection; unset, it is disabled if NODE_ENV is production
    #[arg(long, value_name = "BOOL", value_parser = switch, action = clap::ArgAction::Set,
          num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) disable_graphql_introspection: Option<bool>,
    /// The environment; `production` disables GraphQL introspection
    #[arg(long, value_name = "NAME")]
    pub(crate) node_env: Option<String>,
    /// Disables GraphiQL, the page for browsers at the GraphQL URLs
    #[arg(long, value_name = "BOOL", default_value = "false", value_parser = switch, action = clap::ArgAction::Set,
          num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) disable_graphql_playground: bool,
    /// Enables several GraphQL requests in one body
    #[arg(long, value_name = "BOOL", default_value = "false", value_parser = switch, action = clap::ArgAction::Set,
          num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) enable_graphql_batching: bool,
    /// Enables saved sets
    #[arg(long, value_name = "BOOL", default_value = "false", value_parser = switch, action = clap::ArgAction::Set,
          num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) enable_sets: bool,
    /// The index of saved sets
    #[arg(long, value_name = "NAME", default_value = "arranger-sets")]
    pub(crate) es_arranger_sets_index: String,
    /// The maximum number of saved sets in the index that were saved without a credential
    #[arg(long, value_name = "NUMBER", default_value_t = 10_000, value_parser = whole_number(0, MAX_INT))]
    pub(crate) max_anonymous_sets: u64,
    /// The maximum size of all saved sets in the index that were saved without a credential, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 30, value_parser = whole_number(0, MAX_INT))]
    pub(crate) max_anonymous_sets_bytes: u64,
}

impl SearchSettings {
    /// Returns the source of configurations, if there is any at the start.
    pub(crate) fn source(&self, engine: EngineSettings) -> Option<ConfigSource> {
        // A folder that cannot be examined is used, so that the reason is reported.
        let is_there = self.configs_path.try_exists().unwrap_or(true);
        let is_configured = is_there || self.es_index.is_some() || self.document_type.is_some();
        is_configured.then(|| self.source_in(self.configs_path.clone(), engine))
    }

    /// Returns a folder as the source of configurations.
    pub(crate) fn source_in(&self, folder: PathBuf, engine: EngineSettings) -> ConfigSource {
        ConfigSource::Folder(folder, Box::new(self.defaults(engine)))
    }

    /// Returns the allowed CORS origins.
    pub(crate) fn allowed_origins(&self) -> AllowedOrigins {
        self.allowed_cors_origins.clone().unwrap_or_default()
    }

    /// Rejects paths that collide.
    pub(super) fn check(&self) -> Result<(), CliError> {
        if self.ping_path == self.ready_path {
            let path = &self.ping_path;
            return Err(CliError::setting(format!("PING_PATH and READY_PATH are both {path}; give each its own")));
        }
        Ok(())
    }

    /// Returns the defaults of catalogues.
    pub(crate) fn defaults(&self, engine: EngineSettings) -> ConfigDefaults {
        let is_production = self.node_env.as_deref() == Some("production");
        let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        ConfigDefaults {
            index: self.es_index.clone().filter(|name| !name.is_empty()),
            document_type: self.document_type.clone().filter(|name| !name.is_empty()),
            engine,
            limits: RequestLimits {
                max_aliases: number(self.graphql_max_aliases),
                max_depth: number(self.graphql_max_depth),
                max_cost: self.graphql_max_cost,
                max_response_bytes: self.graphql_max_response_bytes,
                max_results_window: self.max_results_window,
                max_patterns: number(self.graphql_max_patterns),
            },
            flags: FeatureFlags {
                disable_downloads: self.disable_downloads,
                disable_filters: self.disable_filters,
                disable_introspection: self.disable_graphql_introspection.unwrap_or(is_production),
                disable_playground: self.disable_graphql_playground,
                enable_batching: self.enable_graphql_batching,
                enable_sets: self.enable_sets,
                ..FeatureFlags::default()
            },
            downloads: DownloadConfig {
                allow_custom_max_rows: self.allow_custom_download_max_rows,
                max_rows: self.download_max_rows,
                chunk_size: self.download_stream_buffer_size,
                ..DownloadConfig::default()
            },
            sets: SetsConfig {
                index: self.es_arranger_sets_index.clone(),
                max_anonymous: self.max_anonymous_sets,
                max_anonymous_bytes: self.max_anonymous_sets_bytes,
                ..SetsConfig::default()
            },
            row_id_field_name: self.row_id_field_name.clone(),
            network_memory: number(self.network_memory),
        }
    }
}
