//! Shrinking a failing case.
//!
//! Steps, operations, parts of requests, clauses of filters, members of documents and fields of the mapping are left
//! out one by one, as long as the difference is in the same matter: a smaller case may differ for a reason of its own,
//! such as an exception that its mapping was made to avoid.
//!
//! Not by `proptest`: its runner is synchronous, and documents and requests depend on the mapping, so that strategies
//! would generate them again at each step instead of reducing those that differ.

use cantata_mapping::IndexMapping;
use cantata_sqon::Sqon;
use serde_json::Value;

use super::super::model::Request;
use super::super::random::{Script, Step};
use super::Options;
use super::runner::{Mismatch, run};
use crate::{SearchEngine, WriteOperation};

/// How many smaller cases are tried at most.
const MAX_ATTEMPTS: usize = 3000;

/// Returns all scripts that are a little smaller in one respect.
type Reductions = fn(&Script) -> Vec<Script>;

/// Returns the smallest case that was found to differ, and how.
pub(super) async fn shrink(
    engine: &dyn SearchEngine,
    mut script: Script,
    mut mismatch: Box<Mismatch>,
    options: &Options,
) -> (Script, Box<Mismatch>) {
    script.steps.truncate(mismatch.step + 1);
    let mut attempts = 0;
    let respects: [Reductions; 6] =
        [fewer_steps, fewer_operations, smaller_requests, smaller_filters, smaller_documents, smaller_mappings];
    loop {
        let mut has_shrunk = false;
        for reductions in respects {
            let mut position = 0;
            // What was left out shifts the rest, so the position stays.
            while let Some(smaller) = reductions(&script).into_iter().nth(position) {
                attempts += 1;
                if attempts > MAX_ATTEMPTS {
                    return (script, mismatch);
                }
                match run(engine, &smaller, options).await {
                    Err(found) if found.what == mismatch.what => {
                        script = smaller;
                        script.steps.truncate(found.step + 1);
                        mismatch = found;
                        has_shrunk = true;
                    }
                    Ok(()) | Err(_) => position += 1,
                }
            }
        }
        if !has_shrunk {
            return (script, mismatch);
        }
    }
}

fn fewer_steps(script: &Script) -> Vec<Script> {
    let before_last = script.steps.len().saturating_sub(1);
    (0..before_last).rev().map(|index| changed(script, |script| drop(script.steps.remove(index)))).collect()
}

fn fewer_operations(script: &Script) -> Vec<Script> {
    smaller_batches(script, |batch| {
        let without = |index: usize| [&batch[..index], &batch[index + 1..]].concat();
        (0..batch.len()).map(without).collect()
    })
}

/// Returns the script with each of the reductions of each of its batches.
fn smaller_batches(script: &Script, reductions: impl Fn(&[WriteOperation]) -> Vec<Vec<WriteOperation>>) -> Vec<Script> {
    let mut smaller = Vec::new();
    for (index, step) in script.steps.iter().enumerate() {
        let Step::Write(batch) = step else { continue };
        let reduced = reductions(batch).into_iter().map(Step::Write);
        smaller.extend(reduced.map(|step| changed(script, |script| script.steps[index] = step)));
    }
    smaller
}

fn smaller_requests(script: &Script) -> Vec<Script> {
    let Some(Step::Search(request)) = script.steps.last() else { return Vec::new() };
    let mut smaller: Vec<Request> = Vec::new();
    let mut without = |change: &dyn Fn(&mut Request)| {
        let mut less = request.clone();
        change(&mut less);
        if less != *request {
            smaller.push(less);
        }
    };
    for index in 0..request.hits.len() {
        without(&|request| drop(request.hits.remove(index)));
        without(&|request| request.hits[index].sort.clear());
        without(&|request| drop(request.hits[index].sort.pop()));
        without(&|request| request.hits[index].documents = false);
        without(&|request| request.hits[index].total = false);
        without(&|request| request.hits[index].offset = 0);
    }
    for index in 0..request.facets.len() {
        without(&|request| drop(request.facets.remove(index)));
        without(&|request| request.facets[index].request.buckets = None);
        without(&|request| request.facets[index].request.distinct = false);
        without(&|request| request.facets[index].request.missing = false);
        without(&|request| request.facets[index].request.stats = false);
        without(&|request| request.facets[index].request.histograms.clear());
        without(&|request| request.facets[index].request.ranges.clear());
        without(&|request| request.facets[index].request.top_hits = None);
        without(&|request| request.facets[index].request.bucket_filters.clear());
        without(&|request| request.facets[index].filter_themselves = true);
    }
    smaller.into_iter().map(|less| with_last(script, Step::Search(less))).collect()
}

fn smaller_filters(script: &Script) -> Vec<Script> {
    let Some(last) = script.steps.last() else { return Vec::new() };
    let (Step::Search(request) | Step::PageThrough(request) | Step::Export(request, _)) = last else {
        return Vec::new();
    };
    let mut smaller = Vec::new();
    for (index, sqon) in request.sqons.iter().enumerate() {
        let Some(sqon) = sqon else { continue };
        for less in std::iter::once(None).chain(smaller_sqons(sqon).into_iter().map(Some)) {
            let mut request = request.clone();
            request.sqons[index] = less;
            let step = match last {
                Step::PageThrough(_) => Step::PageThrough(request),
                Step::Export(_, export) => Step::Export(request, export.clone()),
                _ => Step::Search(request),
            };
            smaller.push(with_last(script, step));
        }
    }
    smaller
}

fn smaller_sqons(sqon: &Sqon) -> Vec<Sqon> {
    let parts = if let Sqon::Group { content, .. } = sqon { content.clone() } else { Vec::new() };
    let reduced = smaller_values(&sqon.to_json()).into_iter().filter_map(|json| Sqon::parse(&json).ok().flatten());
    parts.into_iter().chain(reduced).collect()
}

fn smaller_documents(script: &Script) -> Vec<Script> {
    smaller_batches(script, |batch| {
        let mut smaller = Vec::new();
        for (index, operation) in batch.iter().enumerate() {
            let WriteOperation::Put { id, source } = operation else { continue };
            let Ok(document) = serde_json::from_slice::<Value>(source) else { continue };
            for less in smaller_values(&document).into_iter().filter(Value::is_object) {
                let mut batch = batch.to_vec();
                batch[index] = WriteOperation::Put { id: id.clone(), source: less.to_string().into_bytes() };
                smaller.push(batch);
            }
        }
        smaller
    })
}

fn smaller_mappings(script: &Script) -> Vec<Script> {
    smaller_values(&script.mapping)
        .into_iter()
        .filter(|mapping| IndexMapping::parse(mapping).is_ok())
        .map(|mapping| changed(script, |script| script.mapping = mapping.clone()))
        .collect()
}

/// Returns the value with one member or element left out, anywhere in it.
fn smaller_values(value: &Value) -> Vec<Value> {
    let mut smaller = Vec::new();
    match value {
        Value::Object(members) => {
            for (name, inner) in members {
                let mut fewer = members.clone();
                fewer.shift_remove(name);
                smaller.push(Value::Object(fewer));
                for less in smaller_values(inner) {
                    let mut members = members.clone();
                    members.insert(name.clone(), less);
                    smaller.push(Value::Object(members));
                }
            }
        }
        Value::Array(items) => {
            for (index, inner) in items.iter().enumerate() {
                let mut fewer = items.clone();
                fewer.remove(index);
                smaller.push(Value::Array(fewer));
                for less in smaller_values(inner) {
                    let mut items = items.clone();
                    items[index] = less;
                    smaller.push(Value::Array(items));
                }
            }
        }
        _ => {}
    }
    smaller
}

fn with_last(script: &Script, step: Step) -> Script {
    changed(script, |script| {
        script.steps.pop();
        script.steps.push(step);
    })
}

fn changed(script: &Script, change: impl FnOnce(&mut Script)) -> Script {
    let mut script = script.clone();
    change(&mut script);
    script
}
