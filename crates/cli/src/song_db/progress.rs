//! How far it is: a bar on a terminal, elsewhere a line now and then.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// How long to wait between two lines.
const PAUSE: Duration = Duration::from_secs(5);

const BAR: &str = "{bar:30} {pos}/{len} analyses, {eta} left";

/// Shows how many analyses were dealt with, on standard error.
#[derive(Default)]
pub(super) struct Progress {
    bar: Option<ProgressBar>,
    /// When the last line was written.
    last: Option<Instant>,
}

impl Progress {
    /// Shows how far it is.
    pub(super) fn advance(&mut self, done: u64, total: u64) {
        if io::stderr().is_terminal() {
            let bar = self.bar.get_or_insert_with(|| {
                let style = ProgressStyle::with_template(BAR).unwrap_or_else(|_| ProgressStyle::default_bar());
                ProgressBar::new(total).with_style(style)
            });
            bar.set_position(done);
        } else if self.last.get_or_insert_with(Instant::now).elapsed() >= PAUSE {
            self.last = Some(Instant::now());
            // What cannot be written, to a closed pipe for instance, is let go.
            let _ = writeln!(io::stderr(), "{done} of {total} analyses");
        }
    }

    /// Takes the bar off the screen.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
