//! Prepared statements, each prepared once per connection, and the conversions between Rust and SQL types.

use cantata_core::AnalysisId;
use cantata_store::{Result, Revision, StoreError};
use deadpool_postgres::{GenericClient, Object, Transaction};
use tokio_postgres::types::ToSql;
use tokio_postgres::{IsolationLevel, Row};
use uuid::Uuid;

use crate::error::{read_error, write_error};

pub(crate) use cantata_store::codes::to_bigint;

/// A parameter of a statement.
pub(crate) type SqlParam<'a> = &'a (dyn ToSql + Sync);

/// Returns all rows of a query.
pub(crate) async fn query(
    client: &impl GenericClient,
    operation: &'static str,
    sql: &str,
    params: &[SqlParam<'_>],
) -> Result<Vec<Row>> {
    let statement = client.prepare_cached(sql).await.map_err(read_error(operation))?;
    client.query(&statement, params).await.map_err(read_error(operation))
}

/// Returns the first row of a query, if it has one.
pub(crate) async fn query_opt(
    client: &impl GenericClient,
    operation: &'static str,
    sql: &str,
    params: &[SqlParam<'_>],
) -> Result<Option<Row>> {
    Ok(query(client, operation, sql, params).await?.into_iter().next())
}

/// Returns the only row of a query.
pub(crate) async fn query_one(
    client: &impl GenericClient,
    operation: &'static str,
    sql: &str,
    params: &[SqlParam<'_>],
) -> Result<Row> {
    let row = query_opt(client, operation, sql, params).await?;
    row.ok_or_else(|| StoreError::failed(operation, "the query returned no row"))
}

/// Executes a statement and returns how many rows it changed.
pub(crate) async fn execute(
    client: &impl GenericClient,
    operation: &'static str,
    sql: &str,
    params: &[SqlParam<'_>],
) -> Result<u64> {
    let statement = client.prepare_cached(sql).await.map_err(read_error(operation))?;
    client.execute(&statement, params).await.map_err(write_error(operation))
}

/// Begins a transaction whose statements all see the same state of the database.
pub(crate) async fn read_snapshot(client: &mut Object) -> Result<Transaction<'_>> {
    let transaction = client.build_transaction().isolation_level(IsolationLevel::RepeatableRead).read_only(true);
    transaction.start().await.map_err(read_error("taking a snapshot to read from"))
}

/// Converts an id to its SQL type.
pub(crate) fn to_uuid(id: AnalysisId) -> Uuid {
    Uuid::from_bytes(*id.as_bytes())
}

/// Reads the number of a revision or an event.
pub(crate) fn from_bigint(stored: i64) -> Result<u64> {
    u64::try_from(stored).map_err(|error| StoreError::corrupt("an event number", error))
}

/// Reads a revision from the first column.
pub(crate) fn read_revision(row: &Row) -> Result<Revision> {
    from_bigint(row.get(0)).map(Revision)
}
