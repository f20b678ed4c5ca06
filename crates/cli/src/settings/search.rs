//! What is searched, and what holds for catalogues whose files do not say otherwise.

use std::path::PathBuf;

use cantata_catalogue::{Defaults, Downloads, EngineSettings, Flags, Limits, Sets};
use cantata_search::ConfigSource;
use cantata_server::AllowedOrigins;
use clap::Args;

use super::values::{address_path, switch, whole_number};
use crate::failure::Failure;

/// The most that GraphQL can write as an `Int`.
const MOST: u64 = i32::MAX as u64;

#[derive(Debug, Args)]
#[command(next_help_heading = "Search")]
pub(crate) struct SearchSettings {
    /// The folder with the configuration files of the catalogues; without one, and without ES_INDEX and DOCUMENT_TYPE,
    /// nothing is searched
    #[arg(long, value_name = "FOLDER", default_value = "./configs")]
    pub(crate) configs_path: PathBuf,
    /// The index of catalogues that do not name one
    #[arg(long, value_name = "NAME")]
    pub(crate) es_index: Option<String>,
    /// The document type of catalogues that do not name one
    #[arg(long, value_name = "NAME")]
    pub(crate) document_type: Option<String>,
    /// The origins whose pages may use the server, separated by commas; without it all may
    #[arg(long, value_name = "ORIGINS")]
    pub(crate) allowed_cors_origins: Option<String>,
    /// Where the server says that it is there
    #[arg(long, value_name = "PATH", default_value = "/ping", value_parser = address_path)]
    pub(crate) ping_path: String,
    /// Where the server says how its catalogues are
    #[arg(long, value_name = "PATH", default_value = "/ready", value_parser = address_path)]
    pub(crate) ready_path: String,
    /// How many fields of a GraphQL document may have an alias
    #[arg(long, value_name = "NUMBER", default_value_t = 15, value_parser = whole_number(0, MOST))]
    pub(crate) graphql_max_aliases: u64,
    /// How deep GraphQL selections may lie in one another
    #[arg(long, value_name = "NUMBER", default_value_t = 7, value_parser = whole_number(1, MOST))]
    pub(crate) graphql_max_depth: u64,
    /// How much a GraphQL request may cost: records times fields, and 1000 for each thing that is counted of a field
    #[arg(long, value_name = "NUMBER", default_value_t = 10_000_000, value_parser = whole_number(1, MOST))]
    pub(crate) graphql_max_cost: u64,
    /// How many bytes the answer to a GraphQL request may have
    #[arg(long, value_name = "BYTES", default_value_t = 256 << 20, value_parser = whole_number(1, MOST))]
    pub(crate) graphql_max_response_bytes: u64,
    /// How many hits one page may have
    #[arg(long, value_name = "NUMBER", default_value_t = 10_000, value_parser = whole_number(1, MOST))]
    pub(crate) max_results_window: u64,
    /// The field that names a row of a table
    #[arg(long, value_name = "NAME", default_value = "id")]
    pub(crate) row_id_field_name: String,
    /// Whether exports may ask for more rows than DOWNLOAD_MAX_ROWS
    #[arg(long, value_name = "BOOL", default_value = "false", value_parser = switch, action = clap::ArgAction::Set,
          num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) allow_custom_download_max_rows: bool,
    /// How many rows an export has at most; 0: all
    #[arg(long, value_name = "NUMBER", default_value_t = 100, value_parser = whole_number(0, MOST))]
    pub(crate) download_max_rows: u64,
    /// How many rows an export reads at a time
    #[arg(long, value_name = "NUMBER", default_value_t = 2000, value_parser = whole_number(1, 10_000_u64))]
    pub(crate) download_stream_buffer_size: u64,
    /// No exports
    #[arg(long, value_name = "BOOL", default_value = "false", value_parser = switch, action = clap::ArgAction::Set,
          num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) disable_downloads: bool,
    /// No filters from clients
    #[arg(long, value_name = "BOOL", default_value = "false", value_parser = switch, action = clap::ArgAction::Set,
          num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) disable_filters: bool,
    /// No introspection by GraphQL; if not set, it is off where NODE_ENV is production
    #[arg(long, value_name = "BOOL", value_parser = switch, action = clap::ArgAction::Set,
          num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) disable_graphql_introspection: Option<bool>,
    /// What the server is used for; `production` switches introspection by GraphQL off
    #[arg(long, value_name = "NAME")]
    pub(crate) node_env: Option<String>,
    /// No page for browsers at the GraphQL addresses
    #[arg(long, value_name = "BOOL", default_value = "false", value_parser = switch, action = clap::ArgAction::Set,
          num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) disable_graphql_playground: bool,
    /// Several GraphQL requests in one body
    #[arg(long, value_name = "BOOL", default_value = "false", value_parser = switch, action = clap::ArgAction::Set,
          num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) enable_graphql_batching: bool,
    /// Saved sets
    #[arg(long, value_name = "BOOL", default_value = "false", value_parser = switch, action = clap::ArgAction::Set,
          num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) enable_sets: bool,
    /// The index of saved sets
    #[arg(long, value_name = "NAME", default_value = "arranger-sets")]
    pub(crate) es_arranger_sets_index: String,
}

impl SearchSettings {
    /// Returns where the configurations come from, with what is said of the engine; nothing if there are none.
    pub(crate) fn source(&self, engine: EngineSettings) -> Option<ConfigSource> {
        // A folder that cannot be looked at is tried all the same, so that the reason is told.
        let is_there = self.configs_path.try_exists().unwrap_or(true);
        let is_configured = is_there || self.es_index.is_some() || self.document_type.is_some();
        is_configured.then(|| self.source_in(self.configs_path.clone(), engine))
    }

    /// Returns the configurations in a folder.
    pub(crate) fn source_in(&self, folder: PathBuf, engine: EngineSettings) -> ConfigSource {
        ConfigSource::Folder(folder, Box::new(self.defaults(engine)))
    }

    /// Returns the origins whose pages may use the server.
    pub(crate) fn allowed_origins(&self) -> AllowedOrigins {
        let list = self.allowed_cors_origins.as_deref().unwrap_or_default().split(',');
        let list: Vec<String> = list
            .map(|origin| origin.trim().trim_end_matches('/').to_owned())
            .filter(|origin| !origin.is_empty())
            .collect();
        if list.is_empty() { AllowedOrigins::All } else { AllowedOrigins::Only(list) }
    }

    /// Refuses addresses that cannot both be served.
    pub(super) fn check(&self) -> Result<(), Failure> {
        if self.ping_path == self.ready_path {
            let path = &self.ping_path;
            return Err(Failure::setting(format!("PING_PATH and READY_PATH are both {path}; give each its own")));
        }
        Ok(())
    }

    /// Returns what holds for catalogues whose files do not say otherwise.
    pub(crate) fn defaults(&self, engine: EngineSettings) -> Defaults {
        let is_production = self.node_env.as_deref() == Some("production");
        let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        Defaults {
            index: self.es_index.clone().filter(|name| !name.is_empty()),
            document_type: self.document_type.clone().filter(|name| !name.is_empty()),
            engine,
            limits: Limits {
                max_aliases: number(self.graphql_max_aliases),
                max_depth: number(self.graphql_max_depth),
                max_cost: self.graphql_max_cost,
                max_response_bytes: self.graphql_max_response_bytes,
                max_results_window: self.max_results_window,
            },
            flags: Flags {
                disable_downloads: self.disable_downloads,
                disable_filters: self.disable_filters,
                disable_introspection: self.disable_graphql_introspection.unwrap_or(is_production),
                disable_playground: self.disable_graphql_playground,
                enable_batching: self.enable_graphql_batching,
                enable_sets: self.enable_sets,
                ..Flags::default()
            },
            downloads: Downloads {
                allow_custom_max_rows: self.allow_custom_download_max_rows,
                max_rows: self.download_max_rows,
                chunk_size: self.download_stream_buffer_size,
            },
            sets: Sets { index: self.es_arranger_sets_index.clone(), ..Sets::default() },
            row_id_field_name: self.row_id_field_name.clone(),
        }
    }
}
