//! The chunks of all sources, one after the other, read as they are asked for.

use std::io::Read;

use cantata_engine::ImportChunk;

use super::Import;
use super::split::{Broken, LONGEST_DOCUMENT, Part, Splitter};

/// The chunks of all sources of an import. What cannot be read is told to its report.
pub(super) struct Chunks<'a> {
    import: &'a Import<'a>,
    chunk_size: usize,
    /// The source that is next.
    next_source: usize,
    /// The source that is being read.
    current: Option<Splitter<Box<dyn Read + Send>>>,
}

impl<'a> Chunks<'a> {
    /// Begins with the first source.
    pub(super) fn new(import: &'a Import<'a>, chunk_size: usize) -> Self {
        Self { import, chunk_size, next_source: 0, current: None }
    }

    /// Makes a chunk of what was found in the current source, without what an earlier import took.
    fn chunk(&self, mut part: Part) -> Option<ImportChunk> {
        let place = self.next_source - 1;
        let (source, position) = (&self.import.sources[place], self.import.positions[place]);
        if part.end <= position {
            return None;
        }
        part.documents.retain(|document| part.start + document.range.end as u64 > position);
        for line in part.too_long {
            let reason = format!("longer than {} MB; a document can be as long as that", LONGEST_DOCUMENT >> 20);
            self.import.report.refused(&source.name, line, &reason);
        }
        if part.documents.is_empty() {
            return None;
        }
        self.import.report.note_lines(&source.key, &part.documents);
        let documents = part.documents.into_iter().map(|document| (document.number, document.range));
        Some(ImportChunk {
            source: source.key.clone(),
            bytes: part.bytes,
            documents: documents.collect(),
            end: part.end,
        })
    }
}

impl Iterator for Chunks<'_> {
    type Item = ImportChunk;

    fn next(&mut self) -> Option<ImportChunk> {
        let report = &self.import.report;
        loop {
            let Some(splitter) = &mut self.current else {
                let source = self.import.sources.get(self.next_source)?;
                self.next_source += 1;
                match source.open(report.bytes_read()) {
                    Ok(reader) => self.current = Some(Splitter::new(reader, self.chunk_size, source.has_lines())),
                    Err(error) => report.broken(source, &Broken::Unreadable(error.to_string())),
                }
                continue;
            };
            match splitter.next_part() {
                Ok(Some(part)) => {
                    if let Some(chunk) = self.chunk(part) {
                        return Some(chunk);
                    }
                }
                Ok(None) => self.current = None,
                Err(broken) => {
                    report.broken(&self.import.sources[self.next_source - 1], &broken);
                    self.current = None;
                }
            }
        }
    }
}
