//! A page far behind the first one, reached by `searchAfter`, against the first one.

use std::time::Instant;

use serde_json::{Value, json};

use super::SearchBench;
use super::filters::match_all;
use super::graphql::{Order, ask, request};
use super::portal::{ROWS, rows_query};
use super::search_server::SearchServer;
use crate::Outcome;
use crate::client::Connection;
use crate::latency::Latencies;
use crate::report::{self, Figure, Limit};

/// Which page is compared with the first, if there are this many.
const DEEP_PAGE: usize = 5_000;

/// How many rows are passed over at once on the way there.
const STRIDE_ROWS: usize = 10_000;

pub(super) fn measure(bench: &SearchBench, served: &SearchServer<'_>) -> Outcome<Vec<Figure>> {
    let mut connection = served.server.connect()?;
    let page = DEEP_PAGE.min(bench.corpus.documents as usize / ROWS);
    let cursor = cursor_after(&mut connection, (page - 1) * ROWS)?;
    let (first, last) = (|| rows_request(ROWS, &Value::Null), || rows_request(ROWS, &cursor));
    for request in [first(), last()] {
        let rows = ask(&mut connection, &request)?["hits"]["edges"].as_array().map_or(0, Vec::len);
        if rows != ROWS {
            return Err(format!("a page has {rows} rows instead of {ROWS}").into());
        }
    }
    let mut figure = Figure::compared(format!("Page {page} by searchAfter, p50"), "ms").required(Limit::AtMost(1.2));
    for round in 1..=bench.rounds {
        let (mut firsts, mut lasts) = (Vec::new(), Vec::new());
        let end = Instant::now() + bench.duration * 2;
        while Instant::now() < end {
            for (request, times) in [(first(), &mut firsts), (last(), &mut lasts)] {
                times.push(connection.time(&request)?);
            }
        }
        let (near, far) = (Latencies::of(firsts).p50(), Latencies::of(lasts).p50());
        report::progress(&format!("paging, round {round}: page {page} {far:.2} ms, page 1 {near:.2} ms"));
        figure.add_compared(far, near);
    }
    Ok(vec![figure])
}

/// Returns the cursor of the last of this many rows.
fn cursor_after(connection: &mut Connection, rows: usize) -> Outcome<Value> {
    let mut cursor = Value::Null;
    let mut passed = 0;
    while passed < rows {
        let stride = STRIDE_ROWS.min(rows - passed);
        let query = "query ($sort: [Sort], $first: Int, $searchAfter: JSON) { file { \
                     hits(sort: $sort, first: $first, searchAfter: $searchAfter) { edges { searchAfter } } } }";
        let sort = Order::BY_SIZE.to_json();
        let request = request(query, &json!({ "sort": sort, "first": stride, "searchAfter": cursor }));
        let mut answer = ask(connection, &request)?;
        let edges = answer["hits"]["edges"].as_array_mut().ok_or("the answer has no rows")?;
        if edges.len() != stride {
            return Err(format!("asked for {stride} rows after {passed} and got {}", edges.len()).into());
        }
        cursor = edges[stride - 1]["searchAfter"].take();
        passed += stride;
    }
    Ok(cursor)
}

fn rows_request(rows: usize, cursor: &Value) -> Vec<u8> {
    let sort = Order::BY_SIZE.to_json();
    let filters = match_all().never_sent();
    request(&rows_query(), &json!({ "filters": filters, "sort": sort, "first": rows, "searchAfter": cursor }))
}
