//! What benchmarks of several parts have in common: how long and how often they measure, where, and what becomes of the
//! figures.

use std::process::ExitCode;
use std::time::Duration;

use clap::ValueEnum;

use crate::report::{Extent, Figure, Report, chosen, measure_each};
use crate::workspace::Workspace;
use crate::{Outcome, PartArguments};

/// How much is measured, and where.
pub(crate) struct PartBench {
    pub(crate) is_quick: bool,
    pub(crate) size: RunSize,
    pub(crate) workspace: Workspace,
}

/// How long and how often things are measured.
pub(crate) struct RunSize {
    /// How long one measurement takes.
    pub(crate) duration: Duration,
    /// How long the same load runs before it.
    pub(crate) warm_up: Duration,
    /// How often the two sides of a ratio are measured in turn.
    pub(crate) rounds: usize,
    /// How many analyses there are to read, to search or to index.
    pub(crate) analyses: usize,
}

/// Measures the parts that were asked for, with `quick_analyses` and for a moment if it must be quick; the exit code says
/// whether every required figure was reached.
pub(crate) fn run_parts<P: ValueEnum + Copy + Send + Sync + 'static>(
    section: &'static str,
    arguments: &PartArguments<P>,
    full: RunSize,
    quick_analyses: usize,
    measure: impl Fn(&PartBench, P) -> Outcome<Vec<Figure>>,
) -> Outcome<ExitCode> {
    let (duration, warm_up) = (Duration::from_secs(1), Duration::from_millis(200));
    let quick = RunSize { duration, warm_up, rounds: 1, analyses: quick_analyses };
    let size = if arguments.quick { quick } else { full };
    let bench = PartBench { is_quick: arguments.quick, size, workspace: Workspace::new(&arguments.paths)? };
    let figures = measure_each(chosen(&arguments.only), |part| measure(&bench, *part))?;
    let extent = Extent::new(arguments.quick, arguments.only.is_empty());
    Report::new(section, bench.workspace.machine, figures).publish(&arguments.paths, extent)
}
