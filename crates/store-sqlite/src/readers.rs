//! The connections that read: taken for one request, given back after it. Readers never wait for the writer or for
//! each other; when all are out, another is opened.

use std::sync::Mutex;

use cantata_store::{Result, StoreError};
use rusqlite::Connection;

use crate::database::{Files, open_reader};
use crate::lookup::{Lookup, LookupReader};

/// How many idle readers are kept.
const KEPT_READERS: usize = 8;

/// A connection to the metadata database and one to the lookup database.
pub(crate) struct Reader {
    pub(crate) metadata: Connection,
    pub(crate) lookup: LookupReader,
}

pub(crate) struct Readers {
    files: Files,
    lookup: Lookup,
    idle: Mutex<Vec<Reader>>,
}

impl Readers {
    pub(crate) fn new(files: Files, lookup: Lookup) -> Self {
        Self { files, lookup, idle: Mutex::new(Vec::new()) }
    }

    /// Runs one piece of reading.
    pub(crate) fn read<T>(&self, work: impl FnOnce(&Reader) -> Result<T>) -> Result<T> {
        let idle = self.idle().pop();
        let reader = match idle {
            Some(reader) => reader,
            None => self.open()?,
        };
        let outcome = work(&reader);
        let mut idle = self.idle();
        if idle.len() < KEPT_READERS {
            idle.push(reader);
        }
        outcome
    }

    fn open(&self) -> Result<Reader> {
        let lookup = self.lookup.reader(open_reader(&self.files.lookup)?);
        Ok(Reader { metadata: open_reader(&self.files.metadata)?, lookup })
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Reader>> {
        self.idle.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Runs work whose statements must all see the same state of the database, the one of the moment of the call.
pub(crate) fn snapshot<T>(reader: &Reader, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let failed = |error: rusqlite::Error| StoreError::failed("taking a snapshot to read from", error);
    let transaction = reader.metadata.unchecked_transaction().map_err(failed)?;
    // SQLite takes the snapshot at the first read, not at BEGIN.
    transaction
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM study)")
        .and_then(|mut select| select.query_row([], |_| Ok(())))
        .map_err(failed)?;
    let outcome = work();
    transaction.finish().map_err(failed)?;
    outcome
}
