//! Portal pages, against the same loops on bare arrays.

use std::hint::black_box;

use super::filters::{Filter, filters};
use super::graphql::ask;
use super::portal::{VARIANTS, check_page, page_request, variant};
use super::served::Served;
use super::{Bench, bare_page};
use crate::Outcome;
use crate::latency::Latencies;
use crate::load::{CLIENTS, drive};
use crate::payloads::scatter;
use crate::report::{self, Figure, Limit, plural};

pub(super) fn measure(bench: &Bench, served: &Served<'_>) -> Outcome<Vec<Figure>> {
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
pub(super) fn latencies(bench: &Bench, served: &Served<'_>, filter: &Filter) -> Outcome<[Figure; 2]> {
    let arrays = served.arrays()?;
    let mut connection = served.server.connect()?;
    let requests = requests(filter);
    let mut total = 0;
    for (number, request) in requests.iter().enumerate() {
        let (order, offset) = variant(number);
        let page = bare_page::page(arrays, filter, order, offset);
        check_page(&ask(&mut connection, request)?, &page, arrays)?;
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
    let mut ask = |number: usize| connection.exchange(&requests[number % VARIANTS]).map(|_| ());
    let compute = |number: usize| {
        let (order, offset) = variant(number);
        black_box(bare_page::page(arrays, filter, order, offset));
        Ok(())
    };
    for round in 1..=bench.rounds {
        Latencies::measure(bench.warm_up, compute)?;
        let theirs = Latencies::measure(bench.duration, compute)?;
        Latencies::measure(bench.warm_up, &mut ask)?;
        let ours = Latencies::measure(bench.duration, &mut ask)?;
        report::progress(&format!("  round {round}: {:.2} ms, arrays {:.2} ms", ours.p50(), theirs.p50()));
        p50.add_compared(ours.p50(), theirs.p50());
        p99.add_compared(ours.p99(), theirs.p99());
    }
    Ok([p50, p99])
}

/// Measures how many pages several clients get.
fn throughput(bench: &Bench, served: &Served<'_>, filter: &Filter) -> Outcome<Vec<Figure>> {
    let requests = requests(filter);
    let next = |client: usize, sent: u64| {
        let number = scatter(((client as u64) << 40) | sent) as usize;
        Some(requests[number % VARIANTS].as_slice())
    };
    let mut figures = Vec::new();
    for clients in CLIENTS {
        let name = format!("Portal page, {}, {clients} {}", filter.name, plural(clients, "client"));
        let mut figure = Figure::alone(name, "pages/s");
        for _ in 0..bench.rounds {
            drive(served.server.address, clients, bench.warm_up, next)?;
            figure.add(drive(served.server.address, clients, bench.duration, next)?.per_second());
        }
        figures.push(figure);
    }
    Ok(figures)
}

fn requests(filter: &Filter) -> Vec<Vec<u8>> {
    let request = |number| {
        let (order, offset) = variant(number);
        page_request(filter, order, offset)
    };
    (0..VARIANTS).map(request).collect()
}
