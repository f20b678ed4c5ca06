//! Reads the operations of a bulk request as its lines come: an operation, then its document.

use bytes::Bytes;
use cantata_json_stream::{BodySplitter, SplitError};

use super::operation::{BulkAction, BulkOperation};
use crate::es_compat::EsResult;
use crate::es_compat::documents::MAX_DOCUMENT_BYTES;
use crate::es_compat::error::EsError;

/// Collects the operations of the lines that were fed to it.
pub(super) struct OperationReader<'a> {
    default_index: Option<&'a str>,
    splitter: BodySplitter,
    number: usize,
    /// An operation whose document is in the next line.
    waiting: Option<BulkOperation>,
    read: Vec<BulkOperation>,
    bytes: usize,
}

impl<'a> OperationReader<'a> {
    pub(super) fn new(default_index: Option<&'a str>) -> Self {
        let splitter = BodySplitter::with_blank_lines(MAX_DOCUMENT_BYTES);
        Self { default_index, splitter, number: 0, waiting: None, read: Vec::new(), bytes: 0 }
    }

    /// Takes a piece of the body.
    pub(super) fn read(&mut self, piece: &[u8]) -> EsResult<()> {
        self.splitter.feed(piece);
        while let Some(line) = self.splitter.next_document().map_err(|error| self.unsplittable(&error))? {
            self.line(line)?;
        }
        Ok(())
    }

    fn unsplittable(&self, error: &SplitError) -> EsError {
        match error {
            SplitError::TooLong(limit) => self.wrong(&format!("it is longer than {limit} bytes")),
            SplitError::Syntax(error) => self.wrong(&error.to_string()),
        }
    }

    fn line(&mut self, line: Bytes) -> EsResult<()> {
        self.number += 1;
        self.bytes += line.len();
        if let Some(mut operation) = self.waiting.take() {
            operation.source = line;
            self.read.push(operation);
            return Ok(());
        }
        if line.trim_ascii().is_empty() {
            return Ok(());
        }
        let operation = BulkOperation::read(&line, self.default_index).map_err(|error| self.wrong(&error.reason))?;
        match operation.action {
            BulkAction::Delete => self.read.push(operation),
            _ => self.waiting = Some(operation),
        }
        Ok(())
    }

    fn wrong(&self, reason: &str) -> EsError {
        EsError::illegal(format!("Malformed action/metadata line [{}]: {reason}", self.number.max(1)))
    }

    /// Returns how many bytes the operations have that wait to be taken.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns how many bytes wait in memory, those of an operation that is not complete included.
    pub(super) fn buffered_bytes(&self) -> usize {
        self.bytes + self.splitter.buffered_bytes()
    }

    /// Takes the operations that are complete.
    pub(super) fn take(&mut self) -> Vec<BulkOperation> {
        self.bytes = 0;
        std::mem::take(&mut self.read)
    }

    /// Takes the last operations; the last line needs no end.
    pub(super) fn finish(mut self) -> EsResult<Vec<BulkOperation>> {
        if let Some(last) = self.splitter.finish().map_err(|error| self.unsplittable(&error))? {
            self.line(last)?;
        }
        match &self.waiting {
            Some(operation) => {
                let reason = format!("the document of [{}] is missing", operation.action.name());
                Err(self.wrong(&reason))
            }
            None if self.number == 0 => Err(EsError::unreadable("request body is required")),
            None => Ok(self.take()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &[u8] = b"{\"index\":{\"_id\":\"a\"}}\n{\"x\":1}\r\n\n{\"delete\":{\"_id\":5,\"_index\":\"j\"}}\n\
        {\"create\":{}}\n{\"y\":\"\\n\"}";

    fn shown(operations: &[BulkOperation]) -> String {
        let one = |operation: &BulkOperation| {
            let source = std::str::from_utf8(&operation.source).unwrap().trim();
            let id = if operation.id.len() == 32 { "made" } else { &operation.id };
            format!("{} {} {id} {source}", operation.action.name(), operation.index)
        };
        operations.iter().map(one).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn lines_are_the_same_however_the_body_is_cut() {
        for size in 1..BODY.len() + 1 {
            let mut reader = OperationReader::new(Some("i"));
            let mut read = Vec::new();
            for piece in BODY.chunks(size) {
                reader.read(piece).unwrap();
                read.extend(reader.take());
            }
            read.extend(reader.finish().unwrap());
            assert_eq!(shown(&read), "index i a {\"x\":1}|delete j 5 |create i made {\"y\":\"\\n\"}", "{size}");
        }
    }

    #[test]
    fn what_is_no_operation_is_refused_with_its_line() {
        let wrong: [(&[u8], &str); 9] = [
            (b"\n{\"index\":{\"_id\":\"a\"}}\n", "[2]: the document of [index] is missing"),
            (b"{}\n", "[1]: expected an object"),
            (b"{\"index\":{},\"delete\":{}}\n", "[1]: expected an object"),
            (b"{\"script\":{}}\n{}\n", "[1]: unknown action [script]"),
            (b"[\n", "[1]: it is not JSON"),
            (b"{\"index\":{\"_id\":\"\"}}\n{}\n", "[1]: the id has 0 bytes"),
            (b"{\"index\":{\"if_seq_no\":3}}\n{}\n", "[1]: [if_seq_no] is nothing"),
            (b"{\"delete\":{}}\n", "[1]: an id must be provided"),
            (b"\xff\n", "[1]: it is not JSON"),
        ];
        for (body, expected) in wrong {
            let mut reader = OperationReader::new(Some("i"));
            let error = reader.read(body).err().or_else(|| reader.finish().err()).unwrap();
            assert!(error.reason.contains(expected), "{}", error.reason);
        }
        assert!(OperationReader::new(None).finish().is_err());
        assert!(OperationReader::new(None).read(b"{\"index\":{}}\n").unwrap_err().reason.contains("index is missing"));
    }
}
