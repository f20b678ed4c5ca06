//! Finds blocks of files by object id and by checksum.
//!
//! Both are spread evenly, so an ordinary index would touch one page for each file of a submission, more and more of
//! them as the store grows: a submission of 100 files then costs more than twice as much with a million files stored
//! as with none. Instead the metadata database only ever appends blocks, and the index lives here:
//!
//! * **active**: the entries of the newest blocks, in memory;
//! * **frozen**: a full batch of them, while it is being written;
//! * **`lookup.db`**: all older entries, `(hash, block key)`, in sorted runs, written and merged by a thread of its own.
//!
//! The database is derived data. It records up to which block it is complete, in the same transaction as the
//! entries; whatever is missing is read again from the metadata database at start, so losing it costs time, never
//! data. An entry only proposes a block: the caller reads it and compares the full id or checksum. So entries of
//! files that are gone, of blocks not committed yet and with equal hashes do no harm, and entries of committed blocks
//! are never removed. A reader that takes its snapshot of the blocks first and looks here second misses nothing,
//! because an entry is here before its block can be seen.

mod applier;
mod bloom;
mod database;
mod entries;
mod key;
mod merge;
mod run;
mod run_writer;
mod shared;
mod writer;

use std::sync::Arc;
use std::time::Duration;

use cantata_store::{Result, StoreError};
use rusqlite::Connection;

pub(crate) use database::LookupDatabase;
pub(crate) use key::LookupKey;
pub(crate) use writer::LookupWriter;

use applier::Applier;
use run::Look;
use shared::{Runs, Shared};

/// How often and with which pauses a reader waits for the place of a run that was merged while it was looking; the
/// thread that merges tells it right after it has committed.
const MERGE_PATIENCE: usize = 1_000;
const MERGE_PAUSE: Duration = Duration::from_millis(1);

/// The handle to the lookup; clones share it.
#[derive(Clone)]
pub(crate) struct Lookup {
    key: LookupKey,
    shared: Arc<Shared>,
    _applier: Arc<Applier>,
}

impl Lookup {
    /// Catches up with the blocks that the lookup database lacks, and starts the thread that feeds it.
    ///
    /// A batch is so many entries. Larger batches write fewer pages for each entry but take more memory, and more blocks
    /// to read again after a restart.
    pub(crate) fn start(mut database: LookupDatabase, metadata: &Connection, batch: usize) -> Result<Self> {
        let rest = database.catch_up(metadata, batch)?;
        let shared = Arc::new(Shared::new(batch, database.runs()));
        shared.announce(&rest);
        let key = database.key();
        let applier = Arc::new(Applier::start(database, Arc::clone(&shared))?);
        Ok(Self { key, shared, _applier: applier })
    }

    /// Returns the secret that ids are hashed with.
    pub(crate) fn key(&self) -> LookupKey {
        self.key
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
    /// Returns the hash of an object id or checksum.
    pub(crate) fn hash(&self, id: &[u8; 16]) -> i64 {
        self.key.hash(id)
    }

    /// Shows the blocks that may have an id with one of these hashes to `test`, each with the index of the hash, and
    /// returns what `test` finds for the smallest index.
    pub(crate) fn find_first<T>(
        &self,
        hashes: &[i64],
        mut test: impl FnMut(usize, i64) -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        let (in_memory, runs) = self.shared.candidates(hashes);
        let mut in_memory = in_memory.into_iter().peekable();
        for (index, hash) in hashes.iter().enumerate() {
            while let Some((_, block_key)) = in_memory.next_if(|candidate| candidate.0 == index) {
                if let Some(found) = test(index, block_key)? {
                    return Ok(Some(found));
                }
            }
            if let Some(found) = self.find_on_disk(&runs, *hash, &mut |block_key| test(index, block_key))? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Looks at the runs. One that is gone has been merged into another, so all are looked at again as they are now.
    fn find_on_disk<T>(
        &self,
        runs: &Runs,
        hash: i64,
        test: &mut impl FnMut(i64) -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        let mut runs = Arc::clone(runs);
        for _ in 0..MERGE_PATIENCE {
            let mut is_complete = true;
            for run in runs.iter() {
                match run.find(&self.database, hash, test)? {
                    Look::Found(found) => return Ok(Some(found)),
                    Look::NotThere => {}
                    Look::Gone => is_complete = false,
                }
            }
            if is_complete {
                return Ok(None);
            }
            std::thread::sleep(MERGE_PAUSE);
            runs = self.shared.runs();
        }
        Err(StoreError::corrupt(
            "the lookup database",
            "chunks of a run are missing; stop the server and delete lookup.db",
        ))
    }
}
