//! Splits JSON arrays, concatenated JSON documents and NDJSON into documents without parsing them.
//!
//! [`ChunkReader`] pulls chunks of many documents out of a file; [`BodySplitter`] is fed a body as it arrives. Both look
//! for brackets, quotation marks and line breaks only, so that a document that is not valid JSON reaches its parser and
//! becomes that document's own error. Memory is bounded by a chunk and the longest document allowed.

mod body_splitter;
mod chunk_reader;
mod error;
mod scanner;

pub use body_splitter::{BodyFormat, BodySplitter};
pub use chunk_reader::{ChunkReader, DocumentChunk, MAX_DOCUMENT_BYTES};
pub use error::{ReadError, SplitError, SyntaxError, SyntaxErrorKind};
pub use scanner::DocumentSpan;
