//! Many documents: the import, portal pages, and the memory for both; and how these grow.

mod growth;

pub(super) use growth::measure as measure_growth;

use self::growth::fresh_page;
use super::filters::filters;
use super::importing::{import, megabytes_on_disk};
use super::search_server::SearchServer;
use super::{SearchBench, page};
use crate::Outcome;
use crate::report::{self, Figure, Limit};

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
        alone("Import, most memory", "MB", imported.peak).required(Limit::AtMost(MAX_MEMORY_MEGABYTES)),
        alone("Import, most memory without mapped files", "MB", imported.peak_own),
        Figure::compared("Index on disk", "MB").with_compared(megabytes_on_disk(bench)?, corpus.megabytes()),
    ];
    let served = SearchServer::start(bench)?;
    for filter in filters() {
        figures.extend(page::latencies(bench, &served, &filter)?);
    }
    let name = "Portal page, 60 %, not asked before, p50";
    figures.push(fresh_page(bench, &served.server, name)?.required(Limit::AtMost(MAX_PAGE_MILLIS)));
    let memory = served.server.memory_parts()?;
    figures.push(alone("Server, most memory", "MB", memory.peak).required(Limit::AtMost(MAX_MEMORY_MEGABYTES)));
    figures.push(alone("Server memory after all pages, its own", "MB", memory.own));
    served.server.stop()?;
    Ok(figures)
}
