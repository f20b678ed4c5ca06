//! The search engine. URLs can contain passwords, so they are secrets.

use std::path::PathBuf;
use std::time::Duration;

use cantata_catalogue::{EngineChoice, EngineName, EngineSettings};
use cantata_core::{ClusterCredentials, ClusterCredentialsError, Secret};
use clap::Args;

use super::values::{MAX_TIMEOUT_MS, secret, whole_number};
use crate::backends::engines::remote_engine;
use crate::error::CliError;

/// The maximum timeout of a cluster: an hour.
const MAX_TIMEOUT_SECONDS: u64 = 3600;

#[derive(Debug, Args)]
#[command(next_help_heading = "Search engine")]
pub(crate) struct EngineSection {
    #[command(flatten)]
    pub(crate) location: EngineLocation,
    /// The user name of this server on the cluster
    #[arg(long, value_name = "NAME", value_parser = secret)]
    es_user: Option<Secret>,
    /// The password of that user; other users of the machine can read flags, so prefer the variable
    #[arg(long, value_name = "PASSWORD", value_parser = secret)]
    es_pass: Option<Secret>,
    /// The API key of this server on the cluster, instead of user and password; other users of the machine can read flags,
    /// so prefer the variable
    #[arg(long, value_name = "KEY", value_parser = secret)]
    es_api_key: Option<Secret>,
    /// A PEM file of CA certificates to trust for the cluster, in addition to those of the system
    #[arg(long, value_name = "FILE")]
    es_ca_certificate: Option<PathBuf>,
    /// The timeout of a request to the cluster including retries, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = whole_number(1, MAX_TIMEOUT_SECONDS))]
    es_timeout: u64,
    /// How long changes that come one after the other may wait until they are searchable on the cluster, in milliseconds; 0
    /// refreshes the index with every batch
    #[arg(long, value_name = "MS", default_value_t = 1_000, value_parser = whole_number(0, MAX_TIMEOUT_MS))]
    es_refresh_interval_ms: u64,
}

/// The engine and its location.
#[derive(Debug, Args)]
#[command(next_help_heading = "Search engine")]
pub(crate) struct EngineLocation {
    /// The search engine: embedded, opensearch or elasticsearch; unset, the cluster at ES_HOST of either kind, and without
    /// ES_HOST the embedded engine
    #[arg(long, value_name = "ENGINE", value_parser = engine_name)]
    search_engine: Option<EngineName>,
    /// The URLs of the cluster nodes, separated by commas; unset, http://127.0.0.1:9200 if SEARCH_ENGINE names a cluster
    #[arg(long, value_name = "URLS", value_parser = secret)]
    es_host: Option<Secret>,
}

/// Parses the name of an engine.
fn engine_name(text: &str) -> Result<EngineName, String> {
    text.parse().map_err(|()| format!("expected {}", EngineName::EXPECTED))
}

impl EngineLocation {
    /// Returns the engine settings.
    fn settings(&self) -> EngineSettings {
        let hosts = self.es_host.as_ref().map(|hosts| EngineSettings::hosts(hosts.reveal())).unwrap_or_default();
        EngineSettings { name: self.search_engine, hosts, ..EngineSettings::default() }
    }

    /// Returns whether catalogues use a cluster by default.
    pub(crate) fn is_remote(&self) -> bool {
        EngineSettings::default().choose(&self.settings()) != EngineChoice::Embedded
    }
}

impl EngineSection {
    /// Returns the engine settings.
    pub(crate) fn settings(&self) -> Result<EngineSettings, CliError> {
        let given = |secret: &Option<Secret>| secret.clone().filter(|secret| !secret.reveal().is_empty());
        let credentials = ClusterCredentials::new(given(&self.es_user), given(&self.es_pass), given(&self.es_api_key));
        let credentials = credentials.map_err(|error| {
            CliError::setting(match error {
                ClusterCredentialsError::PasswordWithoutUser => "ES_PASS is set and ES_USER is not; set both",
                ClusterCredentialsError::TwoKinds => {
                    "ES_API_KEY is set beside ES_USER or ES_PASS; unset one or the other"
                }
            })
        })?;
        Ok(EngineSettings {
            credentials,
            ca_certificate: self.es_ca_certificate.clone().filter(|path| !path.as_os_str().is_empty()),
            timeout: Some(Duration::from_secs(self.es_timeout)),
            refresh_interval: Some(Duration::from_millis(self.es_refresh_interval_ms)),
            ..self.location.settings()
        })
    }

    /// Rejects invalid cluster settings.
    pub(super) fn check(&self) -> Result<(), CliError> {
        match EngineSettings::default().choose(&self.settings()?) {
            EngineChoice::Embedded => Ok(()),
            EngineChoice::Remote(connection) => {
                remote_engine(&connection).map(|_| ()).map_err(|error| CliError::setting(error.to_string()))
            }
        }
    }
}
