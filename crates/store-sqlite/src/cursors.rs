//! Cursors and leases of event readers in SQLite.

use std::time::Duration;

use cantata_store::{Result, StoreError};
use rusqlite::{Connection, OptionalExtension};

/// Milliseconds since 1970, by the clock of the database.
macro_rules! now {
    () => {
        "CAST(unixepoch('subsec') * 1000 AS INTEGER)"
    };
}

fn failed(error: rusqlite::Error) -> StoreError {
    StoreError::failed("using the cursor of a reader", error)
}

/// Clears all leases when the store is opened: this process has locked the folder, so no holder is alive.
pub(crate) fn clear_leases(connection: &Connection) -> Result<()> {
    connection.execute("UPDATE event_reader SET holder = NULL WHERE holder IS NOT NULL", []).map(|_| ()).map_err(failed)
}

pub(crate) fn position(connection: &Connection, reader: &str) -> Result<u64> {
    connection
        .prepare_cached("SELECT position FROM event_reader WHERE name = ?1")
        .and_then(|mut select| select.query_row([reader], |row| row.get(0)).optional())
        .map(Option::unwrap_or_default)
        .map_err(failed)
}

pub(crate) fn advance(connection: &Connection, reader: &str, holder: &str, to: u64) -> Result<bool> {
    let to = i64::try_from(to).unwrap_or(i64::MAX);
    connection
        .prepare_cached(concat!(
            "UPDATE event_reader SET position = max(position, ?3)
             WHERE name = ?1 AND holder = ?2 AND leased_until > ",
            now!()
        ))
        .and_then(|mut update| update.execute((reader, holder, to)))
        .map(|moved| moved == 1)
        .map_err(failed)
}

pub(crate) fn acquire_lease(connection: &Connection, reader: &str, holder: &str, duration: Duration) -> Result<bool> {
    let duration = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX / 2);
    connection
        .prepare_cached(concat!(
            "INSERT INTO event_reader (name, holder, leased_until) VALUES (?1, ?2, ",
            now!(),
            " + ?3)
             ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, leased_until = excluded.leased_until
             WHERE holder IS NULL OR holder = excluded.holder OR event_reader.leased_until <= ",
            now!()
        ))
        .and_then(|mut upsert| upsert.execute((reader, holder, duration)))
        .map(|leased| leased == 1)
        .map_err(failed)
}

pub(crate) fn release_lease(connection: &Connection, reader: &str, holder: &str) -> Result<()> {
    connection
        .prepare_cached("UPDATE event_reader SET holder = NULL WHERE name = ?1 AND holder = ?2")
        .and_then(|mut update| update.execute((reader, holder)))
        .map(|_| ())
        .map_err(failed)
}
