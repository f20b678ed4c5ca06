//! Schema migrations, by one server at a time.

use cantata_store::{Result, StoreError};
use tokio_postgres::Client;

use crate::error::read_error;
use crate::pool::ConnectionPool;

mod embedded {
    refinery::embed_migrations!("migrations");
}

/// The oldest version of PostgreSQL that is supported.
const MIN_SERVER_VERSION: i32 = 130_000;

/// The key of the advisory lock that a server holds while it migrates; no other program uses it.
const MIGRATION_LOCK: i64 = 0x6361_6e74_6174_6101;

/// Runs the migrations that are missing.
pub(crate) async fn run_migrations(pool: &ConnectionPool) -> Result<()> {
    let (mut client, connection) = pool.connect().await?;
    let driver = tokio::spawn(connection);
    let migrated = migrate(&mut client).await;
    // Closing the connection releases the lock.
    drop(client);
    let _ = driver.await;
    migrated
}

async fn migrate(client: &mut Client) -> Result<()> {
    let failed = read_error("preparing the database");
    let server = client
        .query_one("SELECT current_setting('server_version_num')::int, current_setting('server_encoding')", &[])
        .await
        .map_err(failed)?;
    let (version, encoding): (i32, String) = (server.get(0), server.get(1));
    if version < MIN_SERVER_VERSION {
        return Err(StoreError::failed("preparing the database", "PostgreSQL 13 or newer is needed"));
    }
    if encoding != "UTF8" {
        let cause = format!("its encoding is {encoding}; make it with ENCODING 'UTF8' TEMPLATE template0");
        return Err(StoreError::failed("preparing the database", cause));
    }
    client.execute("SELECT pg_advisory_lock($1)", &[&MIGRATION_LOCK]).await.map_err(failed)?;
    // Checked first, because the user may not have the right to create a schema.
    let exists = client
        .query_one("SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'cantata')", &[])
        .await
        .map_err(failed)?;
    if !exists.get::<_, bool>(0) {
        client.batch_execute("CREATE SCHEMA cantata").await.map_err(failed)?;
    }
    client.batch_execute("SET search_path TO cantata").await.map_err(failed)?;
    // Otherwise a migration and the note that it was made are two transactions, and a crash between them is for good.
    embedded::migrations::runner()
        .set_grouped(true)
        .run_async(client)
        .await
        .map(|_| ())
        .map_err(|error| StoreError::failed("migrating the database", error))
}
