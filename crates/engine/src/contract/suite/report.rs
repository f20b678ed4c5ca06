//! The report of a mismatch.

use serde_json::{Value, json};

use super::super::model::Request;
use super::super::random::{Script, Step};
use super::runner::Mismatch;
use crate::WriteOperation;

/// Returns the case as text: the seed, the script and both answers.
pub(super) fn report(seed: u64, script: &Script, mismatch: &Mismatch) -> String {
    let steps: Vec<Value> = script.steps.iter().map(step).collect();
    let case = json!({
        "seed": seed,
        "mapping": script.mapping,
        "sets": script.sets,
        "steps": steps,
        "plan": mismatch.plan,
        "differs": mismatch.what,
        "expected": mismatch.expected,
        "found": mismatch.found,
    });
    format!("the engine and the model differ in {}:\n{case:#}", mismatch.what)
}

fn step(step: &Step) -> Value {
    match step {
        Step::Write(batch) => json!({"write": batch.iter().map(operation).collect::<Vec<_>>()}),
        Step::Search(asked) => json!({"ask": request(asked)}),
        Step::PageThrough(asked) => json!({"page through": request(asked)}),
        Step::Export(asked, export) => json!({"export": request(asked), "as": format!("{export:?}")}),
    }
}

fn request(request: &Request) -> Value {
    json!({
        "sqons": request.sqons,
        "hits": request.hits.iter().map(|hits| format!("{hits:?}")).collect::<Vec<_>>(),
        "facets": request.facets.iter().map(|facet| format!("{facet:?}")).collect::<Vec<_>>(),
    })
}

fn operation(operation: &WriteOperation) -> Value {
    match operation {
        WriteOperation::Delete { id } => json!({"delete": id}),
        WriteOperation::Put { id, source } => {
            let document = serde_json::from_slice(source)
                .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(source).into_owned()));
            json!({"put": id, "document": document})
        }
    }
}
