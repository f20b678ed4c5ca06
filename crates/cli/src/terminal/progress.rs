//! Progress of a command on standard error: a bar on a terminal, elsewhere a line every few seconds.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::output::print_note;

/// The minimum time between two lines.
const LINE_INTERVAL: Duration = Duration::from_secs(5);

const BYTES_BAR: &str = "{bar:30} {bytes}/{total_bytes} {bytes_per_sec} {msg}, {eta} left";
const BYTES_SPINNER: &str = "{spinner} {bytes} {bytes_per_sec} {msg}";
const ITEMS_BAR: &str = "{bar:30} {pos}/{len} {msg}, {eta} left";

/// The progress of a command; dropping it clears the bar.
pub(crate) struct Progress {
    /// None if standard error is no terminal.
    bar: Option<ProgressBar>,
    last_line: Instant,
}

impl Progress {
    /// Starts with a total number of bytes, if it is known.
    pub(crate) fn of_bytes(total: Option<u64>) -> Self {
        Self::new(total, if total.is_some() { BYTES_BAR } else { BYTES_SPINNER })
    }

    /// Starts with a total number of items.
    pub(crate) fn of_items(total: u64) -> Self {
        Self::new(Some(total), ITEMS_BAR)
    }

    fn new(total: Option<u64>, template: &str) -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let bar = total.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
            bar.with_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        Self { bar, last_line: Instant::now() }
    }

    /// Updates the bar, if there is one.
    pub(crate) fn advance(&self, position: u64, message: String) {
        if let Some(bar) = &self.bar {
            bar.set_message(message);
            bar.set_position(position);
        }
    }

    /// Writes a line if there is no bar and the last line is old enough.
    pub(crate) fn log(&mut self, line: impl FnOnce() -> String) {
        if self.bar.is_none() && self.last_line.elapsed() >= LINE_INTERVAL {
            self.last_line = Instant::now();
            print_note(line());
        }
    }

    /// Runs a function while the bar is hidden, so that it can write to the terminal.
    pub(crate) fn suspend<T>(&self, act: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(act),
            None => act(),
        }
    }

    /// Clears the bar.
    pub(crate) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}
