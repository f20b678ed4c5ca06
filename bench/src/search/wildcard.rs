//! Wildcards: the rows whose text has three digits somewhere, which are others each time.

use serde_json::json;

use super::SearchBench;
use super::filters::match_all;
use super::graphql::{Order, ask, request};
use super::portal::{ROWS, rows_query};
use super::search_server::SearchServer;
use crate::Outcome;
use crate::latency::Latencies;
use crate::report::{self, Figure};

/// The fields that are searched: a text of each record, and a keyword of nested elements.
const FIELDS: [&str; 2] = ["file_name", "donors.donor_id"];

pub(super) fn measure(bench: &SearchBench, served: &SearchServer<'_>) -> Outcome<Vec<Figure>> {
    let mut connection = served.server.connect()?;
    let mut figures = Vec::new();
    for field in FIELDS {
        let found = ask(&mut connection, &wildcard(field, 0))?["hits"]["total"].as_u64().unwrap_or_default();
        if found == 0 {
            return Err(format!("no {field} has the digits 100").into());
        }
        let mut p50 = Figure::alone(format!("Wildcard *123* in {field}, p50"), "ms");
        let mut p99 = Figure::alone(format!("Wildcard *123* in {field}, p99"), "ms");
        for round in 1..=bench.rounds {
            let request = |number: usize| Ok(wildcard(field, number * 7));
            let times = Latencies::of_requests(bench.duration, &mut connection, request)?;
            report::progress(&format!("wildcard in {field}, round {round}: {:.2} ms ({found} found)", times.p50()));
            p50.add(times.p50());
            p99.add(times.p99());
        }
        figures.extend([p50, p99]);
    }
    Ok(figures)
}

/// Returns a request for the rows with three digits, which follow from the number.
fn wildcard(field: &str, number: usize) -> Vec<u8> {
    let pattern = format!("*{}*", 100 + number % 900);
    let leaf = json!({ "op": "filter", "content": { "fieldNames": [field], "value": pattern } });
    let filters = json!({ "op": "and", "content": [leaf, match_all().never_sent()] });
    request(&rows_query(), &json!({ "filters": filters, "sort": Order::BY_SIZE.to_json(), "first": ROWS }))
}
