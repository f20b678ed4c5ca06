//! Reads several runs as one, in order.

use std::ops::Range;
use std::sync::Arc;

use cantata_store::{Result, StoreError};
use rusqlite::Connection;

use super::run::{Run, read_chunk};
use super::shared::Entry;

/// One run, a chunk of it at a time.
struct Source<'a> {
    database: &'a Connection,
    chunks: Range<i64>,
    entries: std::vec::IntoIter<Entry>,
}

impl Source<'_> {
    fn next(&mut self) -> Result<Option<Entry>> {
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

/// Shows the entries of all runs in order, each once.
pub(crate) fn merge(
    database: &Connection,
    runs: &[Arc<Run>],
    mut visit: impl FnMut(Entry) -> Result<()>,
) -> Result<()> {
    let mut sources: Vec<Source<'_>> =
        runs.iter().map(|run| Source { database, chunks: run.chunk_ids(), entries: Vec::new().into_iter() }).collect();
    let mut heads: Vec<Option<Entry>> = sources.iter_mut().map(Source::next).collect::<Result<_>>()?;
    let mut last = None;
    // With so few runs, looking at every head is faster than keeping them in a heap.
    while let Some((index, entry)) = smallest(&heads) {
        heads[index] = sources[index].next()?;
        if last != Some(entry) {
            visit(entry)?;
            last = Some(entry);
        }
    }
    Ok(())
}

fn smallest(heads: &[Option<Entry>]) -> Option<(usize, Entry)> {
    let filled = heads.iter().enumerate().filter_map(|(index, head)| head.map(|entry| (index, entry)));
    filled.min_by_key(|(_, entry)| *entry)
}
