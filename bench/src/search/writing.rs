//! Writing the JSON of an answer, against serialising the same rows from ready structs.

use std::collections::HashMap;
use std::hint::black_box;
use std::sync::Arc;

use cantata_catalogue::CatalogueView;
use cantata_demo::catalogue::FILE_INDEX;
use cantata_engine::IndexReader;
use cantata_graphql::{GraphqlRequest, PlanContext, PlanResults, PlannedRequest};
use cantata_mapping::UtcDateTime;
use serde_json::json;

use super::SearchBench;
use super::inside::Inside;
use super::rows::{Body, QUERY};
use crate::Outcome;
use crate::latency::Latencies;
use crate::report::{self, Figure, Limit};

/// How many rows a page has, in turn.
const ROWS: [usize; 2] = [1_000, 10_000];

pub(super) fn measure(bench: &SearchBench) -> Outcome<Vec<Figure>> {
    let inside = Inside::open(bench)?;
    ROWS.into_iter().map(|rows| measure_with(bench, &inside, rows)).collect()
}

fn measure_with(bench: &SearchBench, inside: &Inside, rows: usize) -> Outcome<Figure> {
    let (planned, answers) = answered(inside, rows)?;
    let written = planned.write(&answers).body;
    let structs: Body = serde_json::from_slice(&written)?;
    if structs.rows() != rows || serde_json::to_vec(&structs)? != written.trim_ascii_end() {
        return Err("the structs do not say the same as the answer".into());
    }
    let megabytes = written.len() as f64 / 1e6;
    let name = format!("Writing the JSON of {rows} rows with 20 fields");
    let mut figure = Figure::compared(name, "MB/s").required(Limit::AtLeast(0.5));
    for round in 1..=bench.rounds {
        let theirs = Latencies::measure(bench.duration, |_| {
            black_box(serde_json::to_vec(&structs)?);
            Ok(())
        })?;
        let ours = Latencies::measure(bench.duration, |_| {
            black_box(planned.write(&answers));
            Ok(())
        })?;
        let (ours, theirs) = (ours.p50(), theirs.p50());
        report::progress(&format!("writing {rows} rows, round {round}: {ours:.3} ms, from structs {theirs:.3} ms"));
        figure.add_compared(megabytes / ours * 1e3, megabytes / theirs * 1e3);
    }
    Ok(figure)
}

/// Returns a plan and what the engine answers to it.
fn answered(inside: &Inside, rows: usize) -> Outcome<(PlannedRequest, PlanResults)> {
    let variables = json!({ "first": rows }).as_object().cloned();
    let request = GraphqlRequest { query: QUERY.to_owned(), variables, operation_name: None };
    let rejected = |body: &[u8]| format!("the request is rejected: {}", String::from_utf8_lossy(body));
    let prepared = inside.catalogue.prepare(&request).map_err(|error| rejected(&error.bytes))?;
    let sets: HashMap<String, Vec<String>> = HashMap::new();
    let planned =
        prepared.plan(&PlanContext { now: UtcDateTime::MAX, sets: &sets, view: &CatalogueView::without_rules() });
    let plan = planned.records.clone().ok_or("nothing is asked of the engine")?;
    let answer = inside.runtime.block_on(inside.engine.search(FILE_INDEX, Arc::new(plan)));
    Ok((planned, PlanResults { records: Some(answer), ..PlanResults::default() }))
}
