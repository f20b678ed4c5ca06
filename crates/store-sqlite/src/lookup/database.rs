//! The lookup database: runs of entries, and how far they are complete.
//!
//! Every batch is flushed as a run; when a level has eight runs they are merged into one of the next level. So an entry is
//! written a few times at most, always in sequence, and a search has few runs to read, nearly all of which their Bloom
//! filters rule out.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cantata_core::{AnalysisId, error_chain};
use cantata_durable_file as durable_file;
use cantata_store::{Result, StoreError};
use rusqlite::{Connection, OptionalExtension};

use super::key::LookupKey;
use super::merge::merge;
use super::run::{CHUNK_ENTRIES, Run};
use super::run_writer::{RunWriter, read_runs};
use super::state::{LookupEntry, Runs};
use crate::checksum::check;
use crate::database::{enable_stable_plans, lookup_error};
use crate::file_block::decode_readable;

/// The version of the file format; a file of another version is rebuilt.
const FORMAT_VERSION: i64 = 5;

/// How many runs of one level are merged into one of the next.
const MERGE_FAN_IN: usize = 8;

const TABLES: &str = "
    CREATE TABLE chunk (chunk_id INTEGER PRIMARY KEY AUTOINCREMENT, entries BLOB NOT NULL) STRICT;
    CREATE TABLE run (
        run_key      INTEGER PRIMARY KEY AUTOINCREMENT,
        level        INTEGER NOT NULL,
        first_chunk  INTEGER NOT NULL,
        first_hashes BLOB    NOT NULL,
        bloom        BLOB    NOT NULL,
        checksum     INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE progress (secret BLOB NOT NULL, applied INTEGER NOT NULL) STRICT;
";

pub(crate) struct LookupDatabase {
    path: PathBuf,
    connection: Connection,
    key: LookupKey,
    applied: i64,
    runs: Runs,
}

fn failed(error: rusqlite::Error) -> StoreError {
    lookup_error("using the lookup database", error)
}

impl LookupDatabase {
    /// Opens the database. One that is missing, damaged or of another format is rebuilt.
    ///
    /// # Errors
    ///
    /// If it is ahead of the metadata, which it is derived from: then the metadata has lost what it had.
    pub(crate) fn open(path: &Path, metadata: &Connection) -> Result<Self> {
        remove(&unfinished(path))?;
        match Self::open_existing(path) {
            Ok(Some(database)) => {
                database.ensure_not_ahead(metadata)?;
                return Ok(database);
            }
            Ok(None) => {}
            Err(error) => tracing::warn!(error = error_chain(&error), "the lookup index cannot be used and is rebuilt"),
        }
        Self::recreate(path)
    }

    /// Creates a database without runs in the place of one that cannot be used.
    pub(crate) fn recreate(path: &Path) -> Result<Self> {
        remove(path)?;
        Self::create(path, LookupKey::random())
    }

    /// Creates a database without runs.
    fn create(path: &Path, key: LookupKey) -> Result<Self> {
        let connection = connect(path)?;
        connection.execute_batch(TABLES).map_err(failed)?;
        connection.pragma_update(None, "user_version", FORMAT_VERSION).map_err(failed)?;
        connection
            .execute("INSERT INTO progress (secret, applied) VALUES (?1, 0)", [key.as_bytes()])
            .map_err(failed)?;
        Ok(Self { path: path.to_owned(), connection, key, applied: 0, runs: Runs::default() })
    }

    /// Rebuilds a database that is damaged from the metadata, as another file with the same secret. The old file is searched
    /// until the new one has taken its place; a search opens the new one when it gets the new list of runs.
    pub(crate) fn rebuild(
        &mut self,
        metadata: &Connection,
        batch: usize,
        is_stopping: &dyn Fn() -> bool,
    ) -> Result<()> {
        let unfinished = unfinished(&self.path);
        remove(&unfinished)?;
        let rebuilt = self.replace_with(&unfinished, metadata, batch, is_stopping);
        if rebuilt.is_err()
            && let Err(error) = remove(&unfinished)
        {
            tracing::warn!(error = error_chain(&error), "what is left of a failed rebuild could not be removed");
        }
        rebuilt
    }

    /// Builds a database as another file, which then takes the place of this one.
    fn replace_with(
        &mut self,
        unfinished: &Path,
        metadata: &Connection,
        batch: usize,
        is_stopping: &dyn Fn() -> bool,
    ) -> Result<()> {
        let io_failed = |error: std::io::Error| StoreError::failed("replacing the lookup database", error);
        let mut new = Self::create(unfinished, self.key)?;
        // Chunks never get numbers of the old file, so a search that has the old list of runs finds that they are gone.
        let last_chunk = self.runs.iter().map(|run| run.chunk_ids().end).max().unwrap_or(0);
        new.connection
            .execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('chunk', ?1)", [last_chunk])
            .map_err(failed)?;
        let mut rest = new.catch_up(metadata, batch, is_stopping)?;
        if !rest.is_empty() {
            rest.sort_unstable();
            new.apply(rest.into_iter())?;
        }
        new.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).map_err(failed)?;
        new.connection.close().map_err(|(_, error)| failed(error))?;
        // SQLite would apply the log of the old file to the new one. The old file goes first: without its log it would look
        // whole after a crash, and a missing one is rebuilt.
        remove(&self.path)?;
        durable_file::sync_folder(durable_file::parent(&self.path)).map_err(io_failed)?;
        durable_file::rename(unfinished, &self.path).map_err(io_failed)?;
        let incomplete = || StoreError::corrupt("the lookup database", "it was rebuilt and has another format");
        let file = self.runs.file + 1;
        *self = Self::open_existing(&self.path)?.ok_or_else(incomplete)?;
        self.runs.file = file;
        Ok(())
    }

    /// Fails if it has more than the metadata, which it is derived from: then the metadata has lost something.
    pub(crate) fn ensure_not_ahead(&self, metadata: &Connection) -> Result<()> {
        let newest: Option<i64> = metadata
            .query_row("SELECT seq FROM sqlite_sequence WHERE name = 'file_block'", [], |row| row.get(0))
            .optional()
            .map_err(|error| StoreError::failed("reading the newest block key", error))?;
        let (applied, newest) = (self.applied, newest.unwrap_or(0));
        if applied <= newest {
            return Ok(());
        }
        let cause = format!(
            "lookup.db has blocks of files up to number {applied}, but metadata.db, which it is derived from, only up to \
             {newest}; restore the data folder from a backup, or, if this metadata.db is the right one, delete lookup.db"
        );
        Err(StoreError::corrupt("metadata.db", cause))
    }

    /// Returns the current runs.
    pub(crate) fn runs(&self) -> Runs {
        self.runs.clone()
    }

    /// Returns the secret that the entries are hashed with.
    pub(crate) fn key(&self) -> LookupKey {
        self.key
    }

    /// Returns up to which block it is complete.
    pub(crate) fn applied(&self) -> i64 {
        self.applied
    }

    /// Opens a database of this format.
    pub(crate) fn open_existing(path: &Path) -> Result<Option<Self>> {
        let connection = connect(path)?;
        let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(failed)?;
        if version != FORMAT_VERSION {
            return Ok(None);
        }
        let (secret, applied) = connection
            .query_row("SELECT secret, applied FROM progress", [], |row| Ok((row.get(0)?, row.get(1)?)))
            .map_err(failed)?;
        let runs = Runs::new(0, read_runs(&connection)?);
        let key = LookupKey::from_bytes(secret);
        Ok(Some(Self { path: path.to_owned(), connection, key, applied, runs }))
    }

    /// Reads the blocks that are missing here, writes full batches and returns the entries of the rest. A block that is
    /// damaged is reported, and what can be read of it is added: a read that finds it by that gets its error.
    ///
    /// # Errors
    ///
    /// If the metadata cannot be read, the store is closed meanwhile, or this database is damaged (`Corrupt`).
    pub(crate) fn catch_up(
        &mut self,
        metadata: &Connection,
        batch: usize,
        is_stopping: &dyn Fn() -> bool,
    ) -> Result<Vec<LookupEntry>> {
        let failed = |error: rusqlite::Error| StoreError::failed("reading blocks of files for the lookup", error);
        let sql = "SELECT block_key, analysis_id, files, checksum FROM file_block
                   WHERE block_key > ?1 ORDER BY block_key";
        let mut statement = metadata.prepare(sql).map_err(failed)?;
        let mut rows = statement.query([self.applied]).map_err(failed)?;
        let mut entries: Vec<LookupEntry> = Vec::new();
        while let Some(row) = rows.next().map_err(failed)? {
            let (block_key, analysis_id, encoded, checksum) =
                <(i64, [u8; 16], Vec<u8>, Option<u32>)>::try_from(row).map_err(failed)?;
            let location = || format!("the files of analysis {}", AnalysisId::from_bytes(analysis_id));
            let (files, cut_off) = decode_readable(&encoded);
            if let Err(error) = check(checksum, &[&analysis_id, &encoded], location).and(cut_off) {
                let error = error_chain(&error);
                tracing::error!(error, block_key, "a block of metadata.db is damaged; restore it from a backup");
            }
            let hashes = files.iter().flat_map(|file| self.key.hashes_of(file));
            entries.extend(hashes.map(|hash| (hash, block_key)));
            if entries.len() >= 4 * batch {
                if is_stopping() {
                    return Err(StoreError::unavailable("the store is closed"));
                }
                tracing::info!(entries = entries.len(), "catching up the lookup index");
                entries.sort_unstable();
                self.apply(entries.drain(..))?;
            }
        }
        Ok(entries)
    }

    /// Writes a sorted batch as a run, merges runs where there are many, and records how far the database is complete.
    pub(crate) fn apply(&mut self, batch: impl ExactSizeIterator<Item = LookupEntry>) -> Result<()> {
        let mut applied = self.applied;
        let transaction = self.connection.transaction().map_err(failed)?;
        let mut writer = RunWriter::new(&transaction, batch.len());
        for entry in batch {
            applied = applied.max(entry.1);
            writer.add(entry)?;
        }
        let mut runs = self.runs.to_vec();
        runs.push(Arc::new(writer.finish(0)?));
        merge_levels(&transaction, &mut runs)?;
        transaction.execute("UPDATE progress SET applied = ?1", [applied]).map_err(failed)?;
        transaction.commit().map_err(failed)?;
        self.applied = applied;
        self.runs = Runs::new(self.runs.file, runs);
        self.connection.execute_batch("PRAGMA shrink_memory").map_err(failed)
    }
}

/// Returns the name of a database that is being rebuilt.
fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".unfinished");
    name.into()
}

/// Removes the files of the database, the main one first.
pub(crate) fn remove(path: &Path) -> Result<()> {
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
    Ok(())
}

/// Merges the runs of each level that has many into one of the next.
fn merge_levels(transaction: &Connection, runs: &mut Vec<Arc<Run>>) -> Result<()> {
    let mut level = 0;
    loop {
        let (merged, others): (Vec<Arc<Run>>, Vec<Arc<Run>>) = runs.iter().cloned().partition(|run| run.level == level);
        if merged.len() < MERGE_FAN_IN {
            return Ok(());
        }
        let chunks: usize = merged.iter().map(|run| run.first_hashes.len()).sum();
        let mut writer = RunWriter::new(transaction, chunks * CHUNK_ENTRIES);
        merge(transaction, &merged, |entry| writer.add(entry))?;
        *runs = others;
        level += 1;
        runs.push(Arc::new(writer.finish(level)?));
        for run in merged {
            let chunks = run.chunk_ids();
            transaction
                .execute("DELETE FROM chunk WHERE chunk_id >= ?1 AND chunk_id < ?2", [chunks.start, chunks.end])
                .and_then(|_| transaction.execute("DELETE FROM run WHERE run_key = ?1", [run.run_key]))
                .map_err(failed)?;
        }
    }
}

fn connect(path: &Path) -> Result<Connection> {
    let connection = Connection::open(path).map_err(failed)?;
    connection.pragma_update(None, "journal_mode", "WAL").map_err(failed)?;
    // A commit that is lost in a power failure is repeated at the next start.
    connection.pragma_update(None, "synchronous", "NORMAL").map_err(failed)?;
    connection.pragma_update(None, "cache_size", -16_384).map_err(failed)?;
    enable_stable_plans(&connection).map_err(failed)?;
    Ok(connection)
}
