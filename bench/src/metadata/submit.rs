//! Submissions, against a bare loop that commits the same rows to the same store.

use tempfile::TempDir;

use crate::Outcome;
use crate::bare_postgres::{Database, PostgresRows};
use crate::bare_rows::rows_like;
use crate::bare_sqlite::{SqliteBareLoop, SqliteRows};
use crate::load::CLIENTS;
use crate::metadata::FILE_COUNTS;
use crate::part_bench::PartBench;
use crate::report::{self, Figure, Limit, measure_each, plural};
use crate::server_process::ServerProcess;
use crate::submissions::{self, first_document, measured_count, warm_up_count};

/// The store that is written to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SubmitStore {
    Sqlite,
    Postgres,
}

pub(super) fn measure(bench: &PartBench, store: SubmitStore) -> Outcome<Vec<Figure>> {
    measure_each(FILE_COUNTS, |files| measure_with(bench, store, files))
}

fn measure_with(bench: &PartBench, store: SubmitStore, files: usize) -> Outcome<Vec<Figure>> {
    let (name, of_files) = (store.name(), format!("{files} {}", plural(files, "file")));
    let mut figures = CLIENTS.map(|clients| {
        let clients_text = format!("{clients} {}", plural(clients, "client"));
        let figure = Figure::compared(format!("{name}, {of_files}, {clients_text}"), "submissions/s");
        if clients == 32 { figure.required(Limit::AtLeast(store.least_ratio(files))) } else { figure }
    });
    let mut processor = Figure::alone(format!("{name}, {of_files}, 32 clients, processor time"), "µs each");
    let mut memory = Figure::alone(format!("Memory after submitting, {of_files} each"), "MB");
    for round in 1..=bench.size.rounds {
        let bare = bare_loop(bench, store, files)?;
        let lower_name = name.replacen('S', "s", 1);
        report::progress(&format!("{lower_name}, {files} file(s), round {round}: bare loop {bare:.0}/s"));
        let (server, _folder, _database) = store.start(bench)?;
        first_document(&server, files)?;
        for (clients, figure) in CLIENTS.into_iter().zip(&mut figures) {
            let rate = submissions::measure(&server, clients, files, bench.size.warm_up, bench.size.duration)?;
            report::progress(&format!("  {clients} client(s): {:.0}/s", rate.per_second));
            figure.add_compared(rate.per_second, bare);
            if clients == 32 {
                processor.add(rate.processor);
            }
        }
        memory.add(server.memory()?);
        server.stop()?;
    }
    let alone = (store == SubmitStore::Sqlite).then_some([processor, memory]);
    Ok(figures.into_iter().chain(alone.into_iter().flatten()).collect())
}

/// Measures the bare loop in tables that a server has made and left.
fn bare_loop(bench: &PartBench, store: SubmitStore, files: usize) -> Outcome<f64> {
    let (server, folder, database) = store.start(bench)?;
    let document = first_document(&server, files)?;
    server.stop()?;
    let (warm_up, duration) = (bench.size.warm_up, bench.size.duration);
    let load = if let Some(database) = database {
        let rows = |count| rows_like(&document, count, PostgresRows::new);
        let warmed = database.run_bare_loop(&rows(warm_up_count(files))?, warm_up)?;
        database.run_bare_loop(&rows(measured_count(&warmed, duration))?, duration)?
    } else {
        let bare = SqliteBareLoop::open(folder.path())?;
        let warmed = bare.run(&rows_like(&document, warm_up_count(files), SqliteRows::new)?, warm_up)?;
        bare.run(&rows_like(&document, measured_count(&warmed, duration), SqliteRows::new)?, duration)?
    };
    Ok(load.per_second())
}

impl SubmitStore {
    fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "Submit",
            Self::Postgres => "Submit on PostgreSQL",
        }
    }

    /// Returns what the server must reach of the rate of the bare loop. Many files in one submission make the checks of
    /// the server more expensive than the commit; on PostgreSQL the commits that submissions share make up for them.
    fn least_ratio(self, files: usize) -> f64 {
        match (self, files) {
            (_, 1) => 0.5,
            (Self::Sqlite, _) => 0.6,
            (Self::Postgres, _) => 1.0,
        }
    }

    /// Starts a server on an empty store, which goes away with the returned values.
    fn start(self, bench: &PartBench) -> Outcome<(ServerProcess, TempDir, Option<Database>)> {
        let folder = bench.workspace.new_folder()?;
        if self == Self::Sqlite {
            return Ok((ServerProcess::cantata(folder.path())?, folder, None));
        }
        let database = Database::new()?;
        let server = ServerProcess::with_settings(folder.path(), &[("DATABASE_URL", &database.address())])?;
        Ok((server, folder, Some(database)))
    }
}
