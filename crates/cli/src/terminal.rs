//! What commands write: output, tables and progress.

mod colours;
mod output;
mod progress;
mod table;

pub(crate) use self::colours::Colours;
pub(crate) use self::output::{Output, print_line, print_note};
pub(crate) use self::progress::Progress;
pub(crate) use self::table::{Table, cell_text};

/// The argument for standard input or output.
pub(crate) const STANDARD_STREAM: &str = "-";
