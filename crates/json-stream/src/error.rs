//! Why a source cannot be split any further.

use std::io;

/// The syntax of a source that cannot be split from here on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {kind}")]
pub struct SyntaxError {
    /// The line, from 1.
    pub line: u64,
    /// The column in bytes, from 1.
    pub column: i64,
    /// What is wrong there.
    pub kind: SyntaxErrorKind,
}

/// What is wrong with the syntax between or within documents.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SyntaxErrorKind {
    /// The body of a single array begins with something else.
    #[error("found {}, expected `[`", quote_byte(*.0))]
    ExpectedArray(u8),
    /// There is something after the end of a single array.
    #[error("found {} after the end of the array", quote_byte(*.0))]
    AfterArray(u8),
    /// A document of an array is followed by something else than a separator.
    #[error("found {}, expected `,` or `]`", quote_byte(*.0))]
    ExpectedComma(u8),
    /// No document begins where one should.
    #[error("found {}, expected a document", quote_byte(*.0))]
    ExpectedDocument(u8),
    /// A bracket closes something that is not open.
    #[error("found {}, which closes something that is not open in the document that begins at line {}", quote_byte(*.0), .1)]
    UnbalancedBracket(u8, u64),
    /// The document that begins at this line has more open brackets than a document may have bytes.
    #[error("the document that begins at line {0} is nested too deeply")]
    TooDeep(u64),
    /// A string has a line break.
    #[error("found the end of the line within a text, expected `\"`")]
    LineBreakInString,
    /// The source ends within the document that begins at this line.
    #[error("the file ends within the document that begins at line {0}")]
    EndInDocument(u64),
    /// The source ends within an array.
    #[error("the file ends within an array; expected `]`")]
    EndInArray,
}

/// Returns a byte as messages show it.
fn quote_byte(byte: u8) -> String {
    if byte.is_ascii_graphic() { format!("`{}`", char::from(byte)) } else { format!("the byte {byte:#04x}") }
}

/// Why a [`ChunkReader`](crate::ChunkReader) cannot read a source to its end.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Its documents cannot be separated.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
}

/// Why a [`BodySplitter`](crate::BodySplitter) finds no further document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SplitError {
    /// The documents cannot be separated.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// A document has more than the given number of bytes.
    #[error("a document is longer than {0} bytes")]
    TooLong(usize),
}
