//! Submissions into a full store, against the same into an empty one.

use crate::load::CLIENTS;
use crate::metadata::{FILE_COUNTS, copy_of_full_store, full_files, start_with_study};
use crate::part_bench::PartBench;
use crate::report::{self, Figure, Limit, measure_each, plural};
use crate::server_process::ServerProcess;
use crate::{Outcome, submissions};

/// The warm-ups of a server that has just begun to use a large store: it fills its caches first.
const FULL_STORE_WARM_UPS: u32 = 4;

pub(super) fn measure(bench: &PartBench) -> Outcome<Vec<Figure>> {
    measure_each(FILE_COUNTS, |files| measure_with(bench, files))
}

fn measure_with(bench: &PartBench, files: usize) -> Outcome<Vec<Figure>> {
    let mut figures = CLIENTS.map(|clients| {
        let stored = full_files(bench);
        let name = format!(
            "Submit with {stored} files stored, {files} {}, {clients} {}",
            plural(files, "file"),
            plural(clients, "client")
        );
        let most = if files > 1 && clients == 8 { 1.1 } else { 1.2 };
        Figure::compared(name, "µs each").required(Limit::AtMost(most))
    });
    for round in 1..=bench.size.rounds {
        // The store grows while it is measured, so each round begins with the same one.
        let folder = copy_of_full_store(bench)?;
        let full = ServerProcess::cantata(folder.path())?;
        submissions::measure(&full, 8, files, bench.size.warm_up, bench.size.warm_up * FULL_STORE_WARM_UPS)?;
        for (clients, figure) in CLIENTS.into_iter().zip(&mut figures) {
            let empty = empty_store(bench, files, clients)?;
            let rate = submissions::measure(&full, clients, files, bench.size.warm_up, bench.size.duration)?;
            let cost = 1e6 / rate.per_second;
            report::progress(&format!(
                "full store, {files} file(s), {clients} client(s), round {round}: {cost:.0} µs, empty {empty:.0} µs"
            ));
            figure.add_compared(cost, empty);
        }
        full.stop()?;
    }
    Ok(figures.into())
}

/// Returns the microseconds that a submission into an empty store costs.
fn empty_store(bench: &PartBench, files: usize, clients: usize) -> Outcome<f64> {
    let (_folder, server) = start_with_study(bench)?;
    let rate = submissions::measure(&server, clients, files, bench.size.warm_up, bench.size.duration)?;
    server.stop()?;
    Ok(1e6 / rate.per_second)
}
