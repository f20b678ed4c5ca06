//! Writes a run, and reads the part of it that is kept in memory.

use std::sync::Arc;

use cantata_bloom::{BlockKey, BloomKey};
use cantata_store::{Result, StoreError};
use rusqlite::Connection;

use super::run::{CHUNK_ENTRIES, Run, encode};
use super::state::LookupEntry;
use crate::checksum::{check, checksum_of};
use crate::database::with_lookup_statement;

const OPERATION: &str = "using the lookup database";

/// The columns of a run: key, level, first chunk, first hashes, Bloom filter, checksum.
type RunRow = (i64, i64, i64, Vec<u8>, Vec<u8>, u32);

/// Writes the entries of a run, which come in order, chunk by chunk.
pub(crate) struct RunWriter<'a> {
    database: &'a Connection,
    pending: Vec<LookupEntry>,
    first_chunk: Option<i64>,
    first_hashes: Vec<i64>,
    bloom: Vec<u64>,
}

impl<'a> RunWriter<'a> {
    /// Begins a run of about this many entries.
    pub(crate) fn new(database: &'a Connection, entries: usize) -> Self {
        let bloom = BlockKey::filter_for(entries);
        Self { database, pending: Vec::new(), first_chunk: None, first_hashes: Vec::new(), bloom }
    }

    /// Adds the next entry.
    pub(crate) fn add(&mut self, entry: LookupEntry) -> Result<()> {
        self.pending.push(entry);
        BlockKey(entry.0).insert_into(&mut self.bloom);
        if self.pending.len() == CHUNK_ENTRIES { self.write_chunk() } else { Ok(()) }
    }

    fn write_chunk(&mut self) -> Result<()> {
        let Some(first) = self.pending.first() else { return Ok(()) };
        self.first_hashes.push(first.0);
        let sql = "INSERT INTO chunk (entries) VALUES (?1)";
        let entries = encode(&self.pending);
        let chunk_id = with_lookup_statement(self.database, OPERATION, sql, |insert| insert.insert([entries]))?;
        self.first_chunk.get_or_insert(chunk_id);
        self.pending.clear();
        Ok(())
    }

    /// Writes the rest and returns the run.
    pub(crate) fn finish(mut self, level: i64) -> Result<Run> {
        self.write_chunk()?;
        let first_chunk = self.first_chunk.unwrap_or(0);
        let first_hashes: Vec<u8> = self.first_hashes.iter().flat_map(|hash| hash.to_le_bytes()).collect();
        let bloom: Vec<u8> = self.bloom.iter().flat_map(|word| word.to_le_bytes()).collect();
        let checksum = checksum_of(&[&level.to_le_bytes(), &first_chunk.to_le_bytes(), &first_hashes, &bloom]);
        let sql = "INSERT INTO run (level, first_chunk, first_hashes, bloom, checksum) VALUES (?1, ?2, ?3, ?4, ?5)";
        let params = (level, first_chunk, first_hashes, bloom, checksum);
        let run_key = with_lookup_statement(self.database, OPERATION, sql, |insert| insert.insert(params))?;
        Ok(Run { run_key, level, first_chunk, first_hashes: self.first_hashes, bloom: self.bloom })
    }
}

/// Reads the part of every run that is kept in memory.
pub(crate) fn read_runs(database: &Connection) -> Result<Vec<Arc<Run>>> {
    let sql = "SELECT run_key, level, first_chunk, first_hashes, bloom, checksum FROM run ORDER BY run_key";
    let rows: Vec<RunRow> = with_lookup_statement(database, OPERATION, sql, |select| {
        select.query_map([], |row| RunRow::try_from(row))?.collect()
    })?;
    rows.into_iter().map(|row| read_run(row).map(Arc::new)).collect()
}

fn read_run((run_key, level, first_chunk, first_hashes, bloom, checksum): RunRow) -> Result<Run> {
    let columns: [&[u8]; 4] = [&level.to_le_bytes(), &first_chunk.to_le_bytes(), &first_hashes, &bloom];
    check(Some(checksum), &columns, || format!("run {run_key} of the lookup"))?;
    let first_hashes = first_hashes.as_chunks().0.iter().map(|hash| i64::from_le_bytes(*hash)).collect();
    let bloom =
        decode_filter(&bloom).ok_or_else(|| StoreError::corrupt("the filter of a run", "it has another size"))?;
    Ok(Run { run_key, level, first_chunk, first_hashes, bloom })
}

/// Decodes a Bloom filter, if these are the bytes of one.
fn decode_filter(bytes: &[u8]) -> Option<Vec<u64>> {
    let (chunks, rest) = bytes.as_chunks();
    let words: Vec<u64> = chunks.iter().map(|chunk| u64::from_le_bytes(*chunk)).collect();
    (rest.is_empty() && BlockKey::is_filter(&words)).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_bytes_are_no_filter() {
        assert!(decode_filter(&[]).is_none());
        assert!(decode_filter(&[0; 65]).is_none());
        assert!(decode_filter(&[0; 64]).is_some());
    }
}
