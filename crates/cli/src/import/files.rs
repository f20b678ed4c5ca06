//! The files that the command line names, all of them looked at before anything is taken in.

use std::path::{Path, PathBuf};

use super::source::Source;
use crate::failure::Failure;

/// What stands for standard input.
const STANDARD_INPUT: &str = "-";

/// Returns the sources of an import, or everything that is wrong with the files.
pub(crate) fn sources(files: &[PathBuf]) -> Result<Vec<Source>, Failure> {
    let mut sources = Vec::new();
    let mut problems = Vec::new();
    for file in files {
        let source = if file == Path::new(STANDARD_INPUT) { Ok(Source::standard_input()) } else { Source::file(file) };
        match source {
            Ok(source) => sources.push(source),
            Err(problem) => problems.push(problem),
        }
    }
    if problems.is_empty() { Ok(sources) } else { Err(Failure::Settings(problems)) }
}
