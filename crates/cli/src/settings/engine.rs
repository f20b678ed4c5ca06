//! What searches, and how a cluster is reached. Addresses can hold passwords, so they are not shown either.

use std::path::PathBuf;
use std::time::Duration;

use cantata_catalogue::{Credentials, CredentialsError, EngineChoice, EngineName, EngineSettings, Secret};
use clap::Args;

use super::values::{secret, whole_number};
use crate::engines;
use crate::failure::Failure;

/// The longest timeout of a cluster, in seconds: an hour.
const LONGEST: u64 = 3600;

#[derive(Debug, Args)]
#[command(next_help_heading = "Search engine")]
pub(crate) struct EngineSection {
    #[command(flatten)]
    pub(crate) place: EnginePlace,
    /// The user that a cluster knows this server by
    #[arg(long, value_name = "NAME", value_parser = secret)]
    es_user: Option<Secret>,
    /// The password of that user; as a flag, everybody on the machine could read it
    #[arg(long, value_name = "PASSWORD", value_parser = secret)]
    es_pass: Option<Secret>,
    /// The API key that a cluster knows this server by, instead of user and password; as a flag, everybody on the
    /// machine could read it
    #[arg(long, value_name = "KEY", value_parser = secret)]
    es_api_key: Option<Secret>,
    /// A PEM file of certificates that are trusted for a cluster, beside those of the system
    #[arg(long, value_name = "FILE")]
    es_ca_certificate: Option<PathBuf>,
    /// How long a cluster may take to answer, all attempts together, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = whole_number(1, LONGEST))]
    es_timeout: u64,
}

/// What searches, and where.
#[derive(Debug, Args)]
#[command(next_help_heading = "Search engine")]
pub(crate) struct EnginePlace {
    /// What searches: embedded (the engine in this program), opensearch or elasticsearch; unset, it is the cluster at
    /// ES_HOST, of either kind, and without one the embedded engine
    #[arg(long, value_name = "ENGINE")]
    search_engine: Option<String>,
    /// The addresses of the nodes of a cluster, separated by commas; unset, http://127.0.0.1:9200 if SEARCH_ENGINE
    /// names a cluster
    #[arg(long, value_name = "URLS", value_parser = secret)]
    es_host: Option<Secret>,
}

impl EnginePlace {
    /// Returns what is said of the engine, and says in the log what is not understood.
    fn settings(&self) -> EngineSettings {
        let named = self.search_engine.as_deref().filter(|name| !name.is_empty());
        let name = named.and_then(|name| name.parse().ok());
        if let (Some(found), None) = (named, name) {
            let expected = EngineName::EXPECTED;
            tracing::warn!("SEARCH_ENGINE: found {found:?}, expected {expected}; it counts as not set");
        }
        let hosts = self.es_host.as_ref().map(|hosts| EngineSettings::hosts(hosts.reveal())).unwrap_or_default();
        EngineSettings { name, hosts, ..EngineSettings::default() }
    }

    /// Returns whether catalogues are searched elsewhere than in the data folder, unless their files say otherwise.
    pub(crate) fn is_remote(&self) -> bool {
        EngineSettings::default().choose(&self.settings()) != EngineChoice::Embedded
    }
}

impl EngineSection {
    /// Returns what is said of the engine, and says in the log what is not understood.
    pub(crate) fn settings(&self) -> Result<EngineSettings, Failure> {
        let given = |secret: &Option<Secret>| secret.clone().filter(|secret| !secret.reveal().is_empty());
        let credentials = Credentials::new(given(&self.es_user), given(&self.es_pass), given(&self.es_api_key));
        let credentials = credentials.map_err(|error| {
            Failure::setting(match error {
                CredentialsError::PasswordWithoutUser => "ES_PASS is set and ES_USER is not; set both",
                CredentialsError::TwoKinds => "ES_API_KEY is set beside ES_USER or ES_PASS; unset one or the other",
            })
        })?;
        Ok(EngineSettings {
            credentials,
            ca_certificate: self.es_ca_certificate.clone().filter(|path| !path.as_os_str().is_empty()),
            timeout: Some(Duration::from_secs(self.es_timeout)),
            ..self.place.settings()
        })
    }

    /// Refuses settings of a cluster that cannot be used.
    pub(super) fn check(&self) -> Result<(), Failure> {
        match EngineSettings::default().choose(&self.settings()?) {
            EngineChoice::Embedded => Ok(()),
            EngineChoice::Remote(connection) => engines::cluster(&connection).map(|_| ()).map_err(Failure::setting),
        }
    }
}
