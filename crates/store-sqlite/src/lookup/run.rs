//! Runs: sorted entries that were written together and never change.
//!
//! A run is a stretch of rows of the table `chunk`, each a page full of entries in order. In memory are the first hash
//! of every chunk, to know which one to read, and a filter, to know mostly whether to read at all.

use rusqlite::{Connection, OptionalExtension};

use cantata_store::{Result, StoreError};

use super::bloom::Bloom;
use super::shared::Entry;

/// How many entries fit into a page of the database with the row around them.
pub(crate) const CHUNK: usize = 250;

const ENTRY_BYTES: usize = 16;

/// A run, as far as it is in memory.
pub(crate) struct Run {
    pub(crate) run_key: i64,
    pub(crate) level: i64,
    pub(crate) first_chunk: i64,
    pub(crate) first_hashes: Vec<i64>,
    pub(crate) bloom: Bloom,
}

/// What became of a look at a run.
pub(crate) enum Look<T> {
    Found(T),
    NotThere,
    /// The run has been merged into another since its place was noted.
    Gone,
}

impl Run {
    /// Shows the block keys of the entries with a hash to `test`, until it returns something.
    pub(crate) fn find<T>(
        &self,
        database: &Connection,
        hash: i64,
        test: &mut impl FnMut(i64) -> Result<Option<T>>,
    ) -> Result<Look<T>> {
        if !self.bloom.may_contain(hash) {
            return Ok(Look::NotThere);
        }
        // Entries of one hash may begin in the chunk before the first that begins with it.
        let first = self.first_hashes.partition_point(|first| *first < hash).saturating_sub(1);
        let end = self.first_hashes.partition_point(|first| *first <= hash);
        for chunk in first..end {
            let Some(entries) = read_chunk(database, self.chunk_id(chunk))? else {
                return Ok(Look::Gone);
            };
            let begin = entries.partition_point(|entry| entry.0 < hash);
            for (_, block_key) in entries[begin..].iter().take_while(|entry| entry.0 == hash) {
                if let Some(found) = test(*block_key)? {
                    return Ok(Look::Found(found));
                }
            }
        }
        Ok(Look::NotThere)
    }

    /// Returns the ids of the run's chunks.
    pub(crate) fn chunk_ids(&self) -> std::ops::Range<i64> {
        self.first_chunk..self.chunk_id(self.first_hashes.len())
    }

    fn chunk_id(&self, index: usize) -> i64 {
        self.first_chunk.saturating_add(i64::try_from(index).unwrap_or(i64::MAX))
    }
}

/// Reads the entries of a chunk.
pub(crate) fn read_chunk(database: &Connection, chunk_id: i64) -> Result<Option<Vec<Entry>>> {
    let failed = |error: rusqlite::Error| StoreError::failed("looking up a file", error);
    database
        .prepare_cached("SELECT entries FROM chunk WHERE chunk_id = ?1")
        .and_then(|mut select| select.query_row([chunk_id], |row| Ok(unpack(row.get_ref(0)?.as_blob()?))).optional())
        .map_err(failed)
}

/// Packs entries into the value of a chunk.
pub(crate) fn pack(entries: &[Entry]) -> Vec<u8> {
    entries.iter().flat_map(|(hash, block_key)| [hash.to_le_bytes(), block_key.to_le_bytes()]).flatten().collect()
}

fn unpack(packed: &[u8]) -> Vec<Entry> {
    let (entries, _) = packed.as_chunks::<ENTRY_BYTES>();
    let number = |bytes: &[u8]| bytes.try_into().map(i64::from_le_bytes).unwrap_or(0);
    entries.iter().map(|entry| (number(&entry[..8]), number(&entry[8..]))).collect()
}
