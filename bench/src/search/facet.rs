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
        let mut p50 = Figure::compared(format!("One facet, {}, p50", filter.name), "ms");
        let mut p99 = Figure::compared(format!("One facet, {}, p99", filter.name), "ms");
        for round in 1..=bench.rounds {
            let theirs = Latencies::measure(bench.duration, |number| {
                black_box(bare_page::facet(arrays, &filter, number % FACETS.len()));
                Ok(())
            })?;
            let request = |number: usize| Ok(fresh_facet_request(&filter, number % FACETS.len()));
            let ours = Latencies::measure_prepared(bench.duration, request, |request| {
                connection.exchange(&request).map(|_| ())
            })?;
            report::progress(&format!(
                "one facet, {}, round {round}: {:.2} ms, arrays {:.2} ms",
                filter.name,
                ours.p50(),
                theirs.p50()
            ));
            p50.add_compared(ours.p50(), theirs.p50());
            p99.add_compared(ours.p99(), theirs.p99());
        }
        figures.extend([p50, p99]);
    }
    Ok(figures)
}
