//! Cursors and leases of event readers in SQLite. Times are milliseconds since 1970, by the clock of the database.

use std::time::Duration;

use cantata_store::Result;
use cantata_store::codes::to_bigint;
use rusqlite::{Connection, OptionalExtension, Params};

use crate::database::with_statement;

const OPERATION: &str = "using the cursor of a reader";

fn execute(connection: &Connection, sql: &str, params: impl Params) -> Result<usize> {
    with_statement(connection, OPERATION, sql, |statement| statement.execute(params))
}

/// Clears all leases when the store is opened: this process has locked the folder, so no holder is alive.
pub(crate) fn clear_leases(connection: &Connection) -> Result<()> {
    execute(connection, "UPDATE event_reader SET holder = NULL WHERE holder IS NOT NULL", []).map(|_| ())
}

pub(crate) fn position(connection: &Connection, reader: &str) -> Result<u64> {
    let sql = "SELECT position FROM event_reader WHERE name = ?1";
    let position =
        with_statement(connection, OPERATION, sql, |select| select.query_row([reader], |row| row.get(0)).optional());
    position.map(Option::unwrap_or_default)
}

pub(crate) fn advance(connection: &Connection, reader: &str, holder: &str, to: u64) -> Result<bool> {
    let sql = "UPDATE event_reader SET position = max(position, ?3)
             WHERE name = ?1 AND holder = ?2 AND leased_until > CAST(unixepoch('subsec') * 1000 AS INTEGER)";
    Ok(execute(connection, sql, (reader, holder, to_bigint(to)))? == 1)
}

pub(crate) fn acquire_lease(connection: &Connection, reader: &str, holder: &str, duration: Duration) -> Result<bool> {
    let duration = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX / 2);
    let sql = "INSERT INTO event_reader (name, holder, leased_until)
             VALUES (?1, ?2, CAST(unixepoch('subsec') * 1000 AS INTEGER) + ?3)
             ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, leased_until = excluded.leased_until
             WHERE holder IS NULL OR holder = excluded.holder
                OR event_reader.leased_until <= CAST(unixepoch('subsec') * 1000 AS INTEGER)";
    Ok(execute(connection, sql, (reader, holder, duration))? == 1)
}

pub(crate) fn release_lease(connection: &Connection, reader: &str, holder: &str) -> Result<()> {
    let sql = "UPDATE event_reader SET holder = NULL WHERE name = ?1 AND holder = ?2";
    execute(connection, sql, (reader, holder)).map(|_| ())
}
