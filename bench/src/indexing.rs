//! From a submission to a search: how fast the whole loop is, how soon what is published is found, and how fast an
//! index is made anew while it is searched.

mod catalogue;
mod paced;
mod reindex;
mod soon;
mod whole_loop;

use std::process::ExitCode;
use std::time::Duration;

use clap::ValueEnum;
use tempfile::TempDir;

use crate::report::{Extent, Figure, Report};
use crate::workplace::Workplace;
use crate::{IndexingArguments, Outcome};

/// What the results are named after.
const SECTION: &str = "indexing";

/// How many clients there are at once.
const CLIENTS: usize = 32;

/// A part of the measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// Submitting, publishing and finding, against submitting alone; and how soon what is published is found.
    WholeLoop,
    /// Making an index anew against importing the same documents, both while it is searched.
    Reindex,
}

/// How long and how often things are measured, and where.
struct Bench {
    /// How long one measurement takes.
    duration: Duration,
    /// How long the same load runs before it.
    warm_up: Duration,
    /// How often the two sides of a ratio are measured in turn.
    rounds: usize,
    /// How many analyses an index is made of.
    analyses: usize,
    workplace: Workplace,
}

impl Bench {
    fn new(arguments: &IndexingArguments) -> Outcome<Self> {
        let (duration, warm_up) = if arguments.quick { (1_000, 200) } else { (10_000, 1_000) };
        Ok(Self {
            duration: Duration::from_millis(duration),
            warm_up: Duration::from_millis(warm_up),
            rounds: if arguments.quick { 1 } else { 5 },
            analyses: if arguments.quick { 2_000 } else { 20_000 },
            workplace: Workplace::new(&arguments.folder)?,
        })
    }

    /// Returns an empty folder, which goes with the returned value.
    fn new_folder(&self) -> Outcome<TempDir> {
        self.workplace.new_folder()
    }

    fn measure(&self, part: Part) -> Outcome<Vec<Figure>> {
        match part {
            Part::WholeLoop => whole_loop::measure(self),
            Part::Reindex => reindex::measure(self),
        }
    }
}

/// Measures what was asked for; the exit code says whether every required figure was reached.
pub(crate) fn run(arguments: &IndexingArguments) -> Outcome<ExitCode> {
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
