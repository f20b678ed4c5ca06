//! The documents of both indices, one by one or written out in bulk.

use std::io::{self, Write};
use std::ops::Range;

use serde::Serialize;
use serde_json::Value;

use super::donor_document::DonorDocument;
use super::file_document::FileDocument;

/// Returns a document of `file_centric`; its `_id` is its `object_id`.
pub fn document(seed: u64, number: u64) -> Value {
    to_value(&FileDocument::new(seed, number))
}

/// Returns a document of `donor_centric`; its `_id` is its `donor_id`.
///
/// Four donors have 24 files between them: the first `4 * n` donors are those of the first `24 * n` documents of
/// `file_centric`.
pub fn donor_document(seed: u64, number: u64) -> Value {
    to_value(&DonorDocument::new(seed, number))
}

fn to_value(document: &impl Serialize) -> Value {
    serde_json::to_value(document).expect("a document has string keys and finite numbers only")
}

/// A run of documents of one index, made one by one as they are taken.
#[derive(Debug, Clone)]
pub struct Documents {
    index: Index,
    seed: u64,
    numbers: Range<u64>,
}

#[derive(Debug, Clone, Copy)]
enum Index {
    Files,
    Donors,
}

impl Documents {
    /// Takes the first `count` documents of `file_centric`.
    pub fn new(seed: u64, count: u64) -> Self {
        Self { index: Index::Files, seed, numbers: 0..count }
    }

    /// Takes the first `count` documents of `donor_centric`.
    pub fn of_donors(seed: u64, count: u64) -> Self {
        Self { index: Index::Donors, seed, numbers: 0..count }
    }

    /// Takes the documents of these numbers instead, so that the parts of a large set can be made in parallel.
    pub fn slice(self, numbers: Range<u64>) -> Self {
        Self { numbers, ..self }
    }

    /// Writes the documents as lines of JSON. The writer should be buffered; it gets each document in small pieces.
    ///
    /// # Errors
    ///
    /// If the writer fails.
    pub fn write_to(self, mut out: impl Write) -> io::Result<()> {
        for number in self.numbers {
            match self.index {
                Index::Files => serde_json::to_writer(&mut out, &FileDocument::new(self.seed, number))?,
                Index::Donors => serde_json::to_writer(&mut out, &DonorDocument::new(self.seed, number))?,
            }
            out.write_all(b"\n")?;
        }
        Ok(())
    }
}

impl Iterator for Documents {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        let number = self.numbers.next()?;
        Some(match self.index {
            Index::Files => document(self.seed, number),
            Index::Donors => donor_document(self.seed, number),
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.numbers.size_hint()
    }
}
