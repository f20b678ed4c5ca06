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
use crate::payloads::study_request;
use crate::report::{Extent, Figure, Report, chosen, measure_each};
use crate::server_process::ServerProcess;
use crate::workspace::Workspace;
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

/// How long and how often things are measured, and where.
struct MetadataBench {
    /// How long one measurement takes.
    duration: Duration,
    /// How long the same load runs before it.
    warm_up: Duration,
    /// How often the two sides of a ratio are measured in turn.
    rounds: usize,
    /// How many analyses there are to read.
    analyses: usize,
    /// How many files a full store has.
    full_files: usize,
    workspace: Workspace,
}

impl MetadataBench {
    fn new(arguments: &PartArguments<MetadataPart>) -> Outcome<Self> {
        let (duration, warm_up) = if arguments.quick { (1_000, 200) } else { (3_000, 700) };
        Ok(Self {
            duration: Duration::from_millis(duration),
            warm_up: Duration::from_millis(warm_up),
            rounds: if arguments.quick { 1 } else { 3 },
            analyses: if arguments.quick { 2_000 } else { 10_000 },
            full_files: if arguments.quick { 50_000 } else { 1_000_000 },
            workspace: Workspace::new(&arguments.paths)?,
        })
    }

    /// Starts a server that has the study, on an empty folder, which goes with the returned value.
    fn start_with_study(&self) -> Outcome<(TempDir, ServerProcess)> {
        let folder = self.workspace.new_folder()?;
        let server = ServerProcess::cantata(folder.path())?;
        server.connect()?.send(&study_request())?;
        Ok((folder, server))
    }

    /// Returns a copy of the full store.
    fn copy_of_full_store(&self) -> Outcome<TempDir> {
        let fresh = self.workspace.new_folder()?;
        ServerProcess::cantata(fresh.path())?.stop()?;
        let full = seeding::full_store(&self.workspace.cache, fresh.path(), self.full_files)?;
        let copy = self.workspace.new_folder()?;
        seeding::copy_folder(&full, copy.path())?;
        Ok(copy)
    }

    fn measure(&self, part: MetadataPart) -> Outcome<Vec<Figure>> {
        match part {
            MetadataPart::Submit => submit::measure(self, SubmitStore::Sqlite),
            MetadataPart::SubmitPostgres => submit::measure(self, SubmitStore::Postgres),
            MetadataPart::Read => read::measure(self),
            MetadataPart::Authentication => authentication::measure(self),
            MetadataPart::List => list::measure(self),
            MetadataPart::FullStore => full_store::measure(self),
            MetadataPart::Startup => startup::measure(self),
        }
    }
}

/// Measures what was asked for; the exit code says whether every required figure was reached.
pub(crate) fn run(arguments: &PartArguments<MetadataPart>) -> Outcome<ExitCode> {
    let bench = MetadataBench::new(arguments)?;
    let figures = measure_each(chosen(&arguments.only), |part| bench.measure(*part))?;
    let extent = Extent::new(arguments.quick, arguments.only.is_empty());
    Report::new(SECTION, bench.workspace.machine, figures).publish(&arguments.paths, extent)
}
