//! Many documents: the import, portal pages, and the memory for both; and how these grow.

mod growth;

pub(super) use growth::measure as measure_growth;

use self::growth::fresh_page;
use super::filters::filters;
use super::importing::{import, megabytes_on_disk};
use super::search_server::SearchServer;
use super::{SearchBench, page};
use crate::Outcome;
use crate::process_memory::PeakMemory;
use crate::report::{self, Figure, Limit, measure_each};

/// How many megabytes there may be of either process.
const MAX_MEMORY_MEGABYTES: f64 = 6_000.0;

/// How many milliseconds a page with most of ten million records may take, on two cores.
const MAX_PAGE_MILLIS: f64 = 80.0;

pub(super) fn measure(bench: &SearchBench) -> Outcome<Vec<Figure>> {
    let corpus = &bench.corpus;
    let imported = import(bench)?;
    let seconds = imported.elapsed.as_secs_f64();
    report::progress(&format!("import: {seconds:.0} s"));
    let alone = |name: &str, unit, value| Figure::alone(name, unit).with(value);
    let name = format!("Import {} documents", corpus.documents);
    let mut figures = vec![
        alone(&name, "MB/s", corpus.megabytes() / seconds),
        alone(&name, "documents/s", corpus.documents as f64 / seconds),
    ];
    figures.extend(memory_figures(bench, "Import", imported.memory));
    figures.push(Figure::compared("Index on disk", "MB").with_compared(megabytes_on_disk(bench)?, corpus.megabytes()));
    let served = SearchServer::start(bench)?;
    let (pages, memory) = PeakMemory::during(served.server.id(), || measure_pages(bench, &served));
    figures.extend(pages?);
    figures.extend(memory_figures(bench, "Server", memory));
    figures.push(alone("Server memory after all pages, its own", "MB", served.server.memory_parts()?.own));
    served.server.stop()?;
    Ok(figures)
}

fn measure_pages(bench: &SearchBench, served: &SearchServer<'_>) -> Outcome<Vec<Figure>> {
    let mut figures = measure_each(filters(), |filter| page::latencies(bench, served, &filter).map(Vec::from))?;
    let name = "Portal page, 60 %, not asked before, p50";
    let mut fresh = fresh_page(bench, &served.server, name)?;
    // Little memory makes many small segments, of which a page has to look at each.
    if bench.memory_limit.is_none() {
        fresh = fresh.required(Limit::AtMost(MAX_PAGE_MILLIS));
    }
    figures.push(fresh);
    Ok(figures)
}

/// Returns the most memory of a process; what it has of its own is bounded by the limit, if there is one.
fn memory_figures(bench: &SearchBench, process: &str, peak: PeakMemory) -> [Figure; 2] {
    let all = Figure::alone(format!("{process}, most memory"), "MB").with(peak.all);
    let own = Figure::alone(format!("{process}, most memory without mapped files"), "MB").with(peak.own);
    match bench.memory_limit {
        Some(bytes) => [all, own.required(Limit::AtMost(bytes as f64 / 1e6))],
        None => [all.required(Limit::AtMost(MAX_MEMORY_MEGABYTES)), own],
    }
}
