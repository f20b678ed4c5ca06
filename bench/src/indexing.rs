//! From a submission to a search: how fast the whole loop is, how soon what is published is found, and how fast a
//! reindex is while the index is searched.

mod catalogue;
mod pace;
mod reindex;
mod time_to_search;
mod whole_loop;

use std::process::ExitCode;
use std::time::Duration;

use clap::ValueEnum;

use crate::report::{Extent, Figure, Report, chosen, measure_each};
use crate::workspace::Workspace;
use crate::{Outcome, PartArguments};

/// What the results are named after.
const SECTION: &str = "indexing";

/// How many clients there are at once.
const CLIENTS: usize = 32;

/// A part of the measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum IndexingPart {
    /// Submitting, publishing and finding, against submitting alone; and how soon what is published is found.
    WholeLoop,
    /// A reindex against importing the same documents, both while it is searched.
    Reindex,
}

/// How long and how often things are measured, and where.
struct IndexingBench {
    /// How long one measurement takes.
    duration: Duration,
    /// How long the same load runs before it.
    warm_up: Duration,
    /// How often the two sides of a ratio are measured in turn.
    rounds: usize,
    /// How many analyses an index is made of.
    analyses: usize,
    workspace: Workspace,
}

impl IndexingBench {
    fn new(arguments: &PartArguments<IndexingPart>) -> Outcome<Self> {
        let (duration, warm_up) = if arguments.quick { (1_000, 200) } else { (10_000, 1_000) };
        Ok(Self {
            duration: Duration::from_millis(duration),
            warm_up: Duration::from_millis(warm_up),
            rounds: if arguments.quick { 1 } else { 5 },
            analyses: if arguments.quick { 2_000 } else { 20_000 },
            workspace: Workspace::new(&arguments.paths)?,
        })
    }

    fn measure(&self, part: IndexingPart) -> Outcome<Vec<Figure>> {
        match part {
            IndexingPart::WholeLoop => whole_loop::measure(self),
            IndexingPart::Reindex => reindex::measure(self),
        }
    }
}

/// Measures what was asked for; the exit code says whether every required figure was reached.
pub(crate) fn run(arguments: &PartArguments<IndexingPart>) -> Outcome<ExitCode> {
    let bench = IndexingBench::new(arguments)?;
    let figures = measure_each(chosen(&arguments.only), |part| bench.measure(*part))?;
    let extent = Extent::new(arguments.quick, arguments.only.is_empty());
    Report::new(SECTION, bench.workspace.machine, figures).publish(&arguments.paths, extent)
}
