//! The figures, what is required of them, and the two forms they are kept in: JSON and a table.

mod figure;
mod table;

use std::io::Write;
use std::path::Path;

use serde::Serialize;

pub(crate) use figure::{Figure, Limit};

use crate::Outcome;
use crate::machine::Machine;

/// Everything that a run has found.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    measured_at: String,
    machine: Machine,
    figures: Vec<figure::Summary>,
}

impl Report {
    pub(crate) fn new(machine: Machine, figures: Vec<Figure>) -> Self {
        let measured_at = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        Self { measured_at, machine, figures: figures.into_iter().map(Figure::summary).collect() }
    }

    /// Returns the figures that are not as required, each with what was found and what was expected.
    pub(crate) fn missed(&self) -> Vec<String> {
        self.figures.iter().filter_map(figure::Summary::miss).collect()
    }

    /// Returns the table and the facts of the machine.
    pub(crate) fn to_markdown(&self) -> String {
        table::write(&self.measured_at, &self.machine, &self.figures)
    }

    /// Writes the report as a JSON file.
    pub(crate) fn write_json(&self, place: &Path) -> Outcome<()> {
        if let Some(folder) = place.parent() {
            fs_err::create_dir_all(folder)?;
        }
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        Ok(fs_err::write(place, text)?)
    }

    /// Puts the table between the marker comments of a document.
    pub(crate) fn write_table(&self, place: &Path) -> Outcome<()> {
        let document = fs_err::read_to_string(place)?;
        let replaced = table::replace(&document, &self.to_markdown())
            .map_err(|error| format!("{} cannot take the table: {error}", place.display()))?;
        Ok(fs_err::write(place, replaced)?)
    }
}

/// Tells whoever waits how far the run is.
pub(crate) fn progress(line: &str) {
    // A reader that has left is no reason to stop measuring.
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// Tells what is wrong.
pub(crate) fn complain(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
