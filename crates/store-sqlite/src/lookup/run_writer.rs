//! Writes a run, and reads the part of it that is kept in memory.

use cantata_bloom::{BlockKey, BloomKey};
use cantata_store::{Result, StoreError};
use rusqlite::{Connection, Row};

use super::run::{CHUNK_ENTRIES, Run, encode};
use super::state::Entry;

fn failed(error: rusqlite::Error) -> StoreError {
    StoreError::failed("using the lookup database", error)
}

/// Writes the entries of a run, which come in order, chunk by chunk.
pub(crate) struct RunWriter<'a> {
    database: &'a Connection,
    pending: Vec<Entry>,
    first_chunk: Option<i64>,
    first_hashes: Vec<i64>,
    bloom: Vec<u64>,
}

impl<'a> RunWriter<'a> {
    /// Begins a run of about so many entries.
    pub(crate) fn new(database: &'a Connection, entries: usize) -> Self {
        let bloom = BlockKey::filter_for(entries);
        Self { database, pending: Vec::new(), first_chunk: None, first_hashes: Vec::new(), bloom }
    }

    /// Adds the next entry.
    pub(crate) fn add(&mut self, entry: Entry) -> Result<()> {
        self.pending.push(entry);
        BlockKey(entry.0).insert_into(&mut self.bloom);
        if self.pending.len() == CHUNK_ENTRIES { self.write_chunk() } else { Ok(()) }
    }

    fn write_chunk(&mut self) -> Result<()> {
        let Some(first) = self.pending.first() else { return Ok(()) };
        self.first_hashes.push(first.0);
        let chunk_id = self
            .database
            .prepare_cached("INSERT INTO chunk (entries) VALUES (?1)")
            .and_then(|mut insert| insert.insert([encode(&self.pending)]))
            .map_err(failed)?;
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
        let run_key = self
            .database
            .prepare_cached("INSERT INTO run (level, first_chunk, first_hashes, bloom) VALUES (?1, ?2, ?3, ?4)")
            .and_then(|mut insert| insert.insert((level, first_chunk, first_hashes, bloom)))
            .map_err(failed)?;
        Ok(Run { run_key, level, first_chunk, first_hashes: self.first_hashes, bloom: self.bloom })
    }
}

/// Reads the part of every run that is kept in memory.
pub(crate) fn read_runs(database: &Connection) -> Result<Vec<std::sync::Arc<Run>>> {
    let mut select = database
        .prepare("SELECT run_key, level, first_chunk, first_hashes, bloom FROM run ORDER BY run_key")
        .map_err(failed)?;
    let runs = select.query_map([], |row| Ok(read_run(row))).map_err(failed)?;
    runs.map(|run| run.map_err(failed)?.map(std::sync::Arc::new)).collect()
}

fn read_run(row: &Row<'_>) -> Result<Run> {
    let first_hashes: Vec<u8> = row.get(3).map_err(failed)?;
    let bloom: Vec<u8> = row.get(4).map_err(failed)?;
    Ok(Run {
        run_key: row.get(0).map_err(failed)?,
        level: row.get(1).map_err(failed)?,
        first_chunk: row.get(2).map_err(failed)?,
        first_hashes: first_hashes.as_chunks().0.iter().map(|hash| i64::from_le_bytes(*hash)).collect(),
        bloom: decode_filter(&bloom)
            .ok_or_else(|| StoreError::corrupt("the filter of a run", "it has another size"))?,
    })
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
