//! Splits a body into documents while it arrives.

use bytes::{Buf, Bytes, BytesMut};
use memchr::memchr;

use crate::error::SplitError;
use crate::scanner::Scanner;

/// How the documents of a body are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyFormat {
    /// One JSON array.
    Array,
    /// One document per line (NDJSON).
    Lines,
}

/// Splits a body into documents.
#[derive(Debug)]
pub struct BodySplitter {
    /// The scanner of an array; lines need none.
    scanner: Option<Scanner>,
    max_document_bytes: usize,
    buffer: BytesMut,
    /// How many bytes of the buffer have no line end.
    searched: usize,
    keeps_blank_lines: bool,
}

impl BodySplitter {
    /// Makes a splitter that rejects documents of more than `max_document_bytes` bytes.
    pub fn new(format: BodyFormat, max_document_bytes: usize) -> Self {
        let scanner = (format == BodyFormat::Array).then(Scanner::array);
        Self { scanner, max_document_bytes, buffer: BytesMut::new(), searched: 0, keeps_blank_lines: false }
    }

    /// Makes a splitter of lines that returns blank ones too.
    pub fn with_blank_lines(max_line_bytes: usize) -> Self {
        Self { keeps_blank_lines: true, ..Self::new(BodyFormat::Lines, max_line_bytes) }
    }

    /// Adds the next piece of the body.
    pub fn feed(&mut self, piece: &[u8]) {
        self.buffer.extend_from_slice(piece);
    }

    /// Returns how many bytes wait for the end of their document.
    pub fn buffered_bytes(&self) -> usize {
        self.buffer.len()
    }

    /// Returns the next document whose end has arrived. After an error no further document can be found.
    pub fn next_document(&mut self) -> Result<Option<Bytes>, SplitError> {
        let document = match &mut self.scanner {
            Some(scanner) => {
                let document = scanner.next_document(&self.buffer)?.map(|span| span.range);
                let begin = document.as_ref().map_or(scanner.kept_from().min(self.buffer.len()), |range| range.start);
                let length = document.map(|range| range.len());
                scanner.rebase(begin + length.unwrap_or(0));
                self.buffer.advance(begin);
                length.map(|length| self.buffer.split_to(length).freeze())
            }
            None => self.next_line(),
        };
        match document.as_ref().map_or(self.buffer.len(), Bytes::len) > self.max_document_bytes {
            true => Err(SplitError::TooLong(self.max_document_bytes)),
            false => Ok(document),
        }
    }

    /// Ends the body; returns the last line if it has no line end.
    pub fn finish(&mut self) -> Result<Option<Bytes>, SplitError> {
        if let Some(scanner) = &mut self.scanner {
            scanner.scan(&self.buffer, true, &mut Vec::new())?;
            return Ok(None);
        }
        let line = self.buffer.split().freeze();
        Ok((!line.is_empty() && self.is_returned(&line)).then_some(line))
    }

    fn next_line(&mut self) -> Option<Bytes> {
        while let Some(end) = memchr(b'\n', &self.buffer[self.searched..]) {
            let line = self.buffer.split_to(self.searched + end).freeze();
            self.buffer.advance(1);
            self.searched = 0;
            if self.is_returned(&line) {
                return Some(line);
            }
        }
        self.searched = self.buffer.len();
        None
    }

    fn is_returned(&self, line: &[u8]) -> bool {
        self.keeps_blank_lines || !line.trim_ascii().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Splits a body fed in pieces of every size; all must give the same payloads.
    fn split(format: BodyFormat, body: &str) -> Result<Vec<String>, SplitError> {
        let outcomes: Vec<Result<Vec<String>, SplitError>> =
            (1..=body.len().max(1)).map(|size| split_in_pieces(format, body.as_bytes(), size)).collect();
        assert!(outcomes.windows(2).all(|pair| pair[0] == pair[1]), "{body}: {outcomes:?}");
        outcomes.into_iter().next().unwrap()
    }

    fn split_in_pieces(format: BodyFormat, body: &[u8], size: usize) -> Result<Vec<String>, SplitError> {
        let mut splitter = BodySplitter::new(format, 1_000);
        let mut payloads = Vec::new();
        for piece in body.chunks(size) {
            splitter.feed(piece);
            while let Some(payload) = splitter.next_document()? {
                payloads.push(payload);
            }
        }
        payloads.extend(splitter.finish()?);
        Ok(payloads.iter().map(|payload| String::from_utf8_lossy(payload).trim().to_owned()).collect())
    }

    #[test]
    fn arrays_are_split_at_their_own_commas() {
        let body = r#" [ {"a":[1,2],"s":"],\"[{"} , 5,"x" ,null , nonsense ] "#;
        let expected = [r#"{"a":[1,2],"s":"],\"[{"}"#, "5", r#""x""#, "null", "nonsense"];
        assert_eq!(split(BodyFormat::Array, body).unwrap(), expected);
        assert_eq!(split(BodyFormat::Array, " [ ] ").unwrap(), Vec::<String>::new());
    }

    #[test]
    fn broken_arrays_are_refused() {
        for body in ["", "{}", "[1", "[1,]", "[,1]", "[1] 2", "[\"a", "[{}"] {
            assert!(split(BodyFormat::Array, body).is_err(), "{body}");
        }
    }

    #[test]
    fn lines_are_split_at_line_ends_and_blank_ones_skipped() {
        assert_eq!(split(BodyFormat::Lines, "{}\r\n\n  \n{\"a\":1}\nlast").unwrap(), ["{}", "{\"a\":1}", "last"]);
        assert_eq!(split(BodyFormat::Lines, "").unwrap(), Vec::<String>::new());
    }

    #[test]
    fn payloads_over_the_limit_are_refused_before_they_are_complete() {
        let mut splitter = BodySplitter::new(BodyFormat::Lines, 10);
        splitter.feed(&[b'x'; 11]);
        assert!(splitter.next_document().is_err());
    }
}
