//! The PostgreSQL database that replaces the one in the data folder.

use cantata_core::Secret;
use cantata_store_postgres::DatabaseUrl;
use clap::Args;

use super::values::{secret, whole_number};
use crate::error::CliError;

#[derive(Debug, Args)]
#[command(next_help_heading = "Store")]
pub(crate) struct DatabaseSettings {
    /// The PostgreSQL database for studies, types and analyses, such as postgres://user:password@host:5432/database; unset,
    /// they are stored in the data folder; other users of the machine can read flags, so prefer the variable
    #[arg(long, value_name = "URL", value_parser = secret)]
    database_url: Option<Secret>,
    /// The maximum number of connections to that database, in addition to one that listens
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = whole_number(1_usize, 1_000))]
    pub(crate) database_connections: usize,
}

impl DatabaseSettings {
    /// Returns the address of the database, if one is set.
    pub(crate) fn address(&self) -> Result<Option<DatabaseUrl>, CliError> {
        let Some(url) = self.database_url.as_ref().map(Secret::reveal).filter(|url| !url.is_empty()) else {
            return Ok(None);
        };
        let address = DatabaseUrl::parse(url);
        address.map(Some).map_err(|error| CliError::setting(format!("DATABASE_URL: {error}")))
    }
}
