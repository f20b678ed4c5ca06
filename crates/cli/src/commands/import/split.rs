//! Cutting a source into chunks of whole documents, without copying them and without looking at each twice.
//!
//! Two forms are told apart by their beginning. In *lines* each line is a document, and a line that is none is left
//! for the engine to refuse. In a *stream* documents follow one another as they like, or stand in arrays; there the
//! brackets and quotation marks say where a document ends, and where they do not fit, nothing after that place can be
//! trusted. Whatever the form, no more is held than a chunk or the longest document allowed.

use std::io::Read;
use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};
use serde::de::IgnoredAny;

use super::scanner::{Scanner, Stop};

/// The longest document, in bytes.
pub(crate) const LONGEST_DOCUMENT: usize = 64 << 20;

/// How much more is read when a document is not complete yet.
const STEP: usize = 1 << 20;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Some whole documents of a source.
#[derive(Debug, Default)]
pub(crate) struct Part {
    pub(crate) bytes: Vec<u8>,
    pub(crate) documents: Vec<Found>,
    /// The lines that documents too long to be taken begin at.
    pub(crate) too_long: Vec<u64>,
    /// How many bytes of the source come before those of this part.
    pub(crate) start: u64,
    /// How many bytes of the source are done with this part.
    pub(crate) end: u64,
}

/// A document that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    /// A number that no other document of the source has: its line where each line is a document, else its count.
    pub(crate) number: u64,
    /// The line it begins at.
    pub(crate) line: u64,
    /// Where it stands among the bytes.
    pub(crate) range: Range<usize>,
}

/// Why a source cannot be read to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Broken {
    /// It cannot be read.
    Unreadable(String),
    /// Its documents cannot be told apart: where and why.
    Syntax(String),
}

enum Form {
    Unknown,
    Lines,
    Stream(Scanner),
}

/// Cuts a source into chunks.
pub(crate) struct Splitter<R> {
    reader: R,
    chunk_size: usize,
    /// How much more is read when a document is not complete yet.
    step: usize,
    longest: usize,
    form: Form,
    /// What was read and not handed out.
    buffer: Vec<u8>,
    /// How many bytes of the source come before the buffer.
    start: u64,
    /// The line that the buffer begins in, when it has lines.
    line: u64,
    is_at_end: bool,
    broken: Option<Broken>,
}

impl<R: Read> Splitter<R> {
    /// Begins a source; `has_lines` says that its form is known.
    pub(crate) fn new(reader: R, chunk_size: usize, has_lines: bool) -> Self {
        let form = if has_lines { Form::Lines } else { Form::Unknown };
        Self {
            reader,
            chunk_size,
            step: STEP.min(chunk_size),
            longest: LONGEST_DOCUMENT,
            form,
            buffer: Vec::new(),
            start: 0,
            line: 1,
            is_at_end: false,
            broken: None,
        }
    }

    /// Returns the next documents; nothing at the end.
    ///
    /// # Errors
    ///
    /// If the source cannot be read further. Everything before that place was returned.
    pub(crate) fn next_part(&mut self) -> Result<Option<Part>, Broken> {
        if self.start == 0 && self.buffer.is_empty() {
            self.begin();
        }
        let part = match &mut self.form {
            Form::Stream(_) => self.next_of_stream(),
            _ => self.next_of_lines(),
        };
        match (part, self.broken.take()) {
            (Some(part), broken) => {
                self.broken = broken;
                Ok(Some(part))
            }
            (None, Some(broken)) => Err(broken),
            (None, None) => Ok(None),
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
                self.broken = Some(Broken::Unreadable(error.to_string()));
            }
        }
    }

    /// Reads the beginning and finds out the form.
    fn begin(&mut self) {
        self.fill(self.step.max(BYTE_ORDER_MARK.len()));
        if self.buffer.starts_with(BYTE_ORDER_MARK) {
            self.skip(BYTE_ORDER_MARK.len());
        }
        if matches!(self.form, Form::Unknown) {
            let has_lines = loop {
                let beginning = self.buffer.trim_ascii_start();
                let mut ends = memchr_iter(b'\n', beginning);
                match (ends.next(), ends.next()) {
                    (Some(first), Some(second)) => break has_lines(&beginning[..first], &beginning[first..second]),
                    (first, _) if self.is_at_end || self.buffer.len() > self.longest => {
                        let (first, second) = beginning.split_at(first.unwrap_or(beginning.len()));
                        break has_lines(first, second);
                    }
                    _ => self.fill(self.buffer.len() + self.step),
                }
            };
            self.form = if has_lines { Form::Lines } else { Form::Stream(Scanner::default()) };
        }
    }

    fn skip(&mut self, bytes: usize) {
        self.buffer.drain(..bytes);
        self.start += bytes as u64;
    }

    /// Takes the first bytes of the buffer out of it.
    fn cut(&mut self, at: usize) -> Part {
        let mut rest = Vec::with_capacity(if self.is_at_end { 0 } else { self.chunk_size });
        rest.extend_from_slice(&self.buffer[at..]);
        let mut bytes = std::mem::replace(&mut self.buffer, rest);
        bytes.truncate(at);
        let start = self.start;
        self.start += at as u64;
        Part { bytes, start, end: self.start, ..Part::default() }
    }

    fn next_of_lines(&mut self) -> Option<Part> {
        let mut too_long = Vec::new();
        let mut searched = 0;
        self.fill(self.chunk_size);
        let end = loop {
            if let Some(last) = memrchr(b'\n', &self.buffer[searched..]) {
                break searched + last + 1;
            }
            if self.is_at_end {
                // What a source that cannot be read ends with is no whole line.
                break if self.broken.is_none() { self.buffer.len() } else { 0 };
            }
            searched = self.buffer.len();
            if searched > self.longest {
                too_long.push(self.line);
                self.skip_line();
                searched = 0;
            }
            self.fill((self.buffer.len() + self.step).max(self.chunk_size));
        };
        if end == 0 && too_long.is_empty() {
            return None;
        }
        let mut part = self.cut(end);
        part.too_long = too_long;
        let mut start = 0;
        let ends = memchr_iter(b'\n', &part.bytes).chain([part.bytes.len()]);
        for end in ends {
            let line = &part.bytes[start..end];
            if line.len() > self.longest {
                part.too_long.push(self.line);
            } else if !line.trim_ascii_start().is_empty() {
                part.documents.push(Found { number: self.line, line: self.line, range: start..end });
            }
            self.line += u64::from(end < part.bytes.len());
            start = end + 1;
            if start > part.bytes.len() {
                break;
            }
        }
        Some(part)
    }

    /// Forgets a line that is too long to be held.
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
            self.fill(self.step);
        }
    }

    fn next_of_stream(&mut self) -> Option<Part> {
        let (mut documents, mut too_long) = (Vec::new(), Vec::new());
        self.fill(self.chunk_size);
        let end = loop {
            let Form::Stream(scanner) = &mut self.form else { return None };
            let stopped = scanner.scan(&self.buffer, self.is_at_end, &mut documents);
            if let Stop::Syntax(problem) = stopped {
                self.is_at_end = true;
                self.broken.get_or_insert(Broken::Syntax(problem));
                break scanner.last_end();
            }
            let kept_from = scanner.kept_from().min(self.buffer.len());
            if self.is_at_end || (self.buffer.len() >= self.chunk_size && !documents.is_empty()) {
                break kept_from;
            }
            if self.buffer.len() - kept_from > self.longest {
                too_long.push(scanner.give_up());
            }
            if scanner.is_skipping() {
                let read = self.buffer.len();
                scanner.move_back(read);
                self.skip(read);
            }
            self.fill((self.buffer.len() + self.step).max(self.chunk_size));
        };
        if let Form::Stream(scanner) = &mut self.form {
            scanner.move_back(end);
        }
        let long = documents.extract_if(.., |document: &mut Found| document.range.len() > self.longest);
        too_long.extend(long.map(|document| document.line));
        let is_empty = documents.is_empty() && too_long.is_empty();
        let mut part = self.cut(end);
        if self.broken.is_some() {
            self.buffer.clear();
        }
        part.documents = documents;
        part.too_long = too_long;
        (!is_empty).then_some(part)
    }
}

/// Says whether a source that begins with these lines has a document in each line: the first one is a value, or none
/// that could go on. If it could go on, but the second one is a document, then the first one is a broken one.
fn has_lines(line: &[u8], second: &[u8]) -> bool {
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
