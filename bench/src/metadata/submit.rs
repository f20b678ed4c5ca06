//! Submissions, against a bare loop that commits the same rows.

use crate::Outcome;
use crate::bare_loop::{BareLoop, rows_like};
use crate::load::CLIENTS;
use crate::metadata::{Bench, FILE_COUNTS};
use crate::report::{self, Figure, Limit, plural};
use crate::server_process::ServerProcess;
use crate::submissions::{self, first_document, measured_count, warm_up_count};

pub(super) fn measure(bench: &Bench) -> Outcome<Vec<Figure>> {
    let mut figures = Vec::new();
    for files in FILE_COUNTS {
        figures.extend(measure_with(bench, files)?);
    }
    Ok(figures)
}

fn measure_with(bench: &Bench, files: usize) -> Outcome<Vec<Figure>> {
    let mut figures = CLIENTS.map(|clients| {
        let figure = Figure::compared(
            format!("Submit, {files} {}, {clients} {}", plural(files, "file"), plural(clients, "client")),
            "submissions/s",
        );
        if clients == 32 { figure.required(Limit::AtLeast(0.5)) } else { figure }
    });
    let mut processor =
        Figure::alone(format!("Submit, {files} {}, 32 clients, processor time", plural(files, "file")), "µs each");
    let mut memory = Figure::alone(format!("Memory after submitting, {files} {} each", plural(files, "file")), "MB");
    for round in 1..=bench.rounds {
        let bare = bare_loop(bench, files)?;
        report::progress(&format!("submit, {files} file(s), round {round}: bare loop {bare:.0}/s"));
        let folder = bench.new_folder()?;
        let server = ServerProcess::cantata(folder.path())?;
        first_document(&server, files)?;
        for (clients, figure) in CLIENTS.into_iter().zip(&mut figures) {
            let rate = submissions::measure(&server, clients, files, bench.span.warm_up, bench.span.duration)?;
            report::progress(&format!("  {clients} client(s): {:.0}/s", rate.per_second));
            figure.add_compared(rate.per_second, bare);
            if clients == 32 {
                processor.add(rate.processor);
            }
        }
        memory.add(server.memory()?);
        server.stop()?;
    }
    Ok(figures.into_iter().chain([processor, memory]).collect())
}

/// Measures the bare loop in a database that a server has made and left.
fn bare_loop(bench: &Bench, files: usize) -> Outcome<f64> {
    let folder = bench.new_folder()?;
    let server = ServerProcess::cantata(folder.path())?;
    let document = first_document(&server, files)?;
    server.stop()?;
    let bare = BareLoop::open(folder.path())?;
    let warmed = bare.run(&rows_like(&document, warm_up_count(files))?, bench.span.warm_up)?;
    let rows = rows_like(&document, measured_count(&warmed, bench.span.duration))?;
    Ok(bare.run(&rows, bench.span.duration)?.per_second())
}
