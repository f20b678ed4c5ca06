//! Every order in which writes, merges and readers can meet.
//!
//! A merge locks the writer twice: it chooses segments, and replaces them by its result, which it builds in between from
//! what it chose. Two merges may run at once, of segments in memory and of segment files, which never choose the same ones.
//! The steps under the lock are run here one by one, in all orders, on a real writer; a snapshot is taken after each.

use std::collections::BTreeMap;

use cantata_engine::WriteOperation;
use serde_json::{Value, json};

use super::Index;
use super::index_segment::IndexSegment;
use super::open_context::OpenContext;
use super::writer::{IndexWriter, merge_segments};
use crate::engine::EmbeddedEngine;
use crate::segment::Segment;
use crate::snapshot::{DocAddress, Snapshot};

/// The number in each document, by id.
type Documents = BTreeMap<String, u64>;

/// Who makes a step.
#[derive(Debug, Clone, Copy)]
enum Actor {
    Writer,
    /// Merges the segments that were there before the writer began.
    OldMerge,
    /// Merges all others.
    NewMerge,
}

/// How many steps each has: three batches, one merge, two merges.
const STEPS: [(Actor, usize); 3] = [(Actor::Writer, 3), (Actor::OldMerge, 2), (Actor::NewMerge, 4)];

fn put(id: &str, n: u64) -> WriteOperation {
    WriteOperation::Put { id: id.to_owned(), source: json!({ "n": n }).to_string().into_bytes() }
}

fn delete(id: &str) -> WriteOperation {
    WriteOperation::Delete { id: id.to_owned() }
}

/// Returns all orders of the steps that are left.
fn orders(left: &mut [(Actor, usize); 3]) -> Vec<Vec<Actor>> {
    let mut found = Vec::new();
    for index in 0..left.len() {
        let (actor, steps) = left[index];
        if steps > 0 {
            left[index].1 -= 1;
            let rest = orders(left);
            left[index].1 += 1;
            found.extend(rest.into_iter().map(|rest| [vec![actor], rest].concat()));
        }
    }
    if found.is_empty() { vec![Vec::new()] } else { found }
}

fn write(writer: &mut IndexWriter, model: &mut Documents, batch: &[WriteOperation]) {
    let (prepared, _) = writer.prepare(batch).unwrap();
    writer.apply(prepared);
    for operation in batch {
        match operation {
            WriteOperation::Put { id, source } => {
                let document: Value = serde_json::from_slice(source).unwrap();
                model.insert(id.clone(), document["n"].as_u64().unwrap());
            }
            WriteOperation::Delete { id } => {
                model.remove(id);
            }
        }
    }
}

/// Makes the next step of a merge: chooses segments, or replaces those that it chose.
fn merge(writer: &mut IndexWriter, chosen: &mut Option<Vec<IndexSegment>>, is_meant: impl Fn(&IndexSegment) -> bool) {
    match chosen.take() {
        None => *chosen = Some(writer.segments.iter().filter(|segment| is_meant(segment)).cloned().collect()),
        Some(chosen) => {
            let merged = merge_segments(&chosen, &writer.mapping).unwrap();
            let merged = merged.map(|built| IndexSegment::in_memory(Segment::in_memory(built)));
            writer.replace_segments(&chosen, merged);
        }
    }
}

fn documents(snapshot: &Snapshot) -> Documents {
    let mut found = Documents::new();
    for (segment, reader) in snapshot.segments.iter().enumerate() {
        for row in reader.live_rows() {
            let document = snapshot.load_documents(&[DocAddress { segment, row }]).unwrap().remove(0);
            let document = serde_json::to_value(document.root()).unwrap();
            let known = found.insert(reader.segment.id(row).to_owned(), document["n"].as_u64().unwrap());
            assert!(known.is_none(), "{} is there twice", reader.segment.id(row));
        }
    }
    found
}

/// Runs one order. With `commits`, segments without documents are dropped after each step, as a commit does.
fn run(writer: &mut IndexWriter, order: &[Actor], commits: bool) {
    let mut model = Documents::new();
    writer.segments.clear();
    write(writer, &mut model, &[put("a", 1), put("b", 1), put("c", 1)]);
    write(writer, &mut model, &[put("d", 1)]);
    let old = writer.segments.clone();
    let is_old = |segment: &IndexSegment| old.iter().any(|old| segment.is_same(old));
    let batches = [vec![put("a", 2), put("e", 2)], vec![delete("b"), delete("d"), delete("e")], vec![put("a", 3)]];
    let (mut batches, mut old_merge, mut new_merge) = (batches.iter(), None, None);
    let mut snapshots = Vec::new();
    for actor in order {
        match actor {
            Actor::Writer => write(writer, &mut model, batches.next().unwrap()),
            Actor::OldMerge => merge(writer, &mut old_merge, is_old),
            Actor::NewMerge => merge(writer, &mut new_merge, |segment| !is_old(segment)),
        }
        if commits {
            writer.segments.retain(|segment| segment.reader.live_document_count() > 0);
        }
        snapshots.push((writer.snapshot(), model.clone()));
    }
    // Read at the end: a snapshot is right when it is taken, and stays as it is.
    for (step, (snapshot, expected)) in snapshots.iter().enumerate() {
        assert_eq!(documents(snapshot), *expected, "after step {step} of {order:?}");
    }
}

#[test]
fn every_snapshot_has_what_was_written_before_it_whatever_is_merged_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    EmbeddedEngine::open(folder.path()).unwrap().create("things", None).unwrap();
    let index = Index::open("things", folder.path().join("things"), &OpenContext::default()).unwrap();
    let mut writer = index.writer.lock().unwrap();
    let mut steps = STEPS;
    let orders = orders(&mut steps);
    assert_eq!(orders.len(), 1_260);
    for order in &orders {
        for commits in [false, true] {
            run(&mut writer, order, commits);
        }
    }
}
