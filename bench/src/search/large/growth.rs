//! How everything grows: one index into which more and more documents are imported.
//!
//! The documents are made in slices, each of which is removed when it is imported, so that only the index has to fit on
//! the disk. Making them is not part of any time.

use std::ops::Range;
use std::path::Path;

use crate::Outcome;
use crate::latency::Latencies;
use crate::report::{self, Figure};
use crate::search::corpus::make;
use crate::search::filters::sixty_percent;
use crate::search::importing::{import_file, megabytes_in};
use crate::search::search_server::start_server;
use crate::search::{SearchBench, page};
use crate::server_process::ServerProcess;

/// How many documents a slice has.
const SLICE_DOCUMENTS: u64 = 1_000_000;

/// What an import of several slices took.
#[derive(Default)]
struct Imported {
    seconds: f64,
    /// The most memory of its own that any of them had, and the size of their JSON, in megabytes.
    peak_own: f64,
    json: f64,
}

/// Measures each number of documents.
pub(in crate::search) fn measure(bench: &SearchBench, sizes: &[u64]) -> Outcome<Vec<Figure>> {
    let folder = bench.workspace.new_folder()?;
    let (mut documents, mut json) = (0, 0.0);
    let mut figures = Vec::new();
    for size in sizes {
        let imported = import_slices(bench, folder.path(), &(documents..*size))?;
        let speed = (size - documents) as f64 / imported.seconds;
        (documents, json) = (*size, json + imported.json);
        report::progress(&format!("{documents} documents: the last of them at {speed:.0} documents/s"));
        let name = |what: &str| format!("{documents} documents, {what}");
        let disk = megabytes_in(folder.path())?;
        let (_configs, server) = start_server(bench, folder.path())?;
        figures.extend([
            Figure::alone(name("import of those added last"), "documents/s").with(speed),
            Figure::alone(name("import, most memory of its own"), "MB").with(imported.peak_own),
            Figure::compared(name("index on disk against the JSON"), "MB").with_compared(disk, json),
            fresh_page(bench, &server, &name("portal page, 60 %, not asked before, p50"))?,
            Figure::alone(name("server memory after the pages, its own"), "MB").with(server.memory_parts()?.own),
        ]);
        server.stop()?;
    }
    Ok(figures)
}

/// Imports the documents of these numbers.
fn import_slices(bench: &SearchBench, folder: &Path, numbers: &Range<u64>) -> Outcome<Imported> {
    let mut all = Imported::default();
    for first in numbers.clone().step_by(SLICE_DOCUMENTS as usize) {
        let scratch = bench.workspace.new_folder()?;
        let slice = scratch.path().join(format!("files-{first}.ndjson"));
        make(&slice, &(first..numbers.end.min(first + SLICE_DOCUMENTS)))?;
        let imported = import_file(bench, folder, &slice)?;
        all.seconds += imported.elapsed.as_secs_f64();
        all.peak_own = all.peak_own.max(imported.memory.own);
        all.json += fs_err::metadata(&slice)?.len() as f64 / 1e6;
    }
    Ok(all)
}

/// Measures a page with most of the records that nobody has asked for before.
pub(super) fn fresh_page(bench: &SearchBench, server: &ServerProcess, name: &str) -> Outcome<Figure> {
    let filter = sixty_percent();
    let mut figure = Figure::alone(name, "ms");
    let mut connection = server.connect()?;
    for _ in 0..bench.rounds {
        let request = |number: usize| Ok(page::request(&filter, number));
        Latencies::of_requests(bench.warm_up, &mut connection, request)?;
        let times = Latencies::of_requests(bench.duration, &mut connection, request)?;
        report::progress(&format!("{name}: {:.2} ms", times.p50()));
        figure.add(times.p50());
    }
    Ok(figure)
}
