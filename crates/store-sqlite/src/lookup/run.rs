//! Sorted runs: entries that were flushed together and never change.
//!
//! A run is a range of rows of the table `chunk`, each a page of entries in order. In memory are the first hash of every
//! chunk, which says which one to read, and a Bloom filter, which mostly says whether to read at all. Chunks and runs have
//! checksums: a flipped bit would hide a file, and let a duplicate in.

use cantata_bloom::{BlockKey, BloomKey, mark_present};
use cantata_store::{Result, StoreError};
use rusqlite::{Connection, OptionalExtension, Row};

use super::state::LookupEntry;
use crate::database::with_lookup_statement;

/// How many entries fit into a page of the database with the row around them.
pub(crate) const CHUNK_ENTRIES: usize = 250;

const ENTRY_BYTES: usize = 16;

/// The size of the checksum of a chunk.
const CHECKSUM_BYTES: usize = 4;

/// The part of a run that is in memory.
pub(crate) struct Run {
    pub(crate) run_key: i64,
    pub(crate) level: i64,
    pub(crate) first_chunk: i64,
    pub(crate) first_hashes: Vec<i64>,
    pub(crate) bloom: Vec<u64>,
}

/// The result of searching a run.
pub(crate) enum RunLookup<T> {
    Found(T),
    NotFound,
    /// The run was merged into another meanwhile.
    Merged,
    /// The file of the run is damaged.
    Damaged(StoreError),
}

impl Run {
    /// Marks the hashes that the run may have entries with; those that it does not mark, it does not have.
    pub(crate) fn mark_present(&self, hashes: &[i64], is_present: &mut [bool]) {
        mark_present(hashes.iter().copied().map(BlockKey), &self.bloom, is_present);
    }

    /// Calls `test` with the block keys of the entries with a hash, until it returns something.
    pub(crate) fn find<T>(
        &self,
        database: &Connection,
        hash: i64,
        test: &mut impl FnMut(i64) -> Result<Option<T>>,
    ) -> Result<RunLookup<T>> {
        if !BlockKey(hash).may_be_in(&self.bloom) {
            return Ok(RunLookup::NotFound);
        }
        // Entries of one hash may begin in the chunk before the first that begins with it.
        let first = self.first_hashes.partition_point(|first| *first < hash).saturating_sub(1);
        let end = self.first_hashes.partition_point(|first| *first <= hash);
        for chunk in first..end {
            let entries = match read_chunk(database, self.chunk_id(chunk)) {
                Ok(Some(entries)) => entries,
                Ok(None) => return Ok(RunLookup::Merged),
                Err(error @ StoreError::Corrupt { .. }) => return Ok(RunLookup::Damaged(error)),
                Err(error) => return Err(error),
            };
            let begin = entries.partition_point(|entry| entry.0 < hash);
            for (_, block_key) in entries[begin..].iter().take_while(|entry| entry.0 == hash) {
                if let Some(found) = test(*block_key)? {
                    return Ok(RunLookup::Found(found));
                }
            }
        }
        Ok(RunLookup::NotFound)
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
pub(crate) fn read_chunk(database: &Connection, chunk_id: i64) -> Result<Option<Vec<LookupEntry>>> {
    let sql = "SELECT entries FROM chunk WHERE chunk_id = ?1";
    let read = |row: &Row<'_>| Ok(decode(row.get_ref(0)?.as_blob()?));
    let found = with_lookup_statement(database, "looking up a file", sql, |select| {
        select.query_row([chunk_id], read).optional()
    })?;
    let changed = || {
        let location = format!("chunk {chunk_id} of the lookup");
        StoreError::corrupt(location, "its checksum is not the one that was stored with it")
    };
    found.map(|entries| entries.ok_or_else(changed)).transpose()
}

/// Encodes the entries of a chunk, with their checksum at the end.
pub(crate) fn encode(entries: &[LookupEntry]) -> Vec<u8> {
    // A nested iterator over single bytes would take longer than the database does to store them.
    let mut encoded = Vec::with_capacity(entries.len() * ENTRY_BYTES + CHECKSUM_BYTES);
    for (hash, block_key) in entries {
        encoded.extend_from_slice(&hash.to_le_bytes());
        encoded.extend_from_slice(&block_key.to_le_bytes());
    }
    encoded.extend_from_slice(&crc32fast::hash(&encoded).to_le_bytes());
    encoded
}

/// Decodes the entries of a chunk, if their checksum is right.
fn decode(encoded: &[u8]) -> Option<Vec<LookupEntry>> {
    let (content, stored) = encoded.split_last_chunk()?;
    if crc32fast::hash(content) != u32::from_le_bytes(*stored) {
        return None;
    }
    let (entries, _) = content.as_chunks::<ENTRY_BYTES>();
    let number = |bytes: &[u8]| bytes.try_into().map(i64::from_le_bytes).unwrap_or(0);
    Some(entries.iter().map(|entry| (number(&entry[..8]), number(&entry[8..]))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_of_a_chunk_is_found() {
        let entries = [(i64::MIN, 1), (-1, i64::MAX), (0, 0), (7, -7)];
        let encoded = encode(&entries);
        assert_eq!(decode(&encoded).unwrap(), entries);
        for bit in 0..8 * encoded.len() {
            let mut flipped = encoded.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(decode(&flipped).is_none(), "bit {bit}");
        }
        assert!(decode(&[]).is_none());
    }
}
