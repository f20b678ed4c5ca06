//! The metadata service: which parts are measured, for how long, and what becomes of the figures.

mod authentication;
mod full_store;
mod list;
mod read;
mod startup;
mod submit;
mod submit_postgres;

use std::ops::Div;
use std::process::ExitCode;
use std::time::Duration;

use clap::ValueEnum;
use tempfile::TempDir;

use crate::report::{Extent, Figure, Report};
use crate::server_process::ServerProcess;
use crate::workplace::Workplace;
use crate::{MetadataArguments, Outcome, seeding};

/// How many files a submission has, in turn.
const FILE_COUNTS: [usize; 2] = [1, 100];

/// What the results are named after.
const SECTION: &str = "metadata";

/// A part of the measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
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

/// How long things are measured.
#[derive(Clone, Copy)]
struct Span {
    /// How long one measurement takes.
    duration: Duration,
    /// How long the same load runs before it.
    warm_up: Duration,
}

impl Div<u32> for Span {
    type Output = Self;

    fn div(self, parts: u32) -> Self {
        Self { duration: self.duration / parts, warm_up: self.warm_up / parts }
    }
}

/// How long and how often things are measured, and where.
struct Bench {
    span: Span,
    /// How often the two sides of a ratio are measured in turn.
    rounds: usize,
    /// How many analyses there are to read.
    analyses: usize,
    /// How many files a full store has.
    full_files: usize,
    workplace: Workplace,
}

impl Bench {
    fn new(arguments: &MetadataArguments) -> Outcome<Self> {
        let (duration, warm_up) = if arguments.quick { (1_000, 200) } else { (3_000, 700) };
        Ok(Self {
            span: Span { duration: Duration::from_millis(duration), warm_up: Duration::from_millis(warm_up) },
            rounds: if arguments.quick { 1 } else { 3 },
            analyses: if arguments.quick { 2_000 } else { 10_000 },
            full_files: if arguments.quick { 50_000 } else { 1_000_000 },
            workplace: Workplace::new(&arguments.folder)?,
        })
    }

    /// Returns an empty folder, which goes with the returned value: stores are large.
    fn new_folder(&self) -> Outcome<TempDir> {
        self.workplace.new_folder()
    }

    /// Returns a copy of the full store.
    fn copy_of_full_store(&self) -> Outcome<TempDir> {
        let fresh = self.new_folder()?;
        ServerProcess::cantata(fresh.path())?.stop()?;
        let full = seeding::full_store(&self.workplace.cache, fresh.path(), self.full_files)?;
        let copy = self.new_folder()?;
        seeding::copy_folder(&full, copy.path())?;
        Ok(copy)
    }

    fn measure(&self, part: Part) -> Outcome<Vec<Figure>> {
        match part {
            Part::Submit => submit::measure(self),
            Part::SubmitPostgres => submit_postgres::measure(self),
            Part::Read => read::measure(self),
            Part::Authentication => authentication::measure(self),
            Part::List => list::measure(self),
            Part::FullStore => full_store::measure(self),
            Part::Startup => startup::measure(self),
        }
    }
}

/// Measures what was asked for; the exit code says whether every required figure was reached.
pub(crate) fn run(arguments: &MetadataArguments) -> Outcome<ExitCode> {
    let bench = Bench::new(arguments)?;
    let parts = if arguments.only.is_empty() { Part::value_variants() } else { &arguments.only };
    let mut figures = Vec::new();
    for part in parts {
        figures.extend(bench.measure(*part)?);
    }
    let extent = match (arguments.quick, arguments.only.is_empty()) {
        (true, _) => Extent::Trial,
        (false, true) => Extent::Whole,
        (false, false) => Extent::Parts,
    };
    Report::new(SECTION, bench.workplace.machine, figures).publish(&arguments.destination, extent)
}
