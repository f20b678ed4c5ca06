//! How far a command is, for a person who waits: a bar on a terminal, elsewhere nothing.

use std::io;
use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};

const BAR: &str = "{bar:30} {bytes}/{total_bytes} {msg}, {eta} left";
const WITHOUT_TOTAL: &str = "{spinner} {bytes} {bytes_per_sec} {msg}";

/// Shows how far a command is, on standard error.
pub(super) struct Progress(Option<ProgressBar>);

impl Progress {
    /// Begins to show something of so many bytes, where that is known.
    pub(super) fn of_bytes(total: Option<u64>) -> Self {
        if !io::stderr().is_terminal() {
            return Self(None);
        }
        let bar = total.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
        let template = if total.is_some() { BAR } else { WITHOUT_TOTAL };
        bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self(Some(bar))
    }

    /// Shows how far it is.
    pub(super) fn advance(&self, bytes: u64, message: String) {
        if let Some(bar) = &self.0 {
            bar.set_message(message);
            bar.set_position(bytes);
        }
    }

    /// Does something with the screen while the bar is off it.
    pub(super) fn aside<T>(&self, act: impl FnOnce() -> T) -> T {
        match &self.0 {
            Some(bar) => bar.suspend(act),
            None => act(),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
