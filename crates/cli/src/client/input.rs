//! What a command is given beside flags: files, and JSON that may stand in one.

use std::io::{self, Read};
use std::path::Path;

use cantata_core::json::parse_json;
use serde_json::Value;

use crate::failure::Failure;

/// What stands for standard input.
pub(crate) const STANDARD_INPUT: &str = "-";

/// Reads a JSON file, or standard input.
pub(super) fn json_file(path: &Path) -> Result<Value, Failure> {
    let name = path.display();
    let mut bytes = Vec::new();
    let read = if path == Path::new(STANDARD_INPUT) {
        io::stdin().read_to_end(&mut bytes).map(|_| ())
    } else {
        fs_err::read(path).map(|read| bytes = read)
    };
    read.map_err(|error| Failure::setting(format!("{name} cannot be read: {error}")))?;
    parse_json(&bytes).map_err(|error| Failure::setting(format!("{name} is not JSON: {error}")))
}

/// Reads JSON that stands in an argument, or in the file that it names after an `@`.
pub(super) fn json_argument(flag: &str, text: &str) -> Result<Value, Failure> {
    match text.strip_prefix('@') {
        Some(path) => json_file(Path::new(path)),
        None => parse_json(text.as_bytes())
            .map_err(|error| Failure::setting(format!("{flag}: expected JSON, or @ and a file with it: {error}"))),
    }
}
