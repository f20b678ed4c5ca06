//! The chunks of all sources, one after the other, read as they are asked for.

use std::io::{self, Read};
use std::mem;
use std::sync::{Arc, PoisonError};

use cantata_engine::ImportChunk;
use cantata_json_stream::{ChunkReader, DocumentChunk, MAX_DOCUMENT_BYTES, ReadError};

use super::Import;
use super::source::Source;
use super::table::{DocumentLines, RowProblems};
use super::table_rows::TableRows;

/// The chunks of all sources of an import. What cannot be read is reported.
pub(super) struct Chunks<'a> {
    import: &'a Import<'a>,
    chunk_size: usize,
    /// The source that is next.
    next_source: usize,
    /// The source that is being read.
    current: Option<ChunkReader<Box<dyn Read + Send>>>,
    /// The rows of the current source that are none.
    row_problems: RowProblems,
}

impl<'a> Chunks<'a> {
    /// Begins with the first source.
    pub(super) fn new(import: &'a Import<'a>, chunk_size: usize) -> Self {
        Self { import, chunk_size, next_source: 0, current: None, row_problems: RowProblems::default() }
    }

    /// Opens a source; the rows of a table are read as lines of JSON.
    fn open(&self, source: &Source) -> io::Result<Box<dyn Read + Send>> {
        let read = self.import.report.bytes_read();
        let Some(layout) = &source.table else { return source.open(read) };
        let rows = TableRows::open(source, layout.format, read).map_err(io::Error::other)?;
        Ok(Box::new(DocumentLines::new(rows, Arc::clone(layout), Arc::clone(&self.row_problems))))
    }

    /// Reports the rows of the current source that could not be read.
    fn report_rows(&self) {
        let problems = mem::take(&mut *self.row_problems.lock().unwrap_or_else(PoisonError::into_inner));
        let source = &self.import.sources[self.next_source - 1];
        for (line, reason) in problems {
            self.import.report.reject(&source.name, line, &reason);
        }
    }

    /// Makes a chunk of what was found in the current source, without what an earlier import took.
    fn chunk(&self, mut chunk: DocumentChunk) -> Option<ImportChunk> {
        let index = self.next_source - 1;
        let (source, position) = (&self.import.sources[index], self.import.positions[index]);
        if chunk.end <= position {
            return None;
        }
        chunk.documents.retain(|document| chunk.start + document.range.end as u64 > position);
        for line in chunk.oversized_lines {
            let reason = format!("longer than {} MB; a document can be as long as that", MAX_DOCUMENT_BYTES >> 20);
            self.import.report.reject(&source.name, line, &reason);
        }
        if chunk.documents.is_empty() {
            return None;
        }
        self.import.report.note_lines(&source.key, &chunk.documents);
        let documents = chunk.documents.into_iter().map(|document| (document.number, document.range));
        Some(ImportChunk {
            source: source.key.clone(),
            bytes: chunk.bytes,
            documents: documents.collect(),
            end: chunk.end,
        })
    }
}

impl Iterator for Chunks<'_> {
    type Item = ImportChunk;

    fn next(&mut self) -> Option<ImportChunk> {
        let report = &self.import.report;
        loop {
            let Some(reader) = &mut self.current else {
                let source = self.import.sources.get(self.next_source)?;
                self.next_source += 1;
                match self.open(source) {
                    Ok(reader) => self.current = Some(ChunkReader::new(reader, self.chunk_size, source.has_lines())),
                    Err(error) => report.broken(source, &ReadError::Io(error)),
                }
                continue;
            };
            let next = reader.next_chunk();
            self.report_rows();
            match next {
                Ok(Some(chunk)) => {
                    if let Some(chunk) = self.chunk(chunk) {
                        return Some(chunk);
                    }
                }
                Ok(None) => self.current = None,
                Err(error) => {
                    report.broken(&self.import.sources[self.next_source - 1], &error);
                    self.current = None;
                }
            }
        }
    }
}
