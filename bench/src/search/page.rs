//! Portal pages, against the same loops on bare arrays.

use std::hint::black_box;

use super::filters::{Filter, filters};
use super::graphql::ask;
use super::portal::{VARIANTS, check_page, fresh_page_request, variant};
use super::search_server::SearchServer;
use super::{SearchBench, bare_page};
use crate::Outcome;
use crate::latency::Latencies;
use crate::load::{CLIENTS, drive};
use crate::report::{self, Figure, Limit, plural};

/// How many requests are made beforehand for several clients; they stop when there are no more.
const PREPARED_REQUESTS: usize = 16_000;

pub(super) fn measure(bench: &SearchBench, served: &SearchServer<'_>) -> Outcome<Vec<Figure>> {
    let mut figures = Vec::new();
    for filter in filters() {
        let limit = if filter.clauses.is_empty() { 2.0 } else { 4.0 };
        let [p50, p99] = latencies(bench, served, &filter)?;
        figures.extend([p50.required(Limit::AtMost(limit)), p99]);
        figures.extend(throughput(bench, served, &filter)?);
    }
    Ok(figures)
}

/// Measures how long a page takes one client, at the median and at the 99th percentile.
pub(super) fn latencies(bench: &SearchBench, served: &SearchServer<'_>, filter: &Filter) -> Outcome<[Figure; 2]> {
    let arrays = served.arrays()?;
    let mut connection = served.server.connect()?;
    let mut total = 0;
    for number in 0..VARIANTS {
        let (order, offset) = variant(number);
        let page = bare_page::page(arrays, filter, order, offset);
        check_page(&ask(&mut connection, &request(filter, number))?, &page, arrays)?;
        total = page.total;
    }
    let share = total as f64 / arrays.documents() as f64 * 100.0;
    report::progress(&format!(
        "page, {}: {total} records, {share:.3} %; every answer is as the arrays say",
        filter.name
    ));
    let name = format!("Portal page, {} ({total} records)", filter.name);
    let mut p50 = Figure::compared(format!("{name}, p50"), "ms");
    let mut p99 = Figure::compared(format!("{name}, p99"), "ms");
    let prepare = |number: usize| Ok(request(filter, number));
    let compute = |number: usize| {
        let (order, offset) = variant(number);
        black_box(bare_page::page(arrays, filter, order, offset));
        Ok(())
    };
    for round in 1..=bench.rounds {
        Latencies::measure(bench.warm_up, compute)?;
        let theirs = Latencies::measure(bench.duration, compute)?;
        Latencies::of_requests(bench.warm_up, &mut connection, prepare)?;
        let ours = Latencies::of_requests(bench.duration, &mut connection, prepare)?;
        report::progress(&format!("  round {round}: {:.2} ms, arrays {:.2} ms", ours.p50(), theirs.p50()));
        p50.add_compared(ours.p50(), theirs.p50());
        p99.add_compared(ours.p99(), theirs.p99());
    }
    Ok([p50, p99])
}

/// Measures how many pages several clients get.
fn throughput(bench: &SearchBench, served: &SearchServer<'_>, filter: &Filter) -> Outcome<Vec<Figure>> {
    let mut figures = Vec::new();
    for clients in CLIENTS {
        let name = format!("Portal page, {}, {clients} {}", filter.name, plural(clients, "client"));
        let mut figure = Figure::alone(name, "pages/s");
        for _ in 0..bench.rounds {
            let requests: Vec<Vec<u8>> = (0..PREPARED_REQUESTS).map(|number| request(filter, number)).collect();
            let next = |client: usize, sent: u64| requests.get(sent as usize * clients + client).map(Vec::as_slice);
            figure.add(drive(served.server.address, clients, bench.duration, next)?.per_second());
        }
        figures.push(figure);
    }
    Ok(figures)
}

/// Returns the request of a number for a page that nobody has asked for, unless it is one of all records.
pub(super) fn request(filter: &Filter, number: usize) -> Vec<u8> {
    let (order, offset) = variant(number);
    fresh_page_request(filter, order, offset)
}
