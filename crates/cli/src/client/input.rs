//! JSON arguments, inline or from files.

use std::io::{self, Read};
use std::path::Path;

use cantata_core::json::parse_exact_json;
use serde_json::Value;

use crate::error::CliError;
use crate::terminal::STANDARD_STREAM;

/// Reads a JSON file, or standard input.
pub(super) fn json_file(path: &Path) -> Result<Value, CliError> {
    let name = path.display();
    let mut bytes = Vec::new();
    let read = if path == Path::new(STANDARD_STREAM) {
        io::stdin().read_to_end(&mut bytes).map(|_| ())
    } else {
        fs_err::read(path).map(|read| bytes = read)
    };
    read.map_err(|error| CliError::setting(format!("{name} cannot be read: {error}")))?;
    parse_exact_json(&bytes).map_err(|error| CliError::setting(format!("{name} is not JSON: {error}")))
}

/// Reads JSON from an argument, or from a file if it is `@FILE`.
pub(super) fn json_argument(flag: &str, text: &str) -> Result<Value, CliError> {
    match text.strip_prefix('@') {
        Some(path) => json_file(Path::new(path)),
        None => parse_exact_json(text.as_bytes())
            .map_err(|error| CliError::setting(format!("{flag}: expected JSON, or @ and a file with it: {error}"))),
    }
}
