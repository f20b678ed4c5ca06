//! Standard error as the place of the log.
//!
//! A line that cannot be written, because a disk is full or nobody reads the pipe any more, is counted and forgotten. The
//! library would report it on standard error again, which panics there, and a panic while another one is handled ends the
//! process.

use std::io::{self, Write};

use cantata_server::count_lost_log_line;

/// Writes to standard error and never fails.
pub(super) struct LogOutput;

impl Write for LogOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if io::stderr().write_all(bytes).is_err() {
            count_lost_log_line();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
