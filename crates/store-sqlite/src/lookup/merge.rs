//! Reads several runs as one, in order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
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
    let mut heads = BinaryHeap::new();
    for (index, source) in sources.iter_mut().enumerate() {
        heads.extend(source.next()?.map(|entry| Reverse((entry, index))));
    }
    let mut last = None;
    while let Some(Reverse((entry, index))) = heads.pop() {
        heads.extend(sources[index].next()?.map(|entry| Reverse((entry, index))));
        if last != Some(entry) {
            visit(entry)?;
            last = Some(entry);
        }
    }
    Ok(())
}
