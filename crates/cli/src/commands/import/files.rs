//! The input files of a command, all examined before any is read.

use std::path::{Path, PathBuf};

use cantata_core::error_chain;

use super::source::Source;
use crate::error::CliError;
use crate::terminal::STANDARD_STREAM;

/// Returns the sources, or all problems with the files.
pub(crate) fn sources(files: &[PathBuf]) -> Result<Vec<Source>, CliError> {
    let mut sources = Vec::new();
    let mut problems = Vec::new();
    for file in files {
        let source = if file == Path::new(STANDARD_STREAM) { Ok(Source::standard_input()) } else { Source::file(file) };
        match source {
            Ok(source) => sources.push(source),
            Err(error) => problems.push(error_chain(&error)),
        }
    }
    if problems.is_empty() { Ok(sources) } else { Err(CliError::Settings(problems)) }
}
