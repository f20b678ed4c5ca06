//! Import, against parsing the same JSON; its memory and its files; and the restart after it.

use super::graphql::Order;
use super::importing::{import, megabytes_on_disk};
use super::{SearchBench, filters, parsing, portal, search_server};
use crate::Outcome;
use crate::report::{self, Figure, Limit};

/// How often a restart is measured; starting is quick.
const STARTS: usize = 5;

pub(super) fn measure(bench: &SearchBench) -> Outcome<Vec<Figure>> {
    let corpus = &bench.corpus;
    let name = format!("Import {} documents", corpus.documents);
    let mut speed = Figure::compared(&name, "MB/s").required(Limit::AtLeast(0.25));
    let mut documents = Figure::compared(name, "documents/s");
    let mut peak = Figure::alone("Import, most memory", "MB");
    let mut peak_own = Figure::alone("Import, most memory without mapped files", "MB");
    let mut disk = Figure::compared("Index on disk", "MB").required(Limit::AtMost(1.0));
    let mut restart = Figure::compared("Restart to first portal page", "ms").required(Limit::AtMost(0.02));
    for round in 1..=bench.rounds {
        let parsed = parsing::parse(&corpus.path, corpus.documents)?.as_secs_f64();
        let imported = import(bench)?;
        let seconds = imported.elapsed.as_secs_f64();
        report::progress(&format!("import, round {round}: {seconds:.1} s, parsing {parsed:.1} s"));
        speed.add_compared(corpus.megabytes() / seconds, corpus.megabytes() / parsed);
        documents.add_compared(corpus.documents as f64 / seconds, corpus.documents as f64 / parsed);
        peak.add(imported.memory.all);
        peak_own.add(imported.memory.own);
        disk.add_compared(megabytes_on_disk(bench)?, corpus.megabytes());
        for start in 0..STARTS {
            let first = first_answer(bench, start)?;
            restart.add_compared(first, seconds * 1e3);
        }
    }
    Ok(vec![speed, documents, peak, peak_own, disk, restart])
}

/// Starts the server and returns after how many milliseconds it had answered the first page.
fn first_answer(bench: &SearchBench, start: usize) -> Outcome<f64> {
    let (_configs, server) = search_server::start_server(bench, &bench.data_folder())?;
    let request = portal::page_request(&filters::match_all().to_sqon(), Order::of_variant(start), 0);
    let first = server.answered_after(&request)?;
    server.stop()?;
    Ok(first.as_secs_f64() * 1e3)
}
