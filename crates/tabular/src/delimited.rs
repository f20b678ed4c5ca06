//! The records of a delimited table (CSV, TSV), one after the other, whatever their length.

use std::borrow::Cow;
use std::io::{self, Read};

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

const INPUT_BYTES: usize = 1 << 16;

/// Reads records of cells (RFC 4180, with any delimiter).
pub struct DelimitedReader {
    input: Box<dyn Read + Send>,
    /// How many bytes the text of a record has at most, and the ends of its cells, about.
    max_record_bytes: usize,
    parser: Reader,
    buffer: Vec<u8>,
    /// The part of the buffer that is not parsed yet.
    start: usize,
    end: usize,
    /// The cells of the current record, and where each ends.
    text: Vec<u8>,
    ends: Vec<usize>,
    cells: usize,
    /// How many line feeds were read, and the last byte.
    line_feeds: u64,
    last: u8,
    /// The line at which the current record begins.
    line: u64,
}

impl DelimitedReader {
    /// Begins to read a table; a longer record than this number of bytes, about, is an error.
    pub fn new(input: Box<dyn Read + Send>, delimiter: u8, max_record_bytes: usize) -> Self {
        Self {
            input,
            max_record_bytes,
            parser: ReaderBuilder::new().delimiter(delimiter).build(),
            buffer: vec![0; INPUT_BYTES],
            start: 0,
            end: 0,
            text: vec![0; 1024],
            ends: vec![0; 64],
            cells: 0,
            line_feeds: 0,
            last: 0,
            line: 1,
        }
    }

    /// Returns the line at which the current record begins, counted from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Reads the next record; returns false after the last.
    ///
    /// # Errors
    ///
    /// If the input fails, or a record is too long.
    pub fn advance(&mut self) -> io::Result<bool> {
        self.fill()?;
        // The parser ends a record at a carriage return and leaves the line feed after it.
        if self.last == b'\r' && self.buffer[self.start..self.end].first() == Some(&b'\n') {
            self.consume(1);
        }
        self.line = self.line_feeds + 1;
        let (mut text, mut ends) = (0, 0);
        loop {
            self.fill()?;
            let input = &self.buffer[self.start..self.end];
            let (result, read, written, ended) =
                self.parser.read_record(input, &mut self.text[text..], &mut self.ends[ends..]);
            self.consume(read);
            text += written;
            ends += ended;
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull
                    if self.text.len().max(size_of_val(&*self.ends)) >= self.max_record_bytes =>
                {
                    let reason =
                        format!("line {}: a row is longer than {} MB", self.line(), self.max_record_bytes >> 20);
                    return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
                }
                ReadRecordResult::OutputFull => self.text.resize(2 * self.text.len(), 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(2 * self.ends.len(), 0),
                ReadRecordResult::Record => {
                    self.cells = ends;
                    return Ok(true);
                }
                ReadRecordResult::End => return Ok(false),
            }
        }
    }

    /// Reads more where everything is parsed. At the end nothing is read, which the parser takes as the end of the last
    /// record.
    fn fill(&mut self) -> io::Result<()> {
        if self.start == self.end {
            self.end = read_some(&mut self.input, &mut self.buffer)?;
            self.start = 0;
        }
        Ok(())
    }

    /// Counts bytes as parsed.
    fn consume(&mut self, length: usize) {
        let parsed = &self.buffer[self.start..self.start + length];
        self.line_feeds += parsed.iter().filter(|byte| **byte == b'\n').count() as u64;
        self.last = parsed.last().copied().unwrap_or(self.last);
        self.start += length;
    }

    /// Returns the cells of the current record.
    pub fn cells(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let ends = &self.ends[..self.cells];
        ends.iter().enumerate().map(move |(index, end)| {
            let start = index.checked_sub(1).map_or(0, |before| ends[before]);
            String::from_utf8_lossy(&self.text[start..*end])
        })
    }
}

/// Reads what there is, also after an interruption by a signal.
fn read_some(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match input.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}
