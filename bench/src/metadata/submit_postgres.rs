//! Submissions on PostgreSQL, against a bare loop that commits the same rows on the same server.

use crate::Outcome;
use crate::bare_postgres::{Database, rows_like};
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
            format!("Submit on PostgreSQL, {files} {}, {clients} {}", plural(files, "file"), plural(clients, "client")),
            "submissions/s",
        );
        if clients == 32 { figure.required(Limit::AtLeast(0.5)) } else { figure }
    });
    for round in 1..=bench.rounds {
        let bare = bare_loop(bench, files)?;
        report::progress(&format!("submit on PostgreSQL, {files} file(s), round {round}: bare loop {bare:.0}/s"));
        let (folder, database) = (bench.new_folder()?, Database::new()?);
        let server = ServerProcess::on_database(folder.path(), &database.address())?;
        first_document(&server, files)?;
        for (clients, figure) in CLIENTS.into_iter().zip(&mut figures) {
            let rate = submissions::measure(&server, clients, files, bench.span.warm_up, bench.span.duration)?;
            report::progress(&format!("  {clients} client(s): {:.0}/s", rate.per_second));
            figure.add_compared(rate.per_second, bare);
        }
        server.stop()?;
    }
    Ok(figures.into())
}

/// Measures the bare loop in tables that a server has made and left.
fn bare_loop(bench: &Bench, files: usize) -> Outcome<f64> {
    let (folder, database) = (bench.new_folder()?, Database::new()?);
    let server = ServerProcess::on_database(folder.path(), &database.address())?;
    let document = first_document(&server, files)?;
    server.stop()?;
    let warmed = database.run_bare_loop(&rows_like(&document, warm_up_count(files))?, bench.span.warm_up)?;
    let rows = rows_like(&document, measured_count(&warmed, bench.span.duration))?;
    Ok(database.run_bare_loop(&rows, bench.span.duration)?.per_second())
}
