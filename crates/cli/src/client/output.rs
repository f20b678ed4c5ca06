//! What commands write: text for people, or JSON for scripts. All of it passes here.
//!
//! A reader that leaves early, as `head` does, is no failure: the rest is let go, and whoever writes long lists can ask
//! whether anybody still reads. Anything else that keeps a line from being written is told.

use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

use super::colour::Colours;
use crate::failure::Failure;
use crate::settings::environment;

/// Where a command writes to.
pub(crate) struct Output {
    sink: Box<dyn Write + Send>,
    /// Whether scripts read it.
    pub(crate) is_json: bool,
    /// Whether a person reads it as it is written.
    pub(crate) is_terminal: bool,
    pub(crate) colours: Colours,
    is_closed: bool,
    /// The file, if it is one: what it is called until it is whole, and then.
    file: Option<(PathBuf, PathBuf)>,
}

impl Output {
    /// Writes to standard output.
    pub(crate) fn standard(is_json: bool) -> Self {
        let stdout = io::stdout();
        let is_terminal = stdout.is_terminal();
        let colours = if is_terminal && environment("NO_COLOR").is_none() { Colours::Some } else { Colours::None };
        Self { sink: Box::new(BufWriter::new(stdout)), is_json, is_terminal, colours, is_closed: false, file: None }
    }

    /// Writes to a file if one is named, which gets its name when it is whole; else to standard output.
    pub(super) fn to(file: Option<&Path>, is_json: bool) -> Result<Self, Failure> {
        let Some(path) = file.filter(|path| *path != Path::new("-")) else { return Ok(Self::standard(is_json)) };
        let mut unfinished = path.as_os_str().to_owned();
        unfinished.push(".unfinished");
        let unfinished = PathBuf::from(unfinished);
        let file = fs_err::File::create(&unfinished).map_err(|error| unwritable(&error))?;
        Ok(Self {
            sink: Box::new(BufWriter::new(file)),
            is_json,
            is_terminal: false,
            colours: Colours::None,
            is_closed: false,
            file: Some((unfinished, path.to_owned())),
        })
    }

    /// Says whether nobody reads any more.
    pub(super) fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Writes bytes as they are.
    pub(super) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        if self.is_closed {
            return Ok(());
        }
        let written = self.sink.write_all(bytes);
        self.minded(written)
    }

    /// Writes a line.
    pub(crate) fn line(&mut self, line: &str) -> Result<(), Failure> {
        self.bytes(line.as_bytes())?;
        self.bytes(b"\n")
    }

    /// Writes JSON as people like to read it.
    pub(crate) fn json(&mut self, value: &Value) -> Result<(), Failure> {
        self.line(&format!("{value:#}"))
    }

    /// Writes JSON on one line.
    pub(super) fn json_line(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let line = serde_json::to_string(value).map_err(|error| unwritable(&io::Error::other(error)))?;
        self.line(&line)
    }

    /// Lets the reader have what was written so far.
    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        if self.is_closed {
            return Ok(());
        }
        let flushed = self.sink.flush();
        self.minded(flushed)
    }

    /// Ends it; a file gets its name now.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        self.flush()?;
        if let Some((unfinished, path)) = self.file.take() {
            fs_err::rename(&unfinished, &path).map_err(|error| unwritable(&error))?;
        }
        Ok(())
    }

    fn minded(&mut self, written: io::Result<()>) -> Result<(), Failure> {
        match written {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.is_closed = true;
                Ok(())
            }
            written => written.map_err(|error| unwritable(&error)),
        }
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some((unfinished, _)) = self.file.take() {
            // Whatever is there, it is not whole.
            let _ = fs_err::remove_file(unfinished);
        }
    }
}

fn unwritable(error: &io::Error) -> Failure {
    Failure::Start(format!("the output cannot be written: {error}"))
}

/// Tells a person something beside the output. What cannot be written is let go.
pub(crate) fn tell(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
