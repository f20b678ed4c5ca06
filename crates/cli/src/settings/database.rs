//! The database server that may take the place of the data folder's own database.

use cantata_catalogue::Secret;
use cantata_store_postgres::DatabaseAddress;
use clap::Args;

use super::values::{secret, whole_number};
use crate::failure::Failure;

#[derive(Debug, Args)]
#[command(next_help_heading = "Store")]
pub(crate) struct DatabaseSettings {
    /// The PostgreSQL database that holds studies, types and analyses, such as
    /// postgres://user:password@host:5432/database; unset, they are in the data folder. As a flag, everybody on the
    /// machine could read the password
    #[arg(long, value_name = "URL", value_parser = secret)]
    database_url: Option<Secret>,
    /// How many connections to that database there are at most, beside one that listens
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = whole_number(1_usize, 1_000))]
    pub(crate) database_connections: usize,
}

impl DatabaseSettings {
    /// Returns where the database is, if one is named.
    pub(crate) fn address(&self) -> Result<Option<DatabaseAddress>, Failure> {
        let Some(url) = self.database_url.as_ref().map(Secret::reveal).filter(|url| !url.is_empty()) else {
            return Ok(None);
        };
        let address = DatabaseAddress::parse(url);
        address.map(Some).map_err(|error| Failure::setting(format!("DATABASE_URL: {error}")))
    }
}
