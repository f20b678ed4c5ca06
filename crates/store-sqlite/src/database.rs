//! Opening the database files: one process at a time, schema up to date, durability as promised.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use cantata_store::{Result, StoreError};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

mod embedded {
    refinery::embed_migrations!("migrations");
}

/// The name of the file that holds everything a store keeps.
pub const DATABASE: &str = "metadata.db";

/// The files of a store in its folder.
#[derive(Debug, Clone)]
pub(crate) struct Files {
    pub(crate) metadata: PathBuf,
    pub(crate) lookup: PathBuf,
    lock: PathBuf,
}

impl Files {
    pub(crate) fn within(folder: &Path) -> Self {
        Self { metadata: folder.join(DATABASE), lookup: folder.join("lookup.db"), lock: folder.join("store.lock") }
    }

    /// Takes the folder for this process; the lock goes with the returned file, however the process ends.
    ///
    /// SQLite alone would let a second process in, whose writes our in-memory part of the lookup would not see.
    pub(crate) fn lock(&self) -> Result<File> {
        let failed = |cause: String| StoreError::Failed { operation: "locking the data folder", cause };
        let file = fs_err::OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&self.lock)
            .map_err(|error| failed(error.to_string()))?
            .into_parts()
            .0;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => Err(failed(format!(
                "{} is held by another running server; stop it or choose another data folder",
                self.lock.display()
            ))),
            Err(TryLockError::Error(error)) => Err(failed(format!("{}: {error}", self.lock.display()))),
        }
    }
}

/// Makes SQLite keep a prepared statement's plan whatever values are bound to it; without this it prepares every join
/// anew for each new value, which takes longer than running it.
pub(crate) fn keep_plans(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(64);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map(|_| ())
}

/// Opens the connection that writes, bringing the schema up to date first.
pub(crate) fn open_writer(path: &Path) -> Result<Connection> {
    let failed = |error: rusqlite::Error| StoreError::failed("opening the metadata database", error);
    let mut connection = Connection::open(path).map_err(failed)?;
    connection.pragma_update(None, "journal_mode", "WAL").map_err(failed)?;
    connection.pragma_update(None, "synchronous", "FULL").map_err(failed)?;
    connection.pragma_update(None, "cache_size", -32_768).map_err(failed)?;
    // What is written refers only to what the same transaction has read or written.
    connection.pragma_update(None, "foreign_keys", false).map_err(failed)?;
    connection.pragma_update(None, "wal_autocheckpoint", 4_000).map_err(failed)?;
    keep_plans(&connection).map_err(failed)?;
    embedded::migrations::runner()
        .run(&mut connection)
        .map_err(|error| StoreError::failed("migrating the metadata database", error))?;
    Ok(connection)
}

/// Opens a connection that only reads.
pub(crate) fn open_reader(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    Connection::open_with_flags(path, flags)
        .and_then(|connection| keep_plans(&connection).map(|()| connection))
        .map_err(|error| StoreError::failed("opening a database for reading", error))
}
