//! The settings: one struct per section, each field a flag, an environment variable and a TOML key of the same name.
//!
//! A field `server_port` is `--server-port`, `SERVER_PORT` and `server_port`, so there is one definition of each
//! setting: its field, whose doc comment is the help text and the documentation. Reading happens in two steps:
//! [`complete`] merges the sources and checks every value by itself, [`Settings::check`] then rejects values that
//! contradict each other.

mod access;
mod config_file;
mod database;
mod engine;
mod external_validation;
mod foreign_variables;
mod kafka;
mod limits;
mod logging;
mod memory;
mod metadata;
mod portal;
mod reads;
#[cfg(test)]
pub(crate) mod reference;
mod search;
mod server;
mod sources;
mod storage;
mod store;
mod tracing;
mod values;

use cantata_outbox::RelaySettings;
use cantata_server::HttpSettings;
use clap::Args;

pub(crate) use self::access::{AccessSettings, AuthMode};
pub(crate) use self::config_file::ConfigArgument;
pub(crate) use self::database::DatabaseSettings;
pub(crate) use self::engine::{EngineLocation, EngineSection};
pub(crate) use self::external_validation::ExternalValidationSettings;
pub(crate) use self::foreign_variables::warn_of_unused_variables;
pub(crate) use self::kafka::KafkaSection;
pub(crate) use self::limits::LimitsSection;
pub(crate) use self::logging::{LogFormat, LoggingSettings};
pub(crate) use self::memory::MemorySettings;
pub(crate) use self::metadata::MetadataSection;
pub(crate) use self::portal::PortalSection;
pub(crate) use self::reads::ReadSettings;
pub(crate) use self::search::SearchSettings;
pub(crate) use self::server::ServerSettings;
#[cfg(test)]
pub(crate) use self::sources::is_setting;
pub(crate) use self::sources::{complete, document, environment};
pub(crate) use self::storage::StorageSettings;
pub(crate) use self::store::StoreSettings;
pub(crate) use self::tracing::TracingSettings;
pub(crate) use self::values::secret;
use crate::error::CliError;

/// Every setting of a server.
#[derive(Debug, Args)]
pub(crate) struct Settings {
    #[command(flatten)]
    pub(crate) server: ServerSettings,
    #[command(flatten)]
    pub(crate) access: AccessSettings,
    #[command(flatten)]
    pub(crate) portal: PortalSection,
    #[command(flatten)]
    pub(crate) limits: LimitsSection,
    #[command(flatten)]
    pub(crate) store: StoreSettings,
    #[command(flatten)]
    pub(crate) database: DatabaseSettings,
    #[command(flatten)]
    pub(crate) metadata: MetadataSection,
    #[command(flatten)]
    pub(crate) storage: StorageSettings,
    #[command(flatten)]
    pub(crate) external_validation: ExternalValidationSettings,
    #[command(flatten)]
    pub(crate) kafka: KafkaSection,
    #[command(flatten)]
    pub(crate) search: SearchSettings,
    #[command(flatten)]
    pub(crate) engine: EngineSection,
    #[command(flatten)]
    pub(crate) logging: LoggingSettings,
    #[command(flatten)]
    pub(crate) tracing: TracingSettings,
}

impl Settings {
    /// Returns the settings of the HTTP server.
    pub(crate) fn http(&self) -> HttpSettings {
        HttpSettings {
            body_limit: self.server.body_limit,
            allowed_origins: self.search.allowed_origins(),
            public_address: self.server.public_address(),
            ping_path: self.search.ping_path.clone(),
            ready_path: self.search.ready_path.clone(),
            limits: self.limits.settings(),
            portal: self.portal.portal_texts.clone().unwrap_or_default(),
            metrics: self.server.metrics,
        }
    }

    /// Returns the settings of the Kafka relay, if it is enabled.
    pub(crate) fn kafka(&self) -> Result<Option<RelaySettings>, CliError> {
        self.kafka.settings(&self.metadata.server_id)
    }

    /// Rejects settings that contradict each other.
    pub(crate) fn check(&self) -> Result<(), CliError> {
        self.access.check(self.server.bind_addr, self.server.public_url.as_ref())?;
        self.search.check()?;
        self.engine.check()?;
        self.kafka()?;
        self.database.address()?;
        self.storage.client().map(|_| ())
    }
}
