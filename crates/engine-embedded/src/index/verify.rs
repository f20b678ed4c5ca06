//! Verifying the integrity of an index.

use std::collections::HashSet;

use cantata_engine::{Document, ValueRef};

use super::Index;
use crate::snapshot::DocAddress;

impl Index {
    /// Reads everything and returns what is wrong: checksums, unreadable documents, duplicate ids.
    pub(crate) fn verify(&self) -> Vec<String> {
        let snapshot = self.snapshot();
        let mut problems = Vec::new();
        let mut ids = HashSet::new();
        for (segment, reader) in snapshot.segments.iter().enumerate() {
            if let Err(error) = reader.segment.verify() {
                problems.push(format!("segment {segment}: {}", error.chain()));
                continue;
            }
            for row in reader.live_rows() {
                let id = reader.segment.id(row);
                if !ids.insert(id.to_owned()) {
                    problems.push(format!("segment {segment}: the id `{id}` is there twice"));
                }
                if row > 0 && reader.segment.id(row - 1) >= id {
                    problems.push(format!("segment {segment}: the id `{id}` is not in order"));
                }
                let documents = snapshot.load_documents(&[DocAddress { segment, row }]).unwrap_or_default();
                let is_whole = |document: &Document| {
                    matches!(document.root(), ValueRef::Object(_)) && is_readable(document.root())
                };
                if !documents.first().is_some_and(is_whole) {
                    problems.push(format!("segment {segment}: the document `{id}` cannot be read"));
                }
            }
        }
        problems
    }
}

/// Reads everything in a node; returns whether its arrays have the elements that they announce.
fn is_readable(node: ValueRef<'_>) -> bool {
    let mut is_whole = true;
    match node {
        ValueRef::Object(object) => object.for_each(|_, value| is_whole &= is_readable(value)),
        ValueRef::Array(array) => {
            let mut elements = 0;
            array.for_each(|element| {
                elements += 1;
                is_whole &= is_readable(element);
            });
            is_whole &= elements == array.len();
        }
        _ => {}
    }
    is_whole
}
