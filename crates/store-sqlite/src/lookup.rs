//! Finds file rows by object id and by checksum.
//!
//! Both are hashes, spread evenly, so an ordinary index would touch one page for each file of a submission, more and
//! more of them as the store grows: a submission of 100 files then costs more than twice as much with a million
//! files stored as with none. Instead the metadata database only ever appends file rows, and the index lives here:
//!
//! * **active**: the entries of the newest rows, sorted in memory;
//! * **frozen**: a full batch of them, while it is being written;
//! * **`lookup.db`**: all older entries, `(hash, file key)`, written in large sorted batches by a thread of its own.
//!
//! The database is derived data. It records up to which file key it is complete, in the same transaction as the
//! entries; whatever is missing is read again from the metadata database at start, so losing it costs time, never
//! data. An entry only proposes a row: the caller reads the row and compares the full id or checksum. So entries of
//! deleted rows, of rows not committed yet and with equal hashes do no harm, and entries of committed rows
//! are never removed. A reader that takes its snapshot of the rows first and looks here second misses nothing,
//! because an entry is here before its row can be seen.

mod applier;
mod database;
mod key;
mod shared;
mod writer;

use std::sync::Arc;

use cantata_store::{Result, StoreError};
use rusqlite::Connection;

pub(crate) use database::LookupDatabase;
pub(crate) use writer::LookupWriter;

use applier::Applier;
use key::LookupKey;
use shared::Shared;

/// The handle to the lookup; clones share it.
#[derive(Clone)]
pub(crate) struct Lookup {
    key: LookupKey,
    shared: Arc<Shared>,
    _applier: Arc<Applier>,
}

impl Lookup {
    /// Catches up with the file rows that the lookup database lacks, and starts the thread that feeds it.
    ///
    /// A batch is so many entries. Larger batches write fewer pages for each entry but take more memory, and more rows
    /// to read again after a restart.
    pub(crate) fn start(mut database: LookupDatabase, metadata: &Connection, batch: usize) -> Result<Self> {
        let shared = Arc::new(Shared::new(batch));
        let rest = database.catch_up(metadata, batch)?;
        shared.announce(&rest);
        let key = database.key();
        let applier = Arc::new(Applier::start(database, Arc::clone(&shared))?);
        Ok(Self { key, shared, _applier: applier })
    }

    /// Combines the entries in memory with a connection to those on disk.
    pub(crate) fn reader(&self, database: Connection) -> LookupReader {
        LookupReader { key: self.key, shared: Arc::clone(&self.shared), database }
    }
}

/// Looks entries up, in memory and on disk.
pub(crate) struct LookupReader {
    key: LookupKey,
    shared: Arc<Shared>,
    database: Connection,
}

impl LookupReader {
    /// Shows the keys of the file rows that may have this object id or checksum to `test`, until it returns something.
    ///
    /// Memory is asked first: an entry leaves it only after it is on disk, so none can be missed in between.
    pub(crate) fn find<T>(&self, id: &[u8; 16], mut test: impl FnMut(i64) -> Result<Option<T>>) -> Result<Option<T>> {
        let hash = self.key.hash(id);
        for file_key in self.shared.candidates(hash) {
            if let Some(found) = test(file_key)? {
                return Ok(Some(found));
            }
        }
        let failed = |error: rusqlite::Error| StoreError::failed("looking up a file", error);
        let mut statement =
            self.database.prepare_cached("SELECT file_key FROM entry WHERE hash = ?1").map_err(failed)?;
        let mut rows = statement.query([hash]).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            if let Some(found) = test(row.get(0).map_err(failed)?)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}
