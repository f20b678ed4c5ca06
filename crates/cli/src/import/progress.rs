//! How far an import is: a bar on a terminal, elsewhere a line now and then.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// How long to wait between two lines.
const PAUSE: Duration = Duration::from_secs(5);

const BAR: &str = "{bar:30} {bytes}/{total_bytes} {bytes_per_sec} {msg}, {eta} left";
const WITHOUT_TOTAL: &str = "{spinner} {bytes} {bytes_per_sec} {msg}";

/// Shows how far an import is, on standard error.
pub(super) enum Progress {
    /// On a terminal.
    Bar(ProgressBar),
    /// Anywhere else: when the last line was written, and how many bytes there are.
    Lines(Instant, Option<u64>),
}

impl Progress {
    /// Begins to show an import of so many bytes, where that is known.
    pub(super) fn new(total: Option<u64>) -> Self {
        if !io::stderr().is_terminal() {
            return Self::Lines(Instant::now(), total);
        }
        let bar = total.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
        let template = if total.is_some() { BAR } else { WITHOUT_TOTAL };
        bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self::Bar(bar)
    }

    /// Shows how far it is.
    pub(super) fn advance(&mut self, bytes: u64, taken: u64, refused: u64) {
        let documents = format!("{taken} documents taken, {refused} refused");
        match self {
            Self::Bar(bar) => {
                bar.set_message(documents);
                bar.set_position(bytes);
            }
            Self::Lines(last, total) if last.elapsed() >= PAUSE => {
                let of = total.map(|total| format!(" of {}", total / 1_000_000)).unwrap_or_default();
                *last = Instant::now();
                self.tell(&format!("{documents}; {}{of} MB read", bytes / 1_000_000));
            }
            Self::Lines(..) => {}
        }
    }

    /// Writes a line. What cannot be written, to a closed pipe for instance, is let go.
    pub(super) fn tell(&self, line: &str) {
        let write = || {
            let _ = writeln!(io::stderr(), "{line}");
        };
        match self {
            Self::Bar(bar) => bar.suspend(write),
            Self::Lines(..) => write(),
        }
    }

    /// Takes the bar off the screen.
    pub(super) fn finish(&self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}
