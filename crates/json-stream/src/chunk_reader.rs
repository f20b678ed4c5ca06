//! Reads a source in chunks of whole documents, without copying them and without looking at each twice.
//!
//! Two formats are detected by their beginning. In *lines* each line is a document, and a malformed line is left to its
//! parser. In a *stream* documents follow one another, or stand in arrays; brackets and quotation marks say where a
//! document ends, and where they do not match, nothing after that position can be trusted. Memory is bounded by a chunk
//! or the longest document allowed.

use std::io::Read;

use memchr::{memchr, memchr_iter, memrchr};
use serde::de::IgnoredAny;

use crate::error::ReadError;
use crate::scanner::{DocumentSpan, Scanner};

/// The longest document, in bytes.
pub const MAX_DOCUMENT_BYTES: usize = 64 << 20;

/// How many more bytes are read while a document is incomplete.
const READ_BYTES: usize = 1 << 20;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Some whole documents of a source.
#[derive(Debug, Default)]
pub struct DocumentChunk {
    /// The bytes of the source from `start` to `end`.
    pub bytes: Vec<u8>,
    /// The documents in them.
    pub documents: Vec<DocumentSpan>,
    /// The lines at which documents begin that are longer than allowed, and left out.
    pub oversized_lines: Vec<u64>,
    /// The offset of the first byte in the source.
    pub start: u64,
    /// The offset after the last byte in the source.
    pub end: u64,
}

enum SourceFormat {
    Unknown,
    Ndjson,
    Stream(Scanner),
}

/// Reads a source in chunks of whole documents.
pub struct ChunkReader<R> {
    reader: R,
    chunk_bytes: usize,
    /// How many more bytes are read while a document is incomplete.
    read_bytes: usize,
    max_document_bytes: usize,
    format: SourceFormat,
    /// What was read and not returned.
    buffer: Vec<u8>,
    /// The offset of the buffer in the source.
    start: u64,
    /// The line that the buffer begins in, where each line is a document.
    line: u64,
    is_at_end: bool,
    /// Why the source ended early; returned after everything before it.
    failure: Option<ReadError>,
}

impl<R: Read> ChunkReader<R> {
    /// Begins a source; with `is_ndjson` its format is known, else it is detected.
    pub fn new(reader: R, chunk_bytes: usize, is_ndjson: bool) -> Self {
        let format = if is_ndjson { SourceFormat::Ndjson } else { SourceFormat::Unknown };
        Self {
            reader,
            chunk_bytes,
            read_bytes: READ_BYTES.min(chunk_bytes),
            max_document_bytes: MAX_DOCUMENT_BYTES,
            format,
            buffer: Vec::new(),
            start: 0,
            line: 1,
            is_at_end: false,
            failure: None,
        }
    }

    /// Returns the next documents; nothing at the end.
    ///
    /// # Errors
    ///
    /// If the source cannot be read further. Everything before that position was returned.
    pub fn next_chunk(&mut self) -> Result<Option<DocumentChunk>, ReadError> {
        if self.start == 0 && self.buffer.is_empty() {
            self.begin();
        }
        let chunk = match &mut self.format {
            SourceFormat::Stream(_) => self.next_of_stream(),
            _ => self.next_of_lines(),
        };
        match chunk {
            None => self.failure.take().map_or(Ok(None), Err),
            chunk => Ok(chunk),
        }
    }

    /// Reads until the buffer has `size` bytes, or nothing is left.
    fn fill(&mut self, size: usize) {
        let wanted = size.saturating_sub(self.buffer.len()) as u64;
        if self.is_at_end || wanted == 0 {
            return;
        }
        match self.reader.by_ref().take(wanted).read_to_end(&mut self.buffer) {
            Ok(read) => self.is_at_end = (read as u64) < wanted,
            Err(error) => {
                self.is_at_end = true;
                self.failure = Some(error.into());
            }
        }
    }

    /// Reads the beginning and detects the format.
    fn begin(&mut self) {
        self.fill(self.read_bytes.max(BYTE_ORDER_MARK.len()));
        if self.buffer.starts_with(BYTE_ORDER_MARK) {
            self.skip(BYTE_ORDER_MARK.len());
        }
        if matches!(self.format, SourceFormat::Unknown) {
            let is_ndjson = loop {
                let beginning = self.buffer.trim_ascii_start();
                let mut ends = memchr_iter(b'\n', beginning);
                match (ends.next(), ends.next()) {
                    (Some(first), Some(second)) => break is_ndjson(&beginning[..first], &beginning[first..second]),
                    (first, _) if self.is_at_end || self.buffer.len() > self.max_document_bytes => {
                        let (first, second) = beginning.split_at(first.unwrap_or(beginning.len()));
                        break is_ndjson(first, second);
                    }
                    _ => self.fill(self.buffer.len() + self.read_bytes),
                }
            };
            self.format = match is_ndjson {
                true => SourceFormat::Ndjson,
                false => SourceFormat::Stream(Scanner::stream(self.max_document_bytes)),
            };
        }
    }

    fn skip(&mut self, bytes: usize) {
        self.buffer.drain(..bytes);
        self.start += bytes as u64;
    }

    /// Splits the first bytes off the buffer.
    fn split_off(&mut self, at: usize) -> DocumentChunk {
        let mut rest = Vec::with_capacity(if self.is_at_end { 0 } else { self.chunk_bytes });
        rest.extend_from_slice(&self.buffer[at..]);
        let mut bytes = std::mem::replace(&mut self.buffer, rest);
        bytes.truncate(at);
        let start = self.start;
        self.start += at as u64;
        DocumentChunk { bytes, start, end: self.start, ..DocumentChunk::default() }
    }

    fn next_of_lines(&mut self) -> Option<DocumentChunk> {
        let mut oversized_lines = Vec::new();
        let mut searched = 0;
        self.fill(self.chunk_bytes);
        let end = loop {
            if let Some(last) = memrchr(b'\n', &self.buffer[searched..]) {
                break searched + last + 1;
            }
            if self.is_at_end {
                // The last line of a source that failed is not complete.
                break if self.failure.is_none() { self.buffer.len() } else { 0 };
            }
            searched = self.buffer.len();
            if searched > self.max_document_bytes {
                oversized_lines.push(self.line);
                self.skip_line();
                searched = 0;
            }
            self.fill((self.buffer.len() + self.read_bytes).max(self.chunk_bytes));
        };
        if end == 0 && oversized_lines.is_empty() {
            return None;
        }
        let mut chunk = self.split_off(end);
        chunk.oversized_lines = oversized_lines;
        let mut start = 0;
        let ends = memchr_iter(b'\n', &chunk.bytes).chain([chunk.bytes.len()]);
        for end in ends {
            let line = &chunk.bytes[start..end];
            if line.len() > self.max_document_bytes {
                chunk.oversized_lines.push(self.line);
            } else if !line.trim_ascii_start().is_empty() {
                chunk.documents.push(DocumentSpan { number: self.line, line: self.line, range: start..end });
            }
            self.line += u64::from(end < chunk.bytes.len());
            start = end + 1;
            if start > chunk.bytes.len() {
                break;
            }
        }
        Some(chunk)
    }

    /// Skips a line that is longer than allowed.
    fn skip_line(&mut self) {
        loop {
            if let Some(end) = memchr(b'\n', &self.buffer) {
                self.skip(end + 1);
                self.line += 1;
                return;
            }
            self.skip(self.buffer.len());
            if self.is_at_end {
                return;
            }
            self.fill(self.read_bytes);
        }
    }

    fn next_of_stream(&mut self) -> Option<DocumentChunk> {
        let (mut documents, mut oversized_lines) = (Vec::new(), Vec::new());
        self.fill(self.chunk_bytes);
        let end = loop {
            let SourceFormat::Stream(scanner) = &mut self.format else { return None };
            if let Err(error) = scanner.scan(&self.buffer, self.is_at_end, &mut documents) {
                self.is_at_end = true;
                self.failure.get_or_insert(error.into());
                break scanner.last_end();
            }
            let kept_from = scanner.kept_from().min(self.buffer.len());
            if self.is_at_end || (self.buffer.len() >= self.chunk_bytes && !documents.is_empty()) {
                break kept_from;
            }
            if self.buffer.len() - kept_from > self.max_document_bytes {
                oversized_lines.push(scanner.skip_document());
            }
            if scanner.is_skipping() {
                let read = self.buffer.len();
                scanner.rebase(read);
                self.skip(read);
            }
            self.fill((self.buffer.len() + self.read_bytes).max(self.chunk_bytes));
        };
        if let SourceFormat::Stream(scanner) = &mut self.format {
            scanner.rebase(end);
        }
        let long =
            documents.extract_if(.., |document: &mut DocumentSpan| document.range.len() > self.max_document_bytes);
        oversized_lines.extend(long.map(|document| document.line));
        let is_empty = documents.is_empty() && oversized_lines.is_empty();
        let mut chunk = self.split_off(end);
        if self.failure.is_some() {
            self.buffer.clear();
        }
        chunk.documents = documents;
        chunk.oversized_lines = oversized_lines;
        (!is_empty).then_some(chunk)
    }
}

/// Says whether a source that begins with these lines has a document in each line: the first line is a complete value,
/// or malformed. A line that could continue is malformed if the second one is a document.
fn is_ndjson(line: &[u8], second: &[u8]) -> bool {
    if line.first() == Some(&b'[') {
        return false;
    }
    let mut values = serde_json::Deserializer::from_slice(line).into_iter::<IgnoredAny>();
    match values.next() {
        None => true,
        Some(Ok(_)) => line[values.byte_offset()..].trim_ascii_start().first() != Some(&b'{'),
        Some(Err(error)) => !error.is_eof() || is_object(second),
    }
}

fn is_object(line: &[u8]) -> bool {
    line.trim_ascii_start().first() == Some(&b'{') && serde_json::from_slice::<IgnoredAny>(line).is_ok()
}

#[cfg(test)]
mod tests;
