//! Output of commands: text for people, or JSON for scripts.
//!
//! A reader that closes the pipe early, as `head` does, is no error: further output is discarded, and writers of long lists
//! can stop. Any other write error fails the command.

use std::fmt::Display;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::Serialize;
use serde_json::Value;

use super::STANDARD_STREAM;
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
    /// The number of elements in the JSON array that is written.
    elements: u64,
    /// For a file: its temporary and its final path.
    file: Option<(PathBuf, PathBuf)>,
}

impl Output {
    /// Writes to standard output.
    pub(crate) fn standard(is_json: bool) -> Self {
        let mut output = Self::new(io::stdout(), is_json);
        output.is_terminal = io::stdout().is_terminal();
        if output.is_terminal && environment("NO_COLOR").is_none() {
            output.colours = Colours::Enabled;
        }
        output
    }

    /// Writes to a file, which gets its name when it is complete, or to standard output.
    pub(crate) fn to_file(file: Option<&Path>, is_json: bool) -> Result<Self, CliError> {
        let Some(path) = file.filter(|path| *path != Path::new(STANDARD_STREAM)) else {
            return Ok(Self::standard(is_json));
        };
        let mut unfinished = path.as_os_str().to_owned();
        unfinished.push(".unfinished");
        let unfinished = PathBuf::from(unfinished);
        let mut output = Self::new(fs_err::File::create(&unfinished).map_err(unwritable)?, is_json);
        output.file = Some((unfinished, path.to_owned()));
        Ok(output)
    }

    fn new(sink: impl Write + Send + 'static, is_json: bool) -> Self {
        Self {
            sink: Box::new(BufWriter::new(sink)),
            is_json,
            is_terminal: false,
            colours: Colours::Disabled,
            is_closed: false,
            elements: 0,
            file: None,
        }
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

    /// Writes a result: JSON for scripts, lines for people.
    pub(crate) fn result<L: AsRef<str>>(
        &mut self,
        json: &Value,
        lines: impl IntoIterator<Item = L>,
    ) -> Result<(), CliError> {
        if self.is_json {
            return self.json(json);
        }
        lines.into_iter().try_for_each(|line| self.line(line.as_ref()))
    }

    /// Writes JSON on one line.
    pub(crate) fn json_line(&mut self, value: &impl Serialize) -> Result<(), CliError> {
        let line = serde_json::to_string(value).map_err(|error| unwritable(io::Error::other(error)))?;
        self.line(&line)
    }

    /// Writes the next element of a JSON array of any length.
    pub(crate) fn element(&mut self, element: &str) -> Result<(), CliError> {
        self.bytes(if self.elements == 0 { b"[\n" } else { b",\n" })?;
        self.elements += 1;
        self.bytes(element.as_bytes())
    }

    /// Ends the JSON array.
    pub(crate) fn end_array(&mut self) -> Result<(), CliError> {
        self.line(if self.elements == 0 { "[]" } else { "\n]" })
    }

    /// Flushes the buffer.
    pub(crate) fn flush(&mut self) -> Result<(), CliError> {
        if self.is_closed {
            return Ok(());
        }
        let flushed = self.sink.flush();
        self.check(flushed)
    }

    /// Completes the output; a file gets its final name. Returns the exit code of a success.
    pub(crate) fn finish(mut self) -> Result<ExitCode, CliError> {
        self.flush()?;
        if let Some((unfinished, path)) = self.file.take() {
            fs_err::rename(&unfinished, &path).map_err(unwritable)?;
        }
        Ok(ExitCode::SUCCESS)
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
pub(crate) fn print_note(line: impl Display) {
    let _ = writeln!(io::stderr(), "{line}");
}
