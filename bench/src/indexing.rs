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

use crate::part_bench::{RunSize, run_parts};
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

/// Measures what was asked for; the exit code says whether every required figure was reached.
pub(crate) fn run(arguments: &PartArguments<IndexingPart>) -> Outcome<ExitCode> {
    let (duration, warm_up) = (Duration::from_secs(10), Duration::from_secs(1));
    let full = RunSize { duration, warm_up, rounds: 5, analyses: 20_000 };
    run_parts(SECTION, arguments, full, 2_000, |bench, part| match part {
        IndexingPart::WholeLoop => whole_loop::measure(bench),
        IndexingPart::Reindex => reindex::measure(bench),
    })
}
