//! Checking that an index is whole.

use std::collections::HashSet;

use cantata_engine::{Array, Document, Node, Object};

use super::Index;
use crate::search::documents_of;

impl Index {
    /// Reads everything and returns what is wrong: checksums, documents that cannot be read, ids that are there twice.
    pub(crate) fn verify(&self) -> Vec<String> {
        let snapshot = self.snapshot();
        let mut problems = Vec::new();
        let mut ids = HashSet::new();
        for (place, view) in snapshot.views.iter().enumerate() {
            if let Err(problem) = view.segment.verify() {
                problems.push(format!("segment {place}: {problem}"));
                continue;
            }
            for row in
                (0..view.segment.documents()).filter(|&row| view.live.as_ref().is_none_or(|live| live.contains(row)))
            {
                let id = view.segment.id(row);
                if !ids.insert(id.to_owned()) {
                    problems.push(format!("segment {place}: the id `{id}` is there twice"));
                }
                if row > 0 && view.segment.id(row - 1) >= id {
                    problems.push(format!("segment {place}: the id `{id}` is not in order"));
                }
                let documents = documents_of(&snapshot, &[(place, row)]).unwrap_or_default();
                let is_whole =
                    |document: &Document| matches!(document.root(), Node::Object(object) if is_readable(&object));
                if !documents.first().is_some_and(is_whole) {
                    problems.push(format!("segment {place}: the document `{id}` cannot be read"));
                }
            }
        }
        problems
    }
}

fn is_readable(object: &Object<'_>) -> bool {
    let mut readable = true;
    object.for_each(|_, value| readable &= node_is_readable(value));
    readable
}

fn node_is_readable(node: Node<'_>) -> bool {
    match node {
        Node::Object(object) => is_readable(&object),
        Node::Array(array) => array_is_readable(&array),
        _ => true,
    }
}

fn array_is_readable(array: &Array<'_>) -> bool {
    let mut elements = 0;
    let mut readable = true;
    array.for_each(|element| {
        elements += 1;
        readable &= node_is_readable(element);
    });
    readable && elements == array.len()
}
