//! Opens the database files: locked for one process, migrated, durable.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use cantata_store::{Result, StoreError};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, Statement, ffi};

use crate::missing_checksums::WITH_CHECKSUMS;

mod embedded {
    refinery::embed_migrations!("migrations");
}

/// The version of the tables since which rows have checksums.
pub(crate) const CHECKSUMS_VERSION: i32 = 4;

/// The version of the tables since which there are shared records.
pub(crate) const SHARED_RECORDS_VERSION: i32 = 5;

/// The name of the database file; everything else in the folder is derived from it.
pub const METADATA_FILE: &str = "metadata.db";

/// The paths of the files of a store.
#[derive(Debug, Clone)]
pub(crate) struct StorePaths {
    pub(crate) metadata: PathBuf,
    pub(crate) lookup: PathBuf,
    lock: PathBuf,
}

impl StorePaths {
    pub(crate) fn within(folder: &Path) -> Self {
        Self { metadata: folder.join(METADATA_FILE), lookup: folder.join("lookup.db"), lock: folder.join("store.lock") }
    }

    /// Locks the folder for this process until the returned file is closed, however the process ends.
    ///
    /// SQLite alone would admit a second process, whose writes the lookup index in memory would miss.
    pub(crate) fn lock(&self) -> Result<File> {
        let failed = |cause: String| StoreError::failed("locking the data folder", cause);
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

/// Enables query plans that do not depend on bound values; otherwise SQLite prepares every join again for each new
/// value, which takes longer than running it.
pub(crate) fn enable_stable_plans(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(64);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map(|_| ())
}

/// Opens the connection of the writer and runs the migrations.
pub(crate) fn open_writer(path: &Path) -> Result<Connection> {
    let failed = |error: rusqlite::Error| StoreError::failed("opening the metadata database", error);
    let mut connection = Connection::open(path).map_err(failed)?;
    connection.pragma_update(None, "journal_mode", "WAL").map_err(failed)?;
    connection.pragma_update(None, "synchronous", "FULL").map_err(failed)?;
    connection.pragma_update(None, "cache_size", -32_768).map_err(failed)?;
    // What is written refers only to what the same transaction has read or written.
    connection.pragma_update(None, "foreign_keys", false).map_err(failed)?;
    connection.pragma_update(None, "wal_autocheckpoint", 4_000).map_err(failed)?;
    enable_stable_plans(&connection).map_err(failed)?;
    // The log begins again, so that `check_wal` never meets the remains of an earlier recovery.
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).map_err(failed)?;
    migrate(path, &mut connection)?;
    Ok(connection)
}

/// Brings the tables to the newest version. A copy of an older database is kept beside it, as the way back to the version of
/// Cantata that wrote it.
fn migrate(path: &Path, connection: &mut Connection) -> Result<()> {
    const OPERATION: &str = "migrating the metadata database";
    // Otherwise a migration and the note that it was made are two transactions, and a crash between them is for good.
    let runner = embedded::migrations::runner().set_grouped(true);
    let newest = runner.get_migrations().iter().map(refinery::Migration::version).max().unwrap_or_default();
    let found = schema_version(connection)?;
    if found > newest {
        let cause = format!(
            "{} has schema version {found}, and this version of Cantata knows up to {newest}; use the version that wrote it, \
             or a newer one",
            path.display()
        );
        return Err(StoreError::failed("opening the metadata database", cause));
    }
    let is_upgrade = (1..newest).contains(&found);
    if is_upgrade {
        keep_copy(path, connection, newest)?;
    }
    runner.run(connection).map_err(|error| StoreError::failed(OPERATION, error))?;
    if found == 0 {
        // A new database has no rows without checksums.
        connection
            .pragma_update(None, "user_version", WITH_CHECKSUMS)
            .map_err(|error| sqlite_error(OPERATION, error))?;
    }
    if is_upgrade {
        tracing::info!(from = found, to = newest, "the metadata database was upgraded; a copy of the old one is kept");
    }
    Ok(())
}

/// Copies the database to `….before-V5`, if 5 is the version that it is about to get.
fn keep_copy(path: &Path, connection: &Connection, version: i32) -> Result<()> {
    const OPERATION: &str = "keeping a copy of the metadata database before its upgrade";
    let failed = |error: std::io::Error| StoreError::failed(OPERATION, error);
    let beside = |suffix: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".before-V{version}{suffix}"));
        PathBuf::from(name)
    };
    let unfinished = beside(".unfinished");
    match fs_err::remove_file(&unfinished) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    let name = unfinished.to_str().ok_or_else(|| StoreError::failed(OPERATION, "the name of the copy is no text"))?;
    with_statement(connection, OPERATION, "VACUUM INTO ?1", |copy| copy.execute([name]))?;
    fs_err::File::open(&unfinished).and_then(|copy| copy.sync_all()).map_err(failed)?;
    cantata_durable_file::rename(&unfinished, &beside("")).map_err(failed)
}

/// Returns the version of the tables of a database; 0 for one without tables.
pub(crate) fn schema_version(connection: &Connection) -> Result<i32> {
    const OPERATION: &str = "reading the version of the metadata database";
    let read = |sql: &str| -> Result<i32> {
        with_statement(connection, OPERATION, sql, |select| select.query_row([], |row| row.get(0)))
    };
    let tables = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'refinery_schema_history'";
    if read(tables)? == 0 {
        return Ok(0);
    }
    read("SELECT coalesce(max(version), 0) FROM refinery_schema_history")
}

/// Runs work with a statement that is prepared once per connection; an error names the operation.
pub(crate) fn with_statement<T>(
    connection: &Connection,
    operation: &'static str,
    sql: &str,
    work: impl FnOnce(&mut Statement<'_>) -> rusqlite::Result<T>,
) -> Result<T> {
    run_statement(connection, sql, work).map_err(|error| sqlite_error(operation, error))
}

fn run_statement<T>(
    connection: &Connection,
    sql: &str,
    work: impl FnOnce(&mut Statement<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    connection.prepare_cached(sql).and_then(|mut statement| work(&mut statement))
}

/// Makes the error of an operation: a damaged file, and a disk that is full, over its quota or read-only, are errors of
/// their own.
pub(crate) fn sqlite_error(operation: &'static str, error: rusqlite::Error) -> StoreError {
    if is_damage(&error) {
        StoreError::corrupt(format!("the database that was used for {operation}"), error)
    } else if is_not_writable(&error) {
        StoreError::not_writable(operation, error)
    } else {
        StoreError::failed(operation, error)
    }
}

/// Runs work with a statement of the lookup database.
pub(crate) fn with_lookup_statement<T>(
    connection: &Connection,
    operation: &'static str,
    sql: &str,
    work: impl FnOnce(&mut Statement<'_>) -> rusqlite::Result<T>,
) -> Result<T> {
    run_statement(connection, sql, work).map_err(|error| lookup_error(operation, error))
}

/// Makes the error of an operation on the lookup database. A part of it that the disk does not give back is damage like
/// any other: it is derived, and another file can be read.
pub(crate) fn lookup_error(operation: &'static str, error: rusqlite::Error) -> StoreError {
    let is_unreadable = error.sqlite_error().is_some_and(|error| error.extended_code == ffi::SQLITE_IOERR_READ);
    if is_unreadable { StoreError::corrupt("lookup.db", error) } else { sqlite_error(operation, error) }
}

/// Returns whether an error says that a file is not as SQLite or this store has written it.
fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::Error as E;
    match error {
        E::SqliteFailure(error, _) => matches!(error.code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase),
        E::FromSqlConversionFailure(..)
        | E::IntegralValueOutOfRange(..)
        | E::InvalidColumnType(..)
        | E::Utf8Error(..) => true,
        _ => false,
    }
}

fn is_not_writable(error: &rusqlite::Error) -> bool {
    let Some(error) = error.sqlite_error() else { return false };
    // A quota is an error of single system calls. A failed fsync is not among them: what it leaves on disk is not known.
    let failed_writes = [ffi::SQLITE_IOERR_WRITE, ffi::SQLITE_IOERR_TRUNCATE, ffi::SQLITE_IOERR_SHMSIZE];
    matches!(error.code, ErrorCode::DiskFull | ErrorCode::ReadOnly) || failed_writes.contains(&error.extended_code)
}

/// Opens a read-only connection.
pub(crate) fn open_reader(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    Connection::open_with_flags(path, flags)
        .and_then(|connection| enable_stable_plans(&connection).map(|()| connection))
        .map_err(|error| StoreError::failed("opening a database for reading", error))
}

#[cfg(test)]
mod tests {
    use cantata_core::{AnalysisId, AnalysisState, Study};
    use cantata_store::{AnalysisQuery, Revision, Store};
    use refinery::Target;

    use super::*;
    use crate::SqliteStore;

    #[tokio::test]
    async fn what_an_older_version_has_stored_is_found_and_listed() {
        let folder = tempfile::tempdir().unwrap();
        let ids = [AnalysisId::from_bytes([2; 16]), AnalysisId::from_bytes([1; 16])];
        {
            let mut older = Connection::open(StorePaths::within(folder.path()).metadata).unwrap();
            embedded::migrations::runner().set_target(Target::Version(2)).run(&mut older).unwrap();
            let study = Study { study_id: "S".into(), ..Study::default() };
            let document = serde_json::to_string(&study).unwrap();
            older.execute("INSERT INTO study VALUES (1, 'S', ?1)", [document]).unwrap();
            for id in ids {
                older.execute("INSERT INTO event VALUES (NULL, ?1, 1, 0, 0, '{}')", [id.as_bytes()]).unwrap();
                let revision = older.last_insert_rowid();
                older.execute("INSERT INTO analysis VALUES (?1, 1, 0, ?2)", (id.as_bytes(), revision)).unwrap();
            }
        }
        let store = SqliteStore::open(folder.path()).unwrap();
        let states = [AnalysisState::Unpublished].into_iter().collect();
        let query = AnalysisQuery::all("S", states);
        assert_eq!(store.list_analyses(&query).await.unwrap(), [Revision(2), Revision(1)]);
        assert_eq!(store.analysis(ids[0]).await.unwrap().unwrap().revision, Revision(1));
        let kept = Connection::open(folder.path().join("metadata.db.before-V5")).unwrap();
        assert_eq!(schema_version(&kept).unwrap(), 2);
        let count: u64 = kept.query_row("SELECT count(*) FROM event", [], |row| row.get(0)).unwrap();
        assert_eq!(count, 2);
    }

    #[test]
    fn a_lookup_that_the_disk_does_not_give_back_is_damaged_and_metadata_is_not() {
        let unreadable = || rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_IOERR_READ), None);
        assert!(matches!(lookup_error("reading", unreadable()), StoreError::Corrupt { .. }));
        assert!(matches!(sqlite_error("reading", unreadable()), StoreError::Failed { .. }));
    }

    #[test]
    fn a_database_of_a_newer_version_is_refused_with_both_versions() {
        let folder = tempfile::tempdir().unwrap();
        drop(SqliteStore::open(folder.path()).unwrap());
        assert!(!folder.path().join("metadata.db.before-V5").is_file(), "a new database needs no way back");
        let newer = Connection::open(StorePaths::within(folder.path()).metadata).unwrap();
        let sql = "INSERT INTO refinery_schema_history SELECT 99, 'later', applied_on, checksum
                   FROM refinery_schema_history LIMIT 1";
        newer.execute(sql, []).unwrap();
        drop(newer);
        let refused = SqliteStore::open(folder.path()).map(drop).unwrap_err();
        let text = cantata_core::error_chain(&refused);
        assert!(text.contains("schema version 99") && text.contains("knows up to 5"), "{text}");
    }
}
