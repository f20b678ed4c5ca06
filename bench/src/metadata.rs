//! The metadata service: which parts are measured, for how long, and what becomes of the figures.

mod authentication;
mod full_store;
mod list;
mod read;
mod startup;
mod submit;

use std::process::ExitCode;
use std::time::Duration;

use clap::ValueEnum;
use tempfile::TempDir;

use self::submit::SubmitStore;
use crate::part_bench::{PartBench, RunSize, run_parts};
use crate::payloads::study_request;
use crate::server_process::ServerProcess;
use crate::{Outcome, PartArguments, seeding};

/// How many files a submission has, in turn.
const FILE_COUNTS: [usize; 2] = [1, 100];

/// What the results are named after.
const SECTION: &str = "metadata";

/// A part of the measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MetadataPart {
    /// Submissions against a bare loop that commits the same rows.
    Submit,
    /// Submissions on PostgreSQL against a bare loop that commits the same rows.
    SubmitPostgres,
    /// Reading one analysis against a handler with a fixed answer.
    Read,
    /// Reading one analysis with a credential against reading it without.
    Authentication,
    /// Listing a study against reading its rows.
    List,
    /// Submissions into a full store against an empty one.
    FullStore,
    /// Start-up and memory.
    Startup,
}

/// Starts a server that has the study, on an empty folder, which goes with the returned value.
fn start_with_study(bench: &PartBench) -> Outcome<(TempDir, ServerProcess)> {
    let folder = bench.workspace.new_folder()?;
    let server = ServerProcess::cantata(folder.path())?;
    server.connect()?.send(&study_request())?;
    Ok((folder, server))
}

/// Returns how many files a full store has.
fn full_files(bench: &PartBench) -> usize {
    if bench.is_quick { 50_000 } else { 1_000_000 }
}

/// Returns a copy of the full store.
fn copy_of_full_store(bench: &PartBench) -> Outcome<TempDir> {
    let fresh = bench.workspace.new_folder()?;
    ServerProcess::cantata(fresh.path())?.stop()?;
    let full = seeding::full_store(&bench.workspace.cache, fresh.path(), full_files(bench))?;
    let copy = bench.workspace.new_folder()?;
    seeding::copy_folder(&full, copy.path())?;
    Ok(copy)
}

/// Measures what was asked for; the exit code says whether every required figure was reached.
pub(crate) fn run(arguments: &PartArguments<MetadataPart>) -> Outcome<ExitCode> {
    let (duration, warm_up) = (Duration::from_secs(3), Duration::from_millis(700));
    let full = RunSize { duration, warm_up, rounds: 5, analyses: 10_000 };
    run_parts(SECTION, arguments, full, 2_000, |bench, part| match part {
        MetadataPart::Submit => submit::measure(bench, SubmitStore::Sqlite),
        MetadataPart::SubmitPostgres => submit::measure(bench, SubmitStore::Postgres),
        MetadataPart::Read => read::measure(bench),
        MetadataPart::Authentication => authentication::measure(bench),
        MetadataPart::List => list::measure(bench),
        MetadataPart::FullStore => full_store::measure(bench),
        MetadataPart::Startup => startup::measure(bench),
    })
}
