//! Tables of any length in constant memory: the first rows determine the widths.

use serde_json::Value;

use super::output::Output;
use crate::error::CliError;

/// The number of rows that determine the widths.
const MEASURED_ROWS: usize = 200;

/// The maximum width of a cell on a terminal.
const MAX_CELL_WIDTH: usize = 60;

/// A table writer.
pub(crate) struct Table {
    heads: Vec<String>,
    /// The rows that are not written yet.
    pending: Vec<Vec<String>>,
    /// Known once rows are written.
    widths: Option<Vec<usize>>,
}

impl Table {
    /// Starts a table with these columns.
    pub(crate) fn new<H: Into<String>>(heads: impl IntoIterator<Item = H>) -> Self {
        Self { heads: heads.into_iter().map(Into::into).collect(), pending: Vec::new(), widths: None }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, output: &mut Output, cells: &[String]) -> Result<(), CliError> {
        let widest = if output.is_terminal { MAX_CELL_WIDTH } else { usize::MAX };
        self.pending.push(cells.iter().map(|cell| sanitized(cell, widest)).collect());
        if self.widths.is_some() || self.pending.len() == MEASURED_ROWS { self.write(output) } else { Ok(()) }
    }

    /// Writes the pending rows.
    pub(crate) fn finish(mut self, output: &mut Output) -> Result<(), CliError> {
        self.write(output)
    }

    fn write(&mut self, output: &mut Output) -> Result<(), CliError> {
        let widths = match self.widths.take() {
            Some(widths) => widths,
            None => {
                let widths = self.measure();
                output.line(&output.colours.head(&line(&self.heads, &widths)))?;
                widths
            }
        };
        for row in self.pending.drain(..) {
            output.line(&line(&row, &widths))?;
        }
        self.widths = Some(widths);
        Ok(())
    }

    fn measure(&self) -> Vec<usize> {
        let width = |column: usize| {
            let rows = std::iter::once(&self.heads).chain(&self.pending);
            rows.filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or_default()
        };
        (0..self.heads.len()).map(width).collect()
    }
}

fn line(cells: &[String], widths: &[usize]) -> String {
    let cells: Vec<String> = cells.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
    cells.join("  ").trim_end().to_owned()
}

/// Returns a cell on one line, without control characters.
fn sanitized(cell: &str, widest: usize) -> String {
    let plain = |letter: char| if letter.is_control() { ' ' } else { letter };
    if cell.chars().nth(widest).is_none() {
        return cell.chars().map(plain).collect();
    }
    let kept = cell.chars().take(widest.saturating_sub(1)).map(plain);
    kept.chain(['…']).collect()
}

/// Returns a JSON value as a cell shows it.
pub(crate) fn cell_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(cell_text).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_cannot_command_the_terminal() {
        assert_eq!(sanitized("a\u{1b}[31m\tb\nc\u{9b}", usize::MAX), "a [31m b c ");
        assert_eq!(sanitized("Österreich", 5), "Öste…");
        assert_eq!(sanitized("Öster", 5), "Öster");
    }
}
