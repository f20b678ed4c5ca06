//! Merges several sorted runs.

use std::ops::Range;
use std::sync::Arc;

use cantata_store::{Result, StoreError};
use rusqlite::Connection;

use super::run::{Run, read_chunk};
use super::state::LookupEntry;

/// Reads a run, one chunk at a time.
struct RunCursor<'a> {
    database: &'a Connection,
    chunks: Range<i64>,
    entries: std::vec::IntoIter<LookupEntry>,
}

impl RunCursor<'_> {
    fn next(&mut self) -> Result<Option<LookupEntry>> {
        loop {
            if let Some(entry) = self.entries.next() {
                return Ok(Some(entry));
            }
            let Some(chunk_id) = self.chunks.next() else { return Ok(None) };
            let entries = read_chunk(self.database, chunk_id)?;
            let missing = || StoreError::corrupt(format!("chunk {chunk_id} of the lookup"), "it is missing");
            self.entries = entries.ok_or_else(missing)?.into_iter();
        }
    }
}

/// Visits the entries of all runs in order, without duplicates.
pub(crate) fn merge(
    database: &Connection,
    runs: &[Arc<Run>],
    mut visit: impl FnMut(LookupEntry) -> Result<()>,
) -> Result<()> {
    let mut cursors: Vec<RunCursor<'_>> = runs
        .iter()
        .map(|run| RunCursor { database, chunks: run.chunk_ids(), entries: Vec::new().into_iter() })
        .collect();
    let mut heads: Vec<Option<LookupEntry>> = cursors.iter_mut().map(RunCursor::next).collect::<Result<_>>()?;
    let mut last = None;
    // With so few runs, comparing every head is faster than a heap.
    while let Some((index, entry)) = smallest(&heads) {
        heads[index] = cursors[index].next()?;
        if last != Some(entry) {
            visit(entry)?;
            last = Some(entry);
        }
    }
    Ok(())
}

fn smallest(heads: &[Option<LookupEntry>]) -> Option<(usize, LookupEntry)> {
    let filled = heads.iter().enumerate().filter_map(|(index, head)| head.map(|entry| (index, entry)));
    filled.min_by_key(|(_, entry)| *entry)
}
