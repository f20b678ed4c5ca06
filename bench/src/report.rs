//! The figures, what is required of them, and the two forms they are kept in: JSON and a table.

mod figure;
mod table;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use serde::Serialize;

pub(crate) use figure::{Figure, Limit};

use crate::Outcome;
use crate::machine::Machine;

/// Where the results and the data of a run go.
#[derive(Args)]
pub(crate) struct RunPaths {
    /// Where the results go as JSON; a file in bench/results if everything was measured at full size.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The document that gets the table, between its two marker comments, if everything was measured at full size.
    #[arg(long, value_name = "FILE", default_value = "docs/benchmarks.md")]
    docs: PathBuf,
    /// The folder for data, on a real disk; one beside the programs if not given. What takes long to make is kept
    /// there for the next run.
    #[arg(long, value_name = "FOLDER", env = "CANTATA_BENCH_DIR")]
    pub(crate) data: Option<PathBuf>,
}

/// How much of a measurement was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Everything, at full size.
    Whole,
    /// Some parts, at full size.
    Parts,
    /// Something smaller, which shows that everything works; nothing is required of it.
    Trial,
}

impl Extent {
    pub(crate) fn new(is_trial: bool, is_whole: bool) -> Self {
        match (is_trial, is_whole) {
            (true, _) => Self::Trial,
            (false, true) => Self::Whole,
            (false, false) => Self::Parts,
        }
    }
}

/// Returns the parts to measure: those that were chosen, or all.
pub(crate) fn chosen<P: ValueEnum>(only: &[P]) -> &[P] {
    if only.is_empty() { P::value_variants() } else { only }
}

/// Measures one part or case after the other.
pub(crate) fn measure_each<T>(
    cases: impl IntoIterator<Item = T>,
    measure: impl FnMut(T) -> Outcome<Vec<Figure>>,
) -> Outcome<Vec<Figure>> {
    let figures: Vec<Vec<Figure>> = cases.into_iter().map(measure).collect::<Outcome<_>>()?;
    Ok(figures.into_iter().flatten().collect())
}

/// Everything that a run has found.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    /// What was measured; files and markers are named after it.
    #[serde(skip)]
    section: &'static str,
    measured_at: String,
    machine: Machine,
    figures: Vec<figure::Summary>,
}

impl Report {
    pub(crate) fn new(section: &'static str, machine: Machine, figures: Vec<Figure>) -> Self {
        let measured_at = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        Self { section, measured_at, machine, figures: figures.into_iter().map(Figure::summary).collect() }
    }

    /// Shows the report and keeps it where it belongs; the exit code says whether every required figure was reached.
    pub(crate) fn publish(&self, paths: &RunPaths, extent: Extent) -> Outcome<ExitCode> {
        progress(&self.to_markdown());
        let is_whole = extent == Extent::Whole;
        let usual = || format!("bench/results/{}.json", self.section).into();
        if let Some(path) = paths.out.clone().or_else(|| is_whole.then(usual)) {
            self.write_json(&path)?;
        }
        if is_whole {
            self.write_table(&paths.docs)?;
        }
        let missed: Vec<String> = self.figures.iter().filter_map(figure::Summary::miss).collect();
        for figure in &missed {
            complain(&format!("missed: {figure}"));
        }
        Ok(if missed.is_empty() || extent == Extent::Trial { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Returns the table and the facts of the machine.
    fn to_markdown(&self) -> String {
        table::write(&self.measured_at, &self.machine, &self.figures)
    }

    /// Writes the report as a JSON file.
    fn write_json(&self, path: &Path) -> Outcome<()> {
        if let Some(folder) = path.parent() {
            fs_err::create_dir_all(folder)?;
        }
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        Ok(fs_err::write(path, text)?)
    }

    /// Puts the table between the marker comments of a document.
    fn write_table(&self, path: &Path) -> Outcome<()> {
        let document = fs_err::read_to_string(path)?;
        let replaced = table::replace(&document, self.section, &self.to_markdown())
            .map_err(|error| format!("{} cannot take the table: {error}", path.display()))?;
        Ok(fs_err::write(path, replaced)?)
    }
}

/// Returns a noun in the singular or the plural.
pub(crate) fn plural(count: usize, noun: &str) -> String {
    if count == 1 { noun.to_owned() } else { format!("{noun}s") }
}

/// Prints the progress of the run.
pub(crate) fn progress(line: &str) {
    // A reader that has left is no reason to stop measuring.
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// Prints an error.
pub(crate) fn complain(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
