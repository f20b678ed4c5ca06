//! One facet alone, each of a page's in turn, against the same loop on bare arrays.

use std::hint::black_box;

use super::arrays::FACETS;
use super::filters::{match_all, ten_percent};
use super::graphql::ask;
use super::portal::{check_facet, fresh_facet_request};
use super::search_server::SearchServer;
use super::{SearchBench, bare_page};
use crate::Outcome;
use crate::latency::Latencies;
use crate::report::{self, Figure};

pub(super) fn measure(bench: &SearchBench, served: &SearchServer<'_>) -> Outcome<Vec<Figure>> {
    let arrays = served.arrays()?;
    let mut connection = served.server.connect()?;
    let mut figures = Vec::new();
    for filter in [match_all(), ten_percent()] {
        for facet in 0..FACETS.len() {
            let counts = bare_page::facet(arrays, &filter, facet);
            check_facet(&ask(&mut connection, &fresh_facet_request(&filter, facet))?, facet, &counts, arrays)?;
        }
        let name = filter.name;
        let mut p50 = Figure::compared(format!("One facet, {name}, p50"), "ms");
        let mut p99 = Figure::compared(format!("One facet, {name}, p99"), "ms");
        for round in 1..=bench.rounds {
            let theirs = Latencies::measure(bench.duration, |number| {
                black_box(bare_page::facet(arrays, &filter, number % FACETS.len()));
                Ok(())
            })?;
            let request = |number: usize| Ok(fresh_facet_request(&filter, number % FACETS.len()));
            let ours = Latencies::of_requests(bench.duration, &mut connection, request)?;
            let (our_p50, their_p50) = (ours.p50(), theirs.p50());
            report::progress(&format!("one facet, {name}, round {round}: {our_p50:.2} ms, arrays {their_p50:.2} ms"));
            p50.add_compared(our_p50, their_p50);
            p99.add_compared(ours.p99(), theirs.p99());
        }
        figures.extend([p50, p99]);
    }
    Ok(figures)
}
