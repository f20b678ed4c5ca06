//! Tables of any length: the widths are those of the first rows, and memory holds no more than these.

use super::output::Output;
use crate::failure::Failure;

/// How many rows the widths follow from.
const MEASURED: usize = 200;

/// The widest cell that a terminal is shown.
const WIDEST: usize = 60;

/// A table that is being written.
pub(crate) struct Table {
    heads: Vec<String>,
    /// The rows that are not written yet.
    waiting: Vec<Vec<String>>,
    /// Known once rows are written.
    widths: Option<Vec<usize>>,
}

impl Table {
    /// Begins a table with these columns.
    pub(crate) fn new<H: Into<String>>(heads: impl IntoIterator<Item = H>) -> Self {
        Self { heads: heads.into_iter().map(Into::into).collect(), waiting: Vec::new(), widths: None }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, output: &mut Output, cells: &[String]) -> Result<(), Failure> {
        let widest = if output.is_terminal { WIDEST } else { usize::MAX };
        self.waiting.push(cells.iter().map(|cell| shown(cell, widest)).collect());
        if self.widths.is_some() || self.waiting.len() == MEASURED { self.write(output) } else { Ok(()) }
    }

    /// Writes what is left.
    pub(crate) fn finish(mut self, output: &mut Output) -> Result<(), Failure> {
        self.write(output)
    }

    fn write(&mut self, output: &mut Output) -> Result<(), Failure> {
        let widths = match self.widths.take() {
            Some(widths) => widths,
            None => {
                let widths = self.measure();
                output.line(&output.colours.head(&line(&self.heads, &widths)))?;
                widths
            }
        };
        for row in self.waiting.drain(..) {
            output.line(&line(&row, &widths))?;
        }
        self.widths = Some(widths);
        Ok(())
    }

    fn measure(&self) -> Vec<usize> {
        let width = |column: usize| {
            let rows = std::iter::once(&self.heads).chain(&self.waiting);
            rows.filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or_default()
        };
        (0..self.heads.len()).map(width).collect()
    }
}

fn line(cells: &[String], widths: &[usize]) -> String {
    let cells: Vec<String> = cells.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
    cells.join("  ").trim_end().to_owned()
}

/// Returns a cell as it is shown: on one line, without signs that a terminal would obey.
fn shown(cell: &str, widest: usize) -> String {
    let plain = |sign: char| if sign.is_control() { ' ' } else { sign };
    if cell.chars().nth(widest).is_none() {
        return cell.chars().map(plain).collect();
    }
    let kept = cell.chars().take(widest.saturating_sub(1)).map(plain);
    kept.chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_cannot_command_the_terminal() {
        assert_eq!(shown("a\u{1b}[31m\tb\nc\u{9b}", usize::MAX), "a [31m b c ");
        assert_eq!(shown("Österreich", 5), "Öste…");
        assert_eq!(shown("Öster", 5), "Öster");
    }
}
