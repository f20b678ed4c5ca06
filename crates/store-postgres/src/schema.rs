//! Bringing the tables up to date, one server at a time.

use cantata_store::{Result, StoreError};
use tokio_postgres::Client;

use crate::connections::Connections;
use crate::failure::reading;

mod embedded {
    refinery::embed_migrations!("migrations");
}

/// The oldest server that can be used.
const OLDEST_SERVER: i32 = 130_000;

/// Named by nobody else: the lock that a server holds while it brings the tables up to date.
const MIGRATION_LOCK: i64 = 0x6361_6e74_6174_6101;

/// Makes the tables, or brings those of an older version up to date.
pub(crate) async fn bring_up_to_date(connections: &Connections) -> Result<()> {
    let (mut client, connection) = connections.dedicated().await?;
    let driver = tokio::spawn(connection);
    let migrated = migrate(&mut client).await;
    // The lock goes with the connection, so the next server may start as soon as it is closed.
    drop(client);
    let _ = driver.await;
    migrated
}

async fn migrate(client: &mut Client) -> Result<()> {
    let failed = reading("preparing the database");
    let server = client
        .query_one("SELECT current_setting('server_version_num')::int, current_setting('server_encoding')", &[])
        .await
        .map_err(failed)?;
    let (version, encoding): (i32, String) = (server.get(0), server.get(1));
    if version < OLDEST_SERVER {
        return Err(StoreError::failed("preparing the database", "PostgreSQL 13 or newer is needed"));
    }
    if encoding != "UTF8" {
        let cause = format!("its encoding is {encoding}; make it with ENCODING 'UTF8' TEMPLATE template0");
        return Err(StoreError::failed("preparing the database", cause));
    }
    client.execute("SELECT pg_advisory_lock($1)", &[&MIGRATION_LOCK]).await.map_err(failed)?;
    // Asked first: whoever made the schema need not have given the right to make one.
    let is_there = client
        .query_one("SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'cantata')", &[])
        .await
        .map_err(failed)?;
    if !is_there.get::<_, bool>(0) {
        client.batch_execute("CREATE SCHEMA cantata").await.map_err(failed)?;
    }
    client.batch_execute("SET search_path TO cantata").await.map_err(failed)?;
    embedded::migrations::runner()
        .run_async(client)
        .await
        .map(|_| ())
        .map_err(|error| StoreError::failed("migrating the database", error))
}
