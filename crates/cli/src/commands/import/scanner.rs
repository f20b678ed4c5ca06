//! Finding the ends of documents in a stream: by brackets and quotation marks alone.
//!
//! The scanner is given a buffer that grows at its end, and goes on where it stopped. What is wrong within a document
//! whose brackets fit is left for the engine to refuse.

use memchr::memchr3;

use super::split::Found;

/// Why a scan stopped.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// Everything there is was looked at.
    End,
    /// Documents can no longer be told apart: where and why.
    Syntax(String),
}

/// What is expected between documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Between {
    /// Outside of arrays: a document or an array.
    #[default]
    Documents,
    /// Right after `[`: a document, or the end of the array.
    First,
    /// After a document in an array: a comma, or the end of the array.
    Comma,
    /// After a comma: a document.
    Next,
}

/// What the next byte belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Place {
    #[default]
    Between,
    /// In an object or array that is a document.
    Document,
    /// In a text of a document.
    Text,
    /// In a number or word where a document should be.
    Word,
}

/// Looks for the ends of documents.
#[derive(Debug)]
pub(super) struct Scanner {
    place: Place,
    between: Between,
    /// The brackets that close what is open in the document.
    closing: Vec<u8>,
    /// The next byte to look at.
    position: usize,
    /// Where the document under way begins.
    document_start: usize,
    document_line: u64,
    /// Where the last document ended.
    last_end: usize,
    /// The document under way is not wanted.
    is_skipping: bool,
    line: u64,
    /// How many bytes of this line come before the buffer, less what stands before it in the buffer.
    line_start: i64,
    /// How many documents there were.
    count: u64,
}

impl Default for Scanner {
    fn default() -> Self {
        Self {
            place: Place::default(),
            between: Between::default(),
            closing: Vec::new(),
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
}

impl Scanner {
    /// Looks at the rest of a buffer and adds the documents that end there.
    pub(super) fn scan(&mut self, buffer: &[u8], is_at_end: bool, found: &mut Vec<Found>) -> Stop {
        while self.position < buffer.len() {
            let went_on = match self.place {
                Place::Between => self.between_documents(buffer),
                Place::Document => self.in_document(buffer, found),
                Place::Text => self.in_text(buffer, found),
                Place::Word => {
                    self.in_word(buffer, found);
                    Ok(())
                }
            };
            if let Err(problem) = went_on {
                return Stop::Syntax(problem);
            }
        }
        if !is_at_end {
            return Stop::End;
        }
        match (self.place, self.between) {
            (Place::Word, _) => self.end_document(found),
            (Place::Between, _) => {}
            _ => {
                return Stop::Syntax(format!(
                    "{}: the file ends within the document that begins at line {}",
                    self.here(),
                    self.document_line
                ));
            }
        }
        match self.between {
            Between::Documents => Stop::End,
            _ => Stop::Syntax(format!("{}: the file ends within an array; expected `]`", self.here())),
        }
    }

    /// Returns where the bytes begin that are still needed.
    pub(super) fn kept_from(&self) -> usize {
        if self.place == Place::Between || self.is_skipping { self.position } else { self.document_start }
    }

    /// Returns where the last document ended.
    pub(super) fn last_end(&self) -> usize {
        self.last_end
    }

    /// Says that the first bytes of the buffer are taken out of it.
    pub(super) fn move_back(&mut self, bytes: usize) {
        self.position = self.position.saturating_sub(bytes);
        self.document_start = self.document_start.saturating_sub(bytes);
        self.last_end = self.last_end.saturating_sub(bytes);
        self.line_start -= bytes as i64;
    }

    /// Gives up the document under way and returns the line it begins at.
    pub(super) fn give_up(&mut self) -> u64 {
        self.is_skipping = true;
        self.document_line
    }

    /// Returns whether the document under way was given up.
    pub(super) fn is_skipping(&self) -> bool {
        self.is_skipping
    }

    fn here(&self) -> String {
        format!("line {}, column {}", self.line, self.position as i64 - self.line_start + 1)
    }

    fn new_line(&mut self) {
        self.line += 1;
        self.line_start = self.position as i64 + 1;
    }

    fn between_documents(&mut self, buffer: &[u8]) -> Result<(), String> {
        let byte = buffer[self.position];
        match (byte, self.between) {
            (b'\n', _) => self.new_line(),
            (b' ' | b'\t' | b'\r', _) => {}
            (b'[', Between::Documents) => self.between = Between::First,
            (b']', Between::First | Between::Comma) => self.between = Between::Documents,
            (b',', Between::Comma) => self.between = Between::Next,
            (_, Between::Comma) => {
                return Err(format!("{}: found {}, expected `,` or `]`", self.here(), shown(byte)));
            }
            _ => return self.begin_document(byte),
        }
        self.position += 1;
        Ok(())
    }

    fn begin_document(&mut self, byte: u8) -> Result<(), String> {
        self.place = match byte {
            b'{' => {
                self.closing.push(b'}');
                Place::Document
            }
            b'[' => {
                self.closing.push(b']');
                Place::Document
            }
            b'"' => Place::Text,
            b'-' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => Place::Word,
            _ => return Err(format!("{}: found {}, expected a document", self.here(), shown(byte))),
        };
        self.document_start = self.position;
        self.document_line = self.line;
        self.position += 1;
        Ok(())
    }

    fn in_document(&mut self, buffer: &[u8], found: &mut Vec<Found>) -> Result<(), String> {
        while let Some(&byte) = buffer.get(self.position) {
            match byte {
                b'"' => {
                    self.place = Place::Text;
                    self.position += 1;
                    return Ok(());
                }
                b'{' => self.closing.push(b'}'),
                b'[' => self.closing.push(b']'),
                b'}' | b']' => {
                    if self.closing.pop() != Some(byte) {
                        let problem = "which closes something that is not open";
                        return Err(format!(
                            "{}: found {}, {problem} in the document that begins at line {}",
                            self.here(),
                            shown(byte),
                            self.document_line
                        ));
                    }
                    if self.closing.is_empty() {
                        self.position += 1;
                        self.end_document(found);
                        return Ok(());
                    }
                }
                b'\n' => self.new_line(),
                _ => {}
            }
            self.position += 1;
        }
        Ok(())
    }

    fn in_text(&mut self, buffer: &[u8], found: &mut Vec<Found>) -> Result<(), String> {
        let Some(next) = memchr3(b'"', b'\\', b'\n', &buffer[self.position..]) else {
            self.position = buffer.len();
            return Ok(());
        };
        self.position += next;
        match buffer[self.position] {
            b'"' => {
                self.position += 1;
                self.place = Place::Document;
                if self.closing.is_empty() {
                    self.end_document(found);
                }
            }
            // The byte after a backslash ends nothing; it may be the first one of the next reading.
            b'\\' => self.position += 2,
            _ => return Err(format!("{}: found the end of the line within a text, expected `\"`", self.here())),
        }
        Ok(())
    }

    fn in_word(&mut self, buffer: &[u8], found: &mut Vec<Found>) {
        let rest = &buffer[self.position..];
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'+' | b'-');
        match rest.iter().position(|byte| !is_part(byte)) {
            Some(length) => {
                self.position += length;
                self.end_document(found);
            }
            None => self.position = buffer.len(),
        }
    }

    fn end_document(&mut self, found: &mut Vec<Found>) {
        self.place = Place::Between;
        self.between = if self.between == Between::Documents { Between::Documents } else { Between::Comma };
        self.count += 1;
        self.last_end = self.position;
        if !std::mem::take(&mut self.is_skipping) {
            let range = self.document_start..self.position;
            found.push(Found { number: self.count, line: self.document_line, range });
        }
    }
}

fn shown(byte: u8) -> String {
    if byte.is_ascii_graphic() { format!("`{}`", char::from(byte)) } else { format!("the byte {byte:#04x}") }
}
