//! Writing a run, and reading back what of it is kept in memory.

use cantata_store::{Result, StoreError};
use rusqlite::{Connection, Row};

use super::bloom::Bloom;
use super::run::{CHUNK, Run, pack};
use super::shared::Entry;

fn failed(error: rusqlite::Error) -> StoreError {
    StoreError::failed("using the lookup database", error)
}

/// Takes the entries of a run in order and writes them chunk by chunk.
pub(crate) struct RunWriter<'a> {
    database: &'a Connection,
    gathered: Vec<Entry>,
    first_chunk: Option<i64>,
    first_hashes: Vec<i64>,
    bloom: Bloom,
}

impl<'a> RunWriter<'a> {
    /// Begins a run of about so many entries.
    pub(crate) fn new(database: &'a Connection, entries: usize) -> Self {
        let bloom = Bloom::for_entries(entries);
        Self { database, gathered: Vec::new(), first_chunk: None, first_hashes: Vec::new(), bloom }
    }

    /// Adds the next entry.
    pub(crate) fn add(&mut self, entry: Entry) -> Result<()> {
        self.gathered.push(entry);
        self.bloom.add(entry.0);
        if self.gathered.len() == CHUNK { self.write_chunk() } else { Ok(()) }
    }

    fn write_chunk(&mut self) -> Result<()> {
        let Some(first) = self.gathered.first() else { return Ok(()) };
        self.first_hashes.push(first.0);
        let chunk_id = self
            .database
            .prepare_cached("INSERT INTO chunk (entries) VALUES (?1)")
            .and_then(|mut insert| insert.insert([pack(&self.gathered)]))
            .map_err(failed)?;
        self.first_chunk.get_or_insert(chunk_id);
        self.gathered.clear();
        Ok(())
    }

    /// Writes the rest and returns the run.
    pub(crate) fn finish(mut self, level: i64) -> Result<Run> {
        self.write_chunk()?;
        let first_chunk = self.first_chunk.unwrap_or(0);
        let first_hashes: Vec<u8> = self.first_hashes.iter().flat_map(|hash| hash.to_le_bytes()).collect();
        let run_key = self
            .database
            .prepare_cached("INSERT INTO run (level, first_chunk, first_hashes, bloom) VALUES (?1, ?2, ?3, ?4)")
            .and_then(|mut insert| insert.insert((level, first_chunk, first_hashes, self.bloom.to_bytes())))
            .map_err(failed)?;
        Ok(Run { run_key, level, first_chunk, first_hashes: self.first_hashes, bloom: self.bloom })
    }
}

/// Reads what is kept in memory of every run.
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
        bloom: Bloom::from_bytes(&bloom)
            .ok_or_else(|| StoreError::corrupt("the filter of a run", "it has another size"))?,
    })
}
