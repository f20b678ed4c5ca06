//! The store of the metadata service: SQLite in the data folder, or PostgreSQL.

use std::path::Path;
use std::sync::Arc;

use cantata_store::Store;
use cantata_store_postgres::PostgresStore;
use cantata_store_sqlite::SqliteStore;
use clap::Args;

use crate::data_dir::{ensure_metadata_is_not_lost, unusable};
use crate::error::CliError;
use crate::settings::{ConfigArgument, DatabaseSettings, LoggingSettings, StoreSettings};

/// The arguments that locate the store.
#[derive(Debug, Args)]
pub(crate) struct StoreAccessArguments {
    #[command(flatten)]
    config: ConfigArgument,
    #[command(flatten)]
    pub(crate) store: StoreSettings,
    #[command(flatten)]
    pub(crate) database: DatabaseSettings,
    #[command(flatten)]
    pub(crate) logging: LoggingSettings,
}

/// Opens the configured database, or the one in the data folder.
pub(crate) async fn open_store(database: &DatabaseSettings, folder: &Path) -> Result<Arc<dyn Store>, CliError> {
    let Some(address) = database.address()? else {
        ensure_metadata_is_not_lost(folder)?;
        let store = SqliteStore::open(folder).map_err(|error| unusable(folder, error))?;
        return Ok(Arc::new(store));
    };
    let store = PostgresStore::open(&address, database.database_connections).await.map_err(|error| {
        CliError::caused(format!("the database {address} cannot be used"), error)
            .with_hint("DATABASE_URL names the database")
    })?;
    tracing::info!("studies, types and analyses are in the database {address}");
    Ok(Arc::new(store))
}
