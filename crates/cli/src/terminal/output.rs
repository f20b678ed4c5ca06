//! Output of commands: text for people, or JSON for scripts.
//!
//! A reader that closes the pipe early, as `head` does, is no error: further output is discarded, and writers of long lists
//! can stop. Any other write error fails the command.

use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

use super::colours::Colours;
use crate::error::CliError;
use crate::settings::environment;

/// The output of a command.
pub(crate) struct Output {
    sink: Box<dyn Write + Send>,
    /// Whether it is JSON.
    pub(crate) is_json: bool,
    /// Whether it is a terminal.
    pub(crate) is_terminal: bool,
    pub(crate) colours: Colours,
    is_closed: bool,
    /// For a file: its temporary and its final path.
    file: Option<(PathBuf, PathBuf)>,
}

impl Output {
    /// Writes to standard output.
    pub(crate) fn standard(is_json: bool) -> Self {
        let stdout = io::stdout();
        let is_terminal = stdout.is_terminal();
        let colours =
            if is_terminal && environment("NO_COLOR").is_none() { Colours::Enabled } else { Colours::Disabled };
        Self { sink: Box::new(BufWriter::new(stdout)), is_json, is_terminal, colours, is_closed: false, file: None }
    }

    /// Writes to a file, which gets its name when it is complete, or to standard output.
    pub(crate) fn to_file(file: Option<&Path>, is_json: bool) -> Result<Self, CliError> {
        let Some(path) = file.filter(|path| *path != Path::new("-")) else { return Ok(Self::standard(is_json)) };
        let mut unfinished = path.as_os_str().to_owned();
        unfinished.push(".unfinished");
        let unfinished = PathBuf::from(unfinished);
        let file = fs_err::File::create(&unfinished).map_err(unwritable)?;
        Ok(Self {
            sink: Box::new(BufWriter::new(file)),
            is_json,
            is_terminal: false,
            colours: Colours::Disabled,
            is_closed: false,
            file: Some((unfinished, path.to_owned())),
        })
    }

    /// Returns whether the reader has closed the pipe.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Writes bytes as they are.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), CliError> {
        if self.is_closed {
            return Ok(());
        }
        let written = self.sink.write_all(bytes);
        self.check(written)
    }

    /// Writes a line.
    pub(crate) fn line(&mut self, line: &str) -> Result<(), CliError> {
        self.bytes(line.as_bytes())?;
        self.bytes(b"\n")
    }

    /// Writes indented JSON.
    pub(crate) fn json(&mut self, value: &Value) -> Result<(), CliError> {
        self.line(&format!("{value:#}"))
    }

    /// Writes JSON on one line.
    pub(crate) fn json_line(&mut self, value: &impl Serialize) -> Result<(), CliError> {
        let line = serde_json::to_string(value).map_err(|error| unwritable(io::Error::other(error)))?;
        self.line(&line)
    }

    /// Flushes the buffer.
    pub(crate) fn flush(&mut self) -> Result<(), CliError> {
        if self.is_closed {
            return Ok(());
        }
        let flushed = self.sink.flush();
        self.check(flushed)
    }

    /// Completes the output; a file gets its final name.
    pub(crate) fn finish(mut self) -> Result<(), CliError> {
        self.flush()?;
        if let Some((unfinished, path)) = self.file.take() {
            fs_err::rename(&unfinished, &path).map_err(unwritable)?;
        }
        Ok(())
    }

    fn check(&mut self, written: io::Result<()>) -> Result<(), CliError> {
        match written {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.is_closed = true;
                Ok(())
            }
            written => written.map_err(unwritable),
        }
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some((unfinished, _)) = self.file.take() {
            // The file is incomplete.
            let _ = fs_err::remove_file(unfinished);
        }
    }
}

fn unwritable(error: io::Error) -> CliError {
    CliError::caused("the output cannot be written", error)
}

/// Writes a line to standard output; a closed pipe is ignored.
pub(crate) fn print_line(line: &str) {
    let _ = writeln!(io::stdout(), "{line}");
}

/// Writes a line to standard error; a closed pipe is ignored.
pub(crate) fn print_note(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
