//! Finds the ends of documents by brackets and quotation marks alone.
//!
//! The scanner is given a buffer that grows at its end, and continues where it stopped. In a stream, documents follow
//! one another or stand in arrays, and brackets must match. In a single array, whatever stands between two commas is a
//! document, so that one that is malformed does not hide the next.

use std::ops::Range;

use memchr::memchr3;

use crate::error::{SyntaxError, SyntaxErrorKind};

/// Where a document is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentSpan {
    /// A number that no other document of the source has: its line where each line is a document, else its count.
    pub number: u64,
    /// The line it begins at.
    pub line: u64,
    /// Its bytes in the buffer.
    pub range: Range<usize>,
}

/// What is expected between documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Separator {
    /// Outside of arrays: a document or an array.
    Document,
    /// Before a single array: `[`.
    ArrayStart,
    /// Right after `[`: a document, or the end of the array.
    First,
    /// After a document in an array: a comma, or the end of the array.
    Comma,
    /// After a comma: a document.
    Next,
    /// After a single array: nothing.
    ArrayEnd,
}

/// What the next byte belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Context {
    Separator,
    /// An object or array that is a document; any document of a single array.
    Document,
    /// A string of a document.
    String,
    /// A number or word that is a document of a stream.
    Literal,
}

/// Looks for the ends of documents.
#[derive(Debug)]
pub(crate) struct Scanner {
    context: Context,
    separator: Separator,
    /// Whether the source is a single array.
    is_array: bool,
    /// The brackets that close what is open in the document.
    closing: Vec<u8>,
    /// How many may be open at once: a document that is left out is not bounded otherwise.
    max_open: usize,
    /// The next byte to look at.
    position: usize,
    /// Where the current document begins.
    document_start: usize,
    document_line: u64,
    /// Where the last document ended.
    last_end: usize,
    /// Whether the current document is left out.
    is_skipping: bool,
    line: u64,
    /// Where the current line begins in the buffer; negative if that is before it.
    line_start: i64,
    /// How many documents there were.
    count: u64,
}

impl Scanner {
    /// Scans documents and arrays of documents that follow one another, with at most `max_open` open brackets in one.
    pub(crate) fn stream(max_open: usize) -> Self {
        Self {
            context: Context::Separator,
            separator: Separator::Document,
            is_array: false,
            closing: Vec::new(),
            max_open,
            position: 0,
            document_start: 0,
            document_line: 1,
            last_end: 0,
            is_skipping: false,
            line: 1,
            line_start: 0,
            count: 0,
        }
    }

    /// Scans the elements of one array; none is left out, so the caller bounds them.
    pub(crate) fn array() -> Self {
        Self { separator: Separator::ArrayStart, is_array: true, ..Self::stream(usize::MAX) }
    }

    /// Looks at the rest of a buffer and adds the documents that end there.
    pub(crate) fn scan(
        &mut self,
        buffer: &[u8],
        is_at_end: bool,
        documents: &mut Vec<DocumentSpan>,
    ) -> Result<(), SyntaxError> {
        while let Some(document) = self.next_document(buffer)? {
            documents.push(document);
        }
        if !is_at_end {
            return Ok(());
        }
        match self.context {
            Context::Literal => documents.extend(self.end_document()),
            Context::Separator => {}
            _ => return Err(self.error(SyntaxErrorKind::EndInDocument(self.document_line))),
        }
        match self.separator {
            Separator::Document | Separator::ArrayEnd => Ok(()),
            _ => Err(self.error(SyntaxErrorKind::EndInArray)),
        }
    }

    /// Returns the next document that ends in the buffer.
    pub(crate) fn next_document(&mut self, buffer: &[u8]) -> Result<Option<DocumentSpan>, SyntaxError> {
        while self.position < buffer.len() {
            let document = match self.context {
                Context::Separator => {
                    self.scan_separator(buffer[self.position])?;
                    continue;
                }
                Context::Document => self.scan_document(buffer)?,
                Context::String => self.scan_string(buffer)?,
                Context::Literal => self.scan_literal(buffer),
            };
            if document.is_some() {
                return Ok(document);
            }
        }
        Ok(None)
    }

    /// Returns where the bytes begin that are still needed.
    pub(crate) fn kept_from(&self) -> usize {
        if self.context == Context::Separator || self.is_skipping { self.position } else { self.document_start }
    }

    /// Returns where the last document ended.
    pub(crate) fn last_end(&self) -> usize {
        self.last_end
    }

    /// Adjusts positions after the first bytes of the buffer were removed.
    pub(crate) fn rebase(&mut self, bytes: usize) {
        self.position = self.position.saturating_sub(bytes);
        self.document_start = self.document_start.saturating_sub(bytes);
        self.last_end = self.last_end.saturating_sub(bytes);
        self.line_start -= bytes as i64;
    }

    /// Leaves the current document out and returns the line it begins at.
    pub(crate) fn skip_document(&mut self) -> u64 {
        self.is_skipping = true;
        self.document_line
    }

    /// Says whether the current document is left out.
    pub(crate) fn is_skipping(&self) -> bool {
        self.is_skipping
    }

    fn error(&self, kind: SyntaxErrorKind) -> SyntaxError {
        SyntaxError { line: self.line, column: self.position as i64 - self.line_start + 1, kind }
    }

    fn start_line(&mut self) {
        self.line += 1;
        self.line_start = self.position as i64 + 1;
    }

    fn scan_separator(&mut self, byte: u8) -> Result<(), SyntaxError> {
        match (byte, self.separator) {
            (b'\n', _) => self.start_line(),
            (b' ' | b'\t' | b'\r', _) => {}
            (b'[', Separator::Document | Separator::ArrayStart) => self.separator = Separator::First,
            (b']', Separator::First | Separator::Comma) => {
                self.separator = if self.is_array { Separator::ArrayEnd } else { Separator::Document };
            }
            (b',', Separator::Comma) => self.separator = Separator::Next,
            (_, Separator::ArrayStart) => return Err(self.error(SyntaxErrorKind::ExpectedArray(byte))),
            (_, Separator::ArrayEnd) => return Err(self.error(SyntaxErrorKind::AfterArray(byte))),
            (_, Separator::Comma) => return Err(self.error(SyntaxErrorKind::ExpectedComma(byte))),
            _ => return self.begin_document(byte),
        }
        self.position += 1;
        Ok(())
    }

    fn begin_document(&mut self, byte: u8) -> Result<(), SyntaxError> {
        self.context = match byte {
            b'{' | b'[' => Context::Document,
            b',' | b']' => return Err(self.error(SyntaxErrorKind::ExpectedDocument(byte))),
            _ if self.is_array => Context::Document,
            b'"' => Context::String,
            b'-' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => Context::Literal,
            _ => return Err(self.error(SyntaxErrorKind::ExpectedDocument(byte))),
        };
        self.document_start = self.position;
        self.document_line = self.line;
        // The first byte of a document is looked at again where it may open something.
        self.position += usize::from(self.context != Context::Document);
        Ok(())
    }

    fn scan_document(&mut self, buffer: &[u8]) -> Result<Option<DocumentSpan>, SyntaxError> {
        while let Some(&byte) = buffer.get(self.position) {
            match byte {
                b'"' => {
                    self.context = Context::String;
                    self.position += 1;
                    return Ok(None);
                }
                b'{' => self.open(b'}')?,
                b'[' => self.open(b']')?,
                // Only the documents of a single array may have nothing open.
                b',' | b']' if self.closing.is_empty() => return Ok(self.end_document()),
                b'}' | b']' => {
                    let is_balanced = self.closing.pop() == Some(byte);
                    if !is_balanced && !self.is_array {
                        let kind = SyntaxErrorKind::UnbalancedBracket(byte, self.document_line);
                        return Err(self.error(kind));
                    }
                    if self.closing.is_empty() && !self.is_array {
                        self.position += 1;
                        return Ok(self.end_document());
                    }
                }
                b'\n' => self.start_line(),
                _ => {}
            }
            self.position += 1;
        }
        Ok(None)
    }

    fn open(&mut self, closing: u8) -> Result<(), SyntaxError> {
        if self.closing.len() >= self.max_open {
            return Err(self.error(SyntaxErrorKind::TooDeep(self.document_line)));
        }
        self.closing.push(closing);
        Ok(())
    }

    fn scan_string(&mut self, buffer: &[u8]) -> Result<Option<DocumentSpan>, SyntaxError> {
        let Some(next) = memchr3(b'"', b'\\', b'\n', &buffer[self.position..]) else {
            self.position = buffer.len();
            return Ok(None);
        };
        self.position += next;
        match buffer[self.position] {
            b'"' => {
                self.context = Context::Document;
                self.position += 1;
                if self.closing.is_empty() && !self.is_array {
                    return Ok(self.end_document());
                }
            }
            // The byte after a backslash ends nothing; it may not be in the buffer yet.
            b'\\' => self.position += 2,
            _ if self.is_array => {
                self.start_line();
                self.position += 1;
            }
            _ => return Err(self.error(SyntaxErrorKind::LineBreakInString)),
        }
        Ok(None)
    }

    fn scan_literal(&mut self, buffer: &[u8]) -> Option<DocumentSpan> {
        let rest = &buffer[self.position..];
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'+' | b'-');
        let length = rest.iter().position(|byte| !is_part(byte));
        self.position += length.unwrap_or(rest.len());
        length.and_then(|_| self.end_document())
    }

    /// Ends the current document; returns it unless it is left out.
    fn end_document(&mut self) -> Option<DocumentSpan> {
        self.context = Context::Separator;
        if self.separator != Separator::Document {
            self.separator = Separator::Comma;
        }
        self.count += 1;
        self.last_end = self.position;
        let range = self.document_start..self.position;
        (!std::mem::take(&mut self.is_skipping)).then_some(DocumentSpan {
            number: self.count,
            line: self.document_line,
            range,
        })
    }
}
