//! A pool of read-only connections. Readers never wait for the writer or for each other: when the pool is empty, another
//! connection is opened.

use std::sync::Mutex;

use cantata_store::{Result, StoreError};
use rusqlite::Connection;

use crate::database::{StorePaths, open_reader, with_statement};
use crate::lookup::{Lookup, LookupReader};

/// How many idle readers the pool keeps.
const MAX_IDLE_READERS: usize = 8;

/// A connection to the metadata database and one to the lookup database.
pub(crate) struct Reader {
    pub(crate) metadata: Connection,
    pub(crate) lookup: LookupReader,
}

/// The pool of readers.
pub(crate) struct ReaderPool {
    files: StorePaths,
    lookup: Lookup,
    idle: Mutex<Vec<Reader>>,
}

impl ReaderPool {
    pub(crate) fn new(files: StorePaths, lookup: Lookup) -> Self {
        Self { files, lookup, idle: Mutex::new(Vec::new()) }
    }

    /// Runs work with a reader of the pool.
    pub(crate) fn read<T>(&self, work: impl FnOnce(&Reader) -> Result<T>) -> Result<T> {
        let idle = self.idle().pop();
        let reader = match idle {
            Some(reader) => reader,
            None => self.open()?,
        };
        let outcome = work(&reader);
        let mut idle = self.idle();
        if idle.len() < MAX_IDLE_READERS {
            idle.push(reader);
        }
        outcome
    }

    fn open(&self) -> Result<Reader> {
        Ok(Reader { metadata: open_reader(&self.files.metadata)?, lookup: self.lookup.reader()? })
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Reader>> {
        self.idle.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Runs work whose statements all see the same snapshot of the database, taken at the time of the call.
pub(crate) fn with_snapshot<T>(reader: &Reader, work: impl FnOnce() -> Result<T>) -> Result<T> {
    const OPERATION: &str = "taking a snapshot to read from";
    let failed = |error: rusqlite::Error| StoreError::failed(OPERATION, error);
    let transaction = reader.metadata.unchecked_transaction().map_err(failed)?;
    // SQLite takes the snapshot at the first read, not at BEGIN.
    let sql = "SELECT EXISTS (SELECT 1 FROM study)";
    with_statement(&transaction, OPERATION, sql, |select| select.query_row([], |_| Ok(())))?;
    let outcome = work();
    transaction.finish().map_err(failed)?;
    outcome
}
