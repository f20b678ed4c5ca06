//! The lookup database: a table of entries, and how far it is complete.

use std::path::Path;

use cantata_store::{Result, StoreError};
use rusqlite::{Connection, OptionalExtension};

use super::key::LookupKey;
use super::shared::Entry;
use crate::database::keep_plans;

/// Changes with the layout of the file; a file of another layout is made anew.
const LAYOUT: i64 = 2;

const TABLES: &str = "
    CREATE TABLE entry (
        hash     INTEGER NOT NULL,
        file_key INTEGER NOT NULL,
        PRIMARY KEY (hash, file_key)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE progress (secret BLOB NOT NULL, applied INTEGER NOT NULL) STRICT;
";

pub(crate) struct LookupDatabase {
    connection: Connection,
    key: LookupKey,
    applied: i64,
}

fn failed(error: rusqlite::Error) -> StoreError {
    StoreError::failed("using the lookup database", error)
}

impl LookupDatabase {
    /// Opens the database. One that is missing, damaged, of another layout or ahead of the metadata is made anew.
    pub(crate) fn open(path: &Path, metadata: &Connection) -> Result<Self> {
        let newest: Option<i64> = metadata
            .query_row("SELECT seq FROM sqlite_sequence WHERE name = 'file'", [], |row| row.get(0))
            .optional()
            .map_err(|error| StoreError::failed("reading the newest file key", error))?;
        match Self::open_existing(path) {
            Ok(Some(database)) if database.applied <= newest.unwrap_or(0) => return Ok(database),
            Ok(Some(_)) => tracing::warn!("the file lookup is ahead of the metadata; making it anew"),
            Ok(None) => {}
            Err(error) => tracing::warn!(%error, "the file lookup cannot be used; making it anew"),
        }
        for suffix in ["", "-wal", "-shm"] {
            let mut name = path.as_os_str().to_owned();
            name.push(suffix);
            match fs_err::remove_file(Path::new(&name)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(StoreError::failed("removing the lookup database", error));
                }
                _ => {}
            }
        }
        let connection = connect(path)?;
        connection.execute_batch(TABLES).map_err(failed)?;
        connection.pragma_update(None, "user_version", LAYOUT).map_err(failed)?;
        let key = LookupKey::random();
        connection
            .execute("INSERT INTO progress (secret, applied) VALUES (?1, 0)", [key.as_bytes()])
            .map_err(failed)?;
        Ok(Self { connection, key, applied: 0 })
    }

    /// Returns the secret that the entries are hashed with.
    pub(crate) fn key(&self) -> LookupKey {
        self.key
    }

    fn open_existing(path: &Path) -> Result<Option<Self>> {
        let connection = connect(path)?;
        let layout: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(failed)?;
        if layout != LAYOUT {
            return Ok(None);
        }
        let (secret, applied) = connection
            .query_row("SELECT secret, applied FROM progress", [], |row| Ok((row.get(0)?, row.get(1)?)))
            .map_err(failed)?;
        Ok(Some(Self { connection, key: LookupKey::from_bytes(secret), applied }))
    }

    /// Reads the file rows that are missing here, writes full batches and returns the entries of the rest.
    pub(crate) fn catch_up(&mut self, metadata: &Connection, batch: usize) -> Result<Vec<Entry>> {
        let failed = |error: rusqlite::Error| StoreError::failed("reading file rows for the lookup", error);
        let mut statement = metadata
            .prepare("SELECT file_key, object_id, md5 FROM file WHERE file_key > ?1 ORDER BY file_key")
            .map_err(failed)?;
        let mut rows = statement.query([self.applied]).map_err(failed)?;
        let mut entries: Vec<Entry> = Vec::new();
        while let Some(row) = rows.next().map_err(failed)? {
            let read = || Ok(self.key.entries_of(row.get(0)?, &row.get(1)?, &row.get(2)?));
            entries.extend(read().map_err(failed)?);
            if entries.len() >= 4 * batch {
                tracing::info!(entries = entries.len(), "catching up the file lookup");
                entries.sort_unstable();
                self.apply(entries.drain(..))?;
            }
        }
        Ok(entries)
    }

    /// Writes a sorted batch and records how far the database is complete now.
    pub(crate) fn apply(&mut self, batch: impl Iterator<Item = Entry>) -> Result<()> {
        let mut applied = self.applied;
        let transaction = self.connection.transaction().map_err(failed)?;
        {
            let mut insert = transaction
                .prepare_cached("INSERT OR IGNORE INTO entry (hash, file_key) VALUES (?1, ?2)")
                .map_err(failed)?;
            for (hash, file_key) in batch {
                insert.execute((hash, file_key)).map_err(failed)?;
                applied = applied.max(file_key);
            }
        }
        transaction.execute("UPDATE progress SET applied = ?1", [applied]).map_err(failed)?;
        transaction.commit().map_err(failed)?;
        self.applied = applied;
        self.connection.execute_batch("PRAGMA shrink_memory").map_err(failed)
    }
}

fn connect(path: &Path) -> Result<Connection> {
    let connection = Connection::open(path).map_err(failed)?;
    connection.pragma_update(None, "journal_mode", "WAL").map_err(failed)?;
    // A commit that a power failure takes back is simply done again by the next start.
    connection.pragma_update(None, "synchronous", "NORMAL").map_err(failed)?;
    connection.pragma_update(None, "cache_size", -16_384).map_err(failed)?;
    keep_plans(&connection).map_err(failed)?;
    Ok(connection)
}
