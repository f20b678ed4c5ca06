//! Which store is behind the metadata service: the one in the data folder, or a PostgreSQL database.

use std::path::Path;
use std::sync::Arc;

use cantata_store::Store;
use cantata_store_postgres::PostgresStore;
use cantata_store_sqlite::SqliteStore;

use crate::failure::Failure;
use crate::settings::DatabaseSettings;

/// Opens the database that the settings name, else the one in the data folder.
pub(crate) async fn open_store(database: &DatabaseSettings, folder: &Path) -> Result<Arc<dyn Store>, Failure> {
    let Some(address) = database.address()? else {
        let store = SqliteStore::open(folder).map_err(|error| {
            Failure::Start(format!(
                "the data folder {} cannot be used: {error}; DATA_DIR names the data folder",
                folder.display()
            ))
        })?;
        return Ok(Arc::new(store));
    };
    let store = PostgresStore::open(&address, database.database_connections).await.map_err(|error| {
        Failure::Start(format!("the database {address} cannot be used: {error}; DATABASE_URL names the database"))
    })?;
    tracing::info!("studies, types and analyses are in the database {address}");
    Ok(Arc::new(store))
}
