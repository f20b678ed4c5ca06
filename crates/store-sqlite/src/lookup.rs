//! The lookup index: finds blocks of files by object id and by checksum. It is a log-structured merge tree.
//!
//! Object ids and checksums are evenly distributed, so a B-tree would touch one page for each file of a submission, more
//! of them as the store grows: a submission of 100 files then costs more than twice as much with a million files stored
//! as with none. Instead the metadata database only ever appends blocks, and the index is here:
//!
//! * **active**: the entries of the newest blocks, in memory;
//! * **frozen**: a full batch of them, while it is being flushed;
//! * **`lookup.db`**: all older entries, `(hash, block key)`, in sorted runs, flushed and merged by a thread of its own.
//!
//! The database is derived data. It records up to which block it is complete, in the same transaction as the entries;
//! what is missing is read again from the metadata database at start, so losing it costs time, never data. An entry is
//! only a candidate: the caller reads the block and compares the full id or checksum. So entries of removed files, of
//! uncommitted blocks and with equal hashes do no harm, and entries of committed blocks are never removed. A reader that
//! takes its snapshot of the blocks first and looks here second misses nothing, because an entry is inserted before its
//! block becomes visible. A flush or a search that meets damage in the database has it rebuilt; until then searches that
//! need the damaged part are answered that the store is unavailable.

mod check;
mod database;
mod flusher;
mod key;
mod mem_table;
mod merge;
mod run;
mod run_writer;
mod screen;
mod state;
mod writer;

use std::cell::{Ref, RefCell};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use cantata_core::error_chain;
use cantata_store::{Result, StoreError};
use rusqlite::Connection;

pub(crate) use check::check_not_ahead;
pub use check::{check_lookup, remove_lookup};
pub(crate) use key::LookupKey;
pub(crate) use screen::{LookupScreen, ScreenedHashes};
pub(crate) use writer::LookupWriter;

use crate::database::{StorePaths, open_reader};
use database::LookupDatabase;
use flusher::LookupFlusher;
use run::RunLookup;
use state::{LookupState, Runs};

/// How often and how long a reader waits for the list of runs after one was merged while it was looking; the list is
/// replaced right after the merge is committed.
const MAX_MERGE_RETRIES: usize = 1_000;
const MERGE_RETRY_DELAY: Duration = Duration::from_millis(1);

/// A handle of the lookup index; clones share it.
#[derive(Clone)]
pub(crate) struct Lookup {
    path: PathBuf,
    key: LookupKey,
    shared: Arc<LookupState>,
    _applier: Arc<LookupFlusher>,
}

impl Lookup {
    /// Opens the lookup database, catches up with the blocks that it lacks, and starts the flusher.
    ///
    /// A batch has `batch` entries. Larger batches write fewer pages for each entry but take more memory, and more blocks
    /// to read again after a restart.
    pub(crate) fn start(files: &StorePaths, metadata: &Connection, batch: usize) -> Result<Self> {
        let mut database = LookupDatabase::open(&files.lookup, metadata)?;
        let rest = match database.catch_up(metadata, batch, &|| false) {
            Err(error @ StoreError::Corrupt { .. }) => {
                tracing::warn!(error = error_chain(&error), "lookup.db is damaged and is rebuilt from metadata.db");
                database = LookupDatabase::recreate(&files.lookup)?;
                database.catch_up(metadata, batch, &|| false)?
            }
            caught_up => caught_up?,
        };
        let shared = Arc::new(LookupState::new(batch, database.runs()));
        shared.insert(&rest);
        let key = database.key();
        let flusher = Arc::new(LookupFlusher::start(database, Arc::clone(&shared), files.metadata.clone())?);
        Ok(Self { path: files.lookup.clone(), key, shared, _applier: flusher })
    }

    /// Returns what hashes ids and screens the hashes. It does not keep the flusher running.
    pub(crate) fn screen(&self) -> LookupScreen {
        LookupScreen { key: self.key, shared: Arc::clone(&self.shared) }
    }

    /// Combines the entries in memory with a connection to those on disk.
    pub(crate) fn reader(&self) -> Result<LookupReader> {
        // Read first: if the file is replaced in between, the next search opens the new one.
        let file = self.shared.runs().file;
        let database = RefCell::new((file, open_lookup(&self.path)?));
        Ok(LookupReader { path: self.path.clone(), key: self.key, shared: Arc::clone(&self.shared), database })
    }
}

/// Searches entries in memory and on disk.
pub(crate) struct LookupReader {
    path: PathBuf,
    key: LookupKey,
    shared: Arc<LookupState>,
    /// A connection, and the number of the file that it was opened to.
    database: RefCell<(u64, Connection)>,
}

impl LookupReader {
    /// Returns the hash of an object id or checksum.
    pub(crate) fn hash(&self, id: &[u8; 16]) -> i64 {
        self.key.hash(id)
    }

    /// Calls `test` with the blocks that may have an id with one of these hashes, each with the index of the hash, and
    /// returns its first result for the smallest index. The hashes may have been screened before.
    pub(crate) fn find_first<T>(
        &self,
        hashes: &[i64],
        screened: Option<&ScreenedHashes>,
        mut test: impl FnMut(usize, i64) -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        let (in_memory, runs) = self.shared.candidates(hashes);
        let mut in_memory = in_memory.into_iter().peekable();
        let may_be_on_disk = ScreenedHashes::of(screened, &runs, hashes);
        for (index, hash) in hashes.iter().enumerate() {
            while let Some((_, block_key)) = in_memory.next_if(|candidate| candidate.0 == index) {
                if let Some(found) = test(index, block_key)? {
                    return Ok(Some(found));
                }
            }
            if may_be_on_disk[index]
                && let Some(found) = self.find_on_disk(&runs, *hash, &mut |block_key| test(index, block_key))?
            {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Returns a connection to the file with this number.
    fn database(&self, file: u64) -> Result<Ref<'_, (u64, Connection)>> {
        if self.database.borrow().0 != file {
            let opened = open_lookup(&self.path)?;
            self.database.replace((file, opened));
        }
        Ok(self.database.borrow())
    }

    /// Searches the runs. If one was merged into another meanwhile, the current runs are searched again.
    fn find_on_disk<T>(
        &self,
        runs: &Runs,
        hash: i64,
        test: &mut impl FnMut(i64) -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        let mut runs = runs.clone();
        for _ in 0..MAX_MERGE_RETRIES {
            let database = self.database(runs.file)?;
            let mut is_complete = true;
            for run in runs.iter() {
                match run.find(&database.1, hash, test)? {
                    RunLookup::Found(found) => return Ok(Some(found)),
                    RunLookup::NotFound => {}
                    RunLookup::Merged => is_complete = false,
                    RunLookup::Damaged(error) => {
                        self.shared.report_damage(runs.file);
                        return Err(damaged(&error));
                    }
                }
            }
            if is_complete {
                return Ok(None);
            }
            drop(database);
            // The writer's thread is not to wait for each file of a submission.
            if self.shared.is_damaged() {
                break;
            }
            std::thread::sleep(MERGE_RETRY_DELAY);
            runs = self.shared.runs();
        }
        self.shared.report_damage(runs.file);
        Err(damaged(&StoreError::corrupt("the lookup database", "chunks of a run are missing")))
    }
}

/// Makes the error of a search that met damage: it passes, because the database is rebuilt.
fn damaged(error: &StoreError) -> StoreError {
    StoreError::unavailable(format!("lookup.db is rebuilt from metadata.db: {}", error_chain(error)))
}

/// Opens the database for a search. There is none for a moment while one that was rebuilt takes its place.
fn open_lookup(path: &Path) -> Result<Connection> {
    open_reader(path).map_err(|error| StoreError::unavailable(error_chain(&error)))
}
